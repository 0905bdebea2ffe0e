// SPDX-License-Identifier: MIT
// VGG16: thirteen 3x3 convolutions and three wide linear layers, no norms.
// A network as a type; takes 224x224x3.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/zoo/block.hpp>

namespace tarn::zoo {

/// VGG16, logits. Shapes: x [224, 224, 3] -> y [Classes]; 15.47 G MACs, 138,357,544 parameters (1000 classes).
/// Names: torchvision's vgg16 ("features.0.weight", "classifier.6.bias"). Source: arXiv:1409.1556, configuration D.
template <int Classes = 1000> struct VGG16 {
  private:
    template <int I, int O> using Layer = Sequential<Conv2d<I, O, Kernel<3>, Padding<1>>, ReLU>;
    template <int I, int O> using Two = Joined<Layer<I, O>, Layer<O, O>, Sequential<MaxPool2d<2>>>;
    template <int I, int O> using Three = Joined<Layer<I, O>, Layer<O, O>, Layer<O, O>, Sequential<MaxPool2d<2>>>;
    using Features = Joined<Two<3, 64>, Two<64, 128>, Three<128, 256>, Three<256, 512>, Three<512, 512>>;

  public:
    using Body = Sequential<Named<"features", Features>, Flatten,
                            Named<"classifier", Sequential<Linear<512 * 7 * 7, 4096>, ReLU, Identity,
                                                           Linear<4096, 4096>, ReLU, Identity, Linear<4096, Classes>>>>;
};

} // namespace tarn::zoo
