// SPDX-License-Identifier: MIT
// SqueezeNet 1.1: fire modules, whose two branches are concatenated.
// A network as a type; takes any image, 224x224x3 as published.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/nn/join.hpp>
#include <tarn/zoo/block.hpp>

namespace tarn::zoo {

/// 1x1 to Squeeze channels, then 1x1 and 3x3 to Expand channels each, side by side.
/// Shapes: x [H, W, I] -> y [H, W, 2 * Expand]. Names: "squeeze.weight", "expand1x1.weight", "expand3x3.weight".
template <int I, int Squeeze, int Expand> struct Fire {
    using Body = Sequential<
        Named<"squeeze", Conv2d<I, Squeeze, Kernel<1>>>, ReLU,
        Named<"", Parallel<
                      Named<"", Sequential<Named<"expand1x1", Conv2d<Squeeze, Expand, Kernel<1>>>, ReLU>>,
                      Named<"", Sequential<Named<"expand3x3", Conv2d<Squeeze, Expand, Kernel<3>, Padding<1>>>, ReLU>>>>,
        Concat>;
};

/// SqueezeNet 1.1, logits. Shapes: x [H, W, 3] -> y [Classes]; H and W as the network is given, 224 as published:
/// 349 M MACs, 1,235,496 parameters (1000 classes). Names: torchvision's squeezenet1_1 ("features.3.squeeze.weight",
/// "classifier.1.weight"). Source: arXiv:1602.07360 and its repository for 1.1.
template <int Classes = 1000> struct SqueezeNet {
  private:
    using Pool = MaxPool2d<3, Stride<2>, CeilMode>;

  public:
    using Body = Sequential<
        Named<"features", Sequential<Conv2d<3, 64, Kernel<3>, Stride<2>>, ReLU, Pool, Fire<64, 16, 64>,
                                     Fire<128, 16, 64>, Pool, Fire<128, 32, 128>, Fire<256, 32, 128>, Pool,
                                     Fire<256, 48, 192>, Fire<384, 48, 192>, Fire<384, 64, 256>, Fire<512, 64, 256>>>,
        Named<"classifier", Sequential<Identity, Conv2d<512, Classes, Kernel<1>>, ReLU, GlobalAvgPool2d>>, Flatten>;
};

} // namespace tarn::zoo
