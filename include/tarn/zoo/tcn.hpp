// SPDX-License-Identifier: MIT
// Temporal convolutional networks: causal convolutions whose dilation doubles from block to block.
// Networks as types; take any number of frames.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/zoo/block.hpp>

#include <ratio>
#include <type_traits>

namespace tarn::zoo {

/// Two causal convolutions of dilation D, ReLU after each, and the sum with x, a 1x1 convolution of x where channels
/// differ. Shapes: x [T, I] -> y [T, O]. Names: "conv1.weight", "conv1.bias", "conv2.weight", "downsample.weight";
/// weight norm must have been removed (its weight is stored as one tensor then).
template <int I, int O, int K, int D> struct TemporalBlock {
  private:
    using Layers = Sequential<Named<"conv1", Conv1d<I, O, Kernel<K>, Dilation<D>, Causal>>, ReLU,
                              Named<"conv2", Conv1d<O, O, Kernel<K>, Dilation<D>, Causal>>, ReLU>;

  public:
    using Body = Sequential<
        Named<"", std::conditional_t<I == O, Residual<Named<"", Layers>>,
                                     Residual<Named<"", Layers>, Named<"downsample", Conv1d<I, O, Kernel<1>>>>>>,
        ReLU>;
};

/// A temporal convolutional network: Depth blocks of C channels, of dilations 1, 2, 4, ...
/// Shapes: x [T, I] -> y [T, C]; a frame of y sees 1 + 2 * (K - 1) * (2^Depth - 1) frames of x, none later than itself.
/// Names: TemporalConvNet's ("network.0.conv1.weight"). Source: Bai, Kolter and Koltun, arXiv:1803.01271.
template <int I, int C, int K, int Depth> struct TCN {
  private:
    template <std::size_t... At>
    static Sequential<TemporalBlock<(At == 0 ? I : C), C, K, (1 << At)>...> made(std::index_sequence<At...>);

  public:
    static constexpr int receptive_field = 1 + 2 * (K - 1) * ((1 << Depth) - 1);
    using Body = Named<"network", decltype(made(std::make_index_sequence<Depth>{}))>;
};

/// A block of micro-TCN: one causal convolution of dilation D with norm and leaky ReLU, and a 1x1 convolution of x
/// added. Shapes: x [T, I] -> y [T, O]. Names: "conv1.weight", "bn.weight", .., "res.weight". The published block's
/// PReLU learns a slope for each channel; here all channels have one Slope. Source: Steinmetz and Reiss,
/// arXiv:2102.06200.
template <int I, int O, int K, int D, class Slope = std::ratio<1, 4>> struct MicroTCNBlock {
  private:
    using Layers = Sequential<Named<"conv1", Conv1d<I, O, Kernel<K>, Dilation<D>, Causal, NoBias>>,
                              Named<"bn", BatchNorm1d<O>>, LeakyReLU<Slope>>;

  public:
    using Body = Residual<Named<"", Layers>, Named<"res", Conv1d<I, O, Kernel<1>, Groups<I>, NoBias>>>;
};

} // namespace tarn::zoo
