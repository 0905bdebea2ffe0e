// SPDX-License-Identifier: MIT
// DS-CNN: MLPerf Tiny's keyword spotter, depthwise-separable convolutions on a spectrogram.
// A network as a type; takes 49x10x1 as published.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/zoo/block.hpp>

#include <ratio>

namespace tarn::zoo {

/// MLPerf Tiny's keyword spotter: a 10x4 convolution of stride 2, four depthwise-separable blocks, probabilities.
/// Shapes: x [49, 10, 1] (frames, coefficients) -> y [Classes]; 2.66 M MACs, 23,756
/// parameters (12 classes; Keras counts the running statistics too: 24,908).
/// Names: one nn.Sequential of convolution, norm, ReLU, ...: "0.weight", "0.bias", "1.weight"; the last is "29.weight".
/// Source: mlcommons tiny, keyword_spotting/keras_model.py, after arXiv:1711.07128.
template <int Classes = 12> struct DSCNN {
  private:
    template <int C> using Norm = BatchNorm2d<C, Eps<std::ratio<1, 1000>>>;
    using Stem = Sequential<Conv2d<1, 64, Kernel<10, 4>, Stride<2>, SameUpper>, Norm<64>, ReLU>;
    using Block = Sequential<Conv2d<64, 64, Kernel<3>, SameUpper, Groups<64>>, Norm<64>, ReLU,
                             Conv2d<64, 64, Kernel<1>>, Norm<64>, ReLU>;
    using Head = Sequential<GlobalAvgPool2d, Flatten, Linear<64, Classes>, Softmax>;

  public:
    using Body = Joined<Stem, Block, Block, Block, Block, Head>;
};

} // namespace tarn::zoo
