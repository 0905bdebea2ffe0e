// SPDX-License-Identifier: MIT
// GRU and LSTM: one recurrent layer over the frames of a sequence, from a state of zeros.
// Descriptions: parameters, shape rule, Op. Kernels are in kernels/tarn/*/recurrent.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/options.hpp>

namespace tarn {

namespace detail {
template <OpKind Kind, int I, int H, class... Options> struct Recurrent {
    static constexpr OptionValues options = [] {
        OptionValues v = collect_options<Options...>(option_bias, Rule::recurrent_options);
        v.require(I >= 1 && H >= 1, Rule::recurrent_extent);
        return v;
    }();
    static constexpr int gates = Kind == OpKind::gru ? 3 : 4;

    static constexpr int parameter_count = options.bias ? 4 : 2;
    static constexpr Parameter parameters[] = {{"weight_ih_l0", extents_of(gates* H, I)},
                                               {"weight_hh_l0", extents_of(gates* H, H)},
                                               {"bias_ih_l0", extents_of(gates* H)},
                                               {"bias_hh_l0", extents_of(gates* H)}};

    static constexpr Fault rule(Extents in) noexcept { return frames_fault(options, in, I); }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = Kind;
        op.in = extents_of(in.rank == 2 ? in[0] : 1, I > 0 ? I : 1);
        op.out = op.in.with_last(H > 0 ? H : 1);
        op.bias = options.bias;
        return op;
    }
};
} // namespace detail

/// A gated recurrent unit over frames.
/// Shapes: x [T, I] -> y [T, H], every frame's hidden state; weight_ih_l0 [3 * H, I], weight_hh_l0 [3 * H, H],
/// bias_ih_l0 and bias_hh_l0 [3 * H]; gates in PyTorch's order (reset, update, new). Options: NoBias, for both biases.
/// Memory: as its kernel says; the state is H values. Errors: x must be frames of I features.
/// Source: torch.nn.GRU with one layer, one direction and h0 = 0.
template <int I, int H, class... Options> struct GRU : detail::Recurrent<OpKind::gru, I, H, Options...> {};

/// Long short-term memory over frames.
/// Shapes: x [T, I] -> y [T, H], every frame's hidden state; weight_ih_l0 [4 * H, I], weight_hh_l0 [4 * H, H],
/// bias_ih_l0 and bias_hh_l0 [4 * H]; gates in PyTorch's order (input, forget, cell, output). Options: NoBias, for
/// both biases. Memory: as its kernel says; the state is 2 * H values. Errors: x must be frames of I features.
/// Source: torch.nn.LSTM with one layer, one direction and h0 = c0 = 0.
template <int I, int H, class... Options> struct LSTM : detail::Recurrent<OpKind::lstm, I, H, Options...> {};

} // namespace tarn
