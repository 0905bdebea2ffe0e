// SPDX-License-Identifier: MIT
// MobileNetV2: inverted residuals with linear bottlenecks.
// A network as a type; takes any image, 224x224x3 as published.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/zoo/block.hpp>

#include <ratio>
#include <type_traits>

namespace tarn::zoo {

/// 1x1 to I * Expand channels, depthwise 3x3 of stride S, 1x1 to O, with x added where it fits: torchvision's
/// InvertedResidual, names and all ("conv.0.0.weight"). Shapes: x [H, W, I] -> y [H / S, W / S, O].
template <int I, int O, int S, int Expand, class Pads = PyTorchPads> struct InvertedResidual {
  private:
    static constexpr int middle = I * Expand;
    using Depth = Sequential<Depthwise<middle, 3, S, Pads>, BatchNorm2d<middle>, ReLU6>;
    using Out = Sequential<Depth, Conv<middle, O, 1>, BatchNorm2d<O>>;
    using Wide = Sequential<Sequential<Conv<I, middle, 1>, BatchNorm2d<middle>, ReLU6>>;
    using Layers = Named<"conv", std::conditional_t<Expand == 1, Out, Joined<Wide, Out>>>;

  public:
    using Body = std::conditional_t<S == 1 && I == O, Residual<Named<"", Layers>>, Layers>;
};

/// MobileNetV2: a stem, 17 inverted residuals, a 1x1 convolution, logits.
/// Shapes: x [H, W, 3] -> y [Classes]; H and W as the network is given, 224 as published: 300.8 M MACs,
/// 3,504,872 parameters (Width 1, 1000 classes). Widths are rounded to eights.
/// Names: torchvision's mobilenet_v2 ("features.0.0.weight", "classifier.1.bias").
/// Pads: PyTorchPads as torchvision, SamePads as TensorFlow. Source: arXiv:1801.04381.
template <class Width = std::ratio<1>, int Classes = 1000, class Pads = PyTorchPads> struct MobileNetV2 {
  private:
    struct Row {
        int expand, width, stride;
    };
    static constexpr int blocks = 17;
    static constexpr Row rows[blocks] = {{1, 16, 1}, {6, 24, 2},  {6, 24, 1},  {6, 32, 2},  {6, 32, 1}, {6, 32, 1},
                                         {6, 64, 2}, {6, 64, 1},  {6, 64, 1},  {6, 64, 1},  {6, 96, 1}, {6, 96, 1},
                                         {6, 96, 1}, {6, 160, 2}, {6, 160, 1}, {6, 160, 1}, {6, 320, 1}};
    static constexpr int stem = scaled_by_eights<Width>(32);
    static constexpr int last = std::ratio_less_v<Width, std::ratio<1>> ? 1280 : scaled_by_eights<Width>(1280);
    /// Channels before a block.
    template <std::size_t At> static constexpr int width_at() noexcept {
        if constexpr (At == 0)
            return stem;
        else
            return scaled_by_eights<Width>(rows[At - 1].width);
    }
    template <std::size_t At>
    using Block = InvertedResidual<width_at<At>(), width_at<At + 1>(), rows[At].stride, rows[At].expand, Pads>;

    template <std::size_t... At>
    static Sequential<Sequential<Conv<3, stem, 3, 2, Pads>, BatchNorm2d<stem>, ReLU6>, Block<At>...,
                      Sequential<Conv<width_at<blocks>(), last, 1>, BatchNorm2d<last>, ReLU6>>
        features(std::index_sequence<At...>);

  public:
    using Body = Sequential<Named<"features", decltype(features(std::make_index_sequence<blocks>{}))>, GlobalAvgPool2d,
                            Flatten, Named<"classifier", Sequential<Identity, Linear<last, Classes>>>>;
};

} // namespace tarn::zoo
