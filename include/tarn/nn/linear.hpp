// SPDX-License-Identifier: MIT
// Linear: a matrix product over the last axis.
// A description: parameters, shape rule, Op. Kernels are in kernels/tarn/*/gemm.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/options.hpp>

namespace tarn {

/// y = x * transpose(weight) + bias over the last axis, every row alike.
/// Shapes: x [.., I] -> y [.., O]; weight [O, I], bias [O]. Options: NoBias.
/// Memory: in place at max(in, out) plus a block of rows of scratch when I or O is wide.
/// Errors: the last extent of x must be I.
/// Source: torch.nn.Linear, relative 1e-5.
template <int I, int O, class... Options> struct Linear {
    static constexpr detail::OptionValues options = [] {
        detail::OptionValues v = detail::collect_options<Options...>(detail::option_bias, Rule::linear_options);
        v.require(I >= 1 && O >= 1, Rule::linear_extent);
        return v;
    }();

    static constexpr int parameter_count = options.bias ? 2 : 1;
    static constexpr Parameter parameters[] = {{"weight", extents_of(O, I)}, {"bias", extents_of(O)}};

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        if (options.broken != Rule::none)
            fault.rule = options.broken;
        else if (in.last() != I)
            fault.rule = Rule::linear_features, fault.found = in, fault.wanted = in.with_last(I);
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::linear;
        op.in = in.with_last(I);
        op.out = in.with_last(O > 0 ? O : 1);
        op.bias = options.bias;
        return op;
    }
};

} // namespace tarn
