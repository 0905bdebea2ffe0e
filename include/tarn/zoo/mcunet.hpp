// SPDX-License-Identifier: MIT
// MCUNet: inverted residuals of searched widths and kernels, for microcontrollers.
// A network as a type; takes any image, 176x176x3 as published.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/zoo/block.hpp>

#include <ratio>
#include <type_traits>

namespace tarn::zoo {

/// The published networks' batch norms.
template <int C> using MCUNetNorm = BatchNorm2d<C, Eps<std::ratio<1, 1000>>>;

/// 1x1 to Middle channels (left out where that is I), depthwise KxK of stride S, 1x1 to O, with x added where it fits.
/// Shapes: x [H, W, I] -> y [H / S, W / S, O]. Names: "mobile_inverted_conv.inverted_bottleneck.conv.weight", ...
template <int I, int Middle, int O, int K, int S, class Pads = PyTorchPads> struct MobileInverted {
  private:
    using Out =
        Sequential<Named<"depth_conv", Sequential<Named<"conv", Depthwise<Middle, K, S, Pads>>,
                                                  Named<"bn", MCUNetNorm<Middle>>, ReLU6>>,
                   Named<"point_linear", Sequential<Named<"conv", Conv<Middle, O, 1>>, Named<"bn", MCUNetNorm<O>>>>>;
    using Wide =
        Sequential<Named<"inverted_bottleneck",
                         Sequential<Named<"conv", Conv<I, Middle, 1>>, Named<"bn", MCUNetNorm<Middle>>, ReLU6>>>;
    using Layers = Named<"mobile_inverted_conv", std::conditional_t<I == Middle, Out, Joined<Wide, Out>>>;

  public:
    using Body = std::conditional_t<S == 1 && I == O, Residual<Named<"", Layers>>, Layers>;
};

/// MCUNet for 320 KB of memory: a stem, 17 inverted residuals of kernels 3 to 7, logits.
/// Shapes: x [H, W, 3] -> y [Classes]; H and W as the network is given, 176 as published: 79.3 M MACs,
/// 530,736 parameters (1000 classes).
/// Names: those of the authors' PyTorch model ("first_conv.conv.weight", "blocks.0.mobile_inverted_conv..",
/// "classifier.linear.weight"). Pads: PyTorchPads as the authors train it, SamePads as TensorFlow.
/// Source: arXiv:2007.10319; the graph of vMCU, arXiv:2406.06542, table 2.
template <int Classes = 1000, class Pads = PyTorchPads> struct MCUNet320 {
  private:
    struct Row {
        int middle, out, kernel, stride;
    };
    static constexpr int stem = 16, blocks = 17;
    static constexpr Row rows[blocks] = {
        {16, 8, 3, 1},   {24, 16, 7, 2},  {80, 16, 3, 1},  {80, 16, 7, 1},  {64, 24, 5, 1},  {80, 24, 5, 2},
        {120, 24, 5, 1}, {120, 24, 5, 1}, {120, 40, 3, 2}, {240, 40, 7, 1}, {160, 40, 5, 1}, {200, 48, 7, 1},
        {240, 48, 7, 1}, {240, 48, 3, 1}, {288, 96, 3, 2}, {480, 96, 7, 1}, {384, 96, 3, 1}};
    template <std::size_t At> static constexpr int width_at() noexcept {
        if constexpr (At == 0)
            return stem;
        else
            return rows[At - 1].out;
    }
    template <std::size_t At>
    using Block = MobileInverted<width_at<At>(), rows[At].middle, rows[At].out, rows[At].kernel, rows[At].stride, Pads>;
    template <std::size_t... At> static Sequential<Block<At>...> made(std::index_sequence<At...>);

  public:
    using Body = Sequential<
        Named<"first_conv", Sequential<Named<"conv", Conv<3, stem, 3, 2, Pads>>, Named<"bn", MCUNetNorm<stem>>, ReLU6>>,
        Named<"blocks", decltype(made(std::make_index_sequence<blocks>{}))>, GlobalAvgPool2d, Flatten,
        Named<"classifier", Named<"linear", Linear<width_at<blocks>(), Classes>>>>;
};

} // namespace tarn::zoo
