// SPDX-License-Identifier: MIT
// MobileNetV1: depthwise-separable convolutions one after the other.
// A network as a type; takes any image, 224x224x3 as published.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/zoo/block.hpp>

#include <ratio>

namespace tarn::zoo {

/// MobileNetV1: a stem and 13 pairs of a depthwise 3x3 and a 1x1 convolution, logits at the end.
/// Shapes: x [H, W, 3] -> y [Classes]; H and W as the network is given, 224 as published: 569 M MACs,
/// 4,231,976 parameters (Width 1, 1000 classes), or 0.25 at 96x96: 7.5 M MACs (MLPerf Tiny's has Act = ReLU).
/// Names: one nn.Sequential of convolution, norm, activation, ...: "0.weight", "1.weight", "3.weight"; the last is
/// "83.weight". Pads: SamePads as published, or PyTorchPads. Source: arXiv:1704.04861.
template <class Width = std::ratio<1>, int Classes = 1000, class Pads = SamePads, class Act = ReLU6>
struct MobileNetV1 {
  private:
    static constexpr int blocks = 13;
    static constexpr int widths[blocks + 1] = {32, 64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024};
    static constexpr int strides[blocks] = {1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1};
    template <std::size_t At> static constexpr int width = scaled<Width>(widths[At]);

    template <std::size_t At>
    using Pair = Sequential<Depthwise<width<At>, 3, strides[At], Pads>, BatchNorm2d<width<At>>, Act,
                            Conv<width<At>, width<At + 1>, 1>, BatchNorm2d<width<At + 1>>, Act>;
    using Stem = Sequential<Conv<3, width<0>, 3, 2, Pads>, BatchNorm2d<width<0>>, Act>;
    using Head = Sequential<GlobalAvgPool2d, Flatten, Linear<width<blocks>, Classes>>;

    template <std::size_t... At> static Joined<Stem, Pair<At>..., Head> made(std::index_sequence<At...>);

  public:
    using Body = decltype(made(std::make_index_sequence<blocks>{}));
};

} // namespace tarn::zoo
