// SPDX-License-Identifier: MIT
// BatchNorm2d (and 1d): the trained scale and shift of each channel; LayerNorm: of each row alone, then scaled.
// Descriptions. The planner folds a batch norm into the weights of the layer before it where it can.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/options.hpp>

namespace tarn {

/// y = (x - running_mean) / sqrt(running_var + eps) * weight + bias, for each channel of the last axis.
/// Shapes: x [.., C] -> y [.., C]; four parameters [C]; num_batches_tracked may be in the file and is not read.
/// Options: Eps<std::ratio<..>>.
/// Memory: none of its own when folded (a convolution or linear layer directly before it); else in place.
/// Errors: the last extent of x must be C.
/// Source: torch.nn.BatchNorm2d in eval mode, relative 1e-5.
template <int C, class... Options> struct BatchNorm2d {
    static constexpr detail::OptionValues options = [] {
        detail::OptionValues v = detail::collect_options<Options...>(detail::option_eps, Rule::norm_options);
        v.require(C >= 1, Rule::norm_extent);
        return v;
    }();

    static constexpr int parameter_count = 5;
    static constexpr Parameter parameters[] = {{"weight", extents_of(C)},
                                               {"bias", extents_of(C)},
                                               {"running_mean", extents_of(C)},
                                               {"running_var", extents_of(C)},
                                               {"num_batches_tracked", Extents{}, true}};

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        if (options.broken != Rule::none)
            fault.rule = options.broken;
        else if (in.last() != C)
            fault.rule = Rule::norm_channels, fault.found = in, fault.wanted = in.with_last(C);
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::batch_norm;
        op.in = op.out = in.with_last(C > 0 ? C : 1);
        op.eps_bits = options.eps_bits;
        return op;
    }
};

/// The same over features [.., F].
template <int F, class... Options> using BatchNorm1d = BatchNorm2d<F, Options...>;

/// y = (x - mean) / sqrt(variance + eps) * weight + bias; mean and variance over the last axis, of each row or pixel
/// alone. Over several axes: Reshape them into one and back.
/// Shapes: x [.., C] -> y [.., C]; weight [C], bias [C].
/// Options: Eps<std::ratio<..>>, NoBias (a weight only), NoAffine (neither).
/// Memory: in place, no scratch.
/// Errors: the last extent of x must be C.
/// Source: torch.nn.LayerNorm(C), relative 1e-5; on rows that lie far from zero as exactly as their floats tell.
template <int C, class... Options> struct LayerNorm {
    static constexpr detail::OptionValues options = [] {
        detail::OptionValues v = detail::collect_options<Options...>(
            detail::option_eps | detail::option_bias | detail::option_affine, Rule::layer_norm_options);
        v.require(C >= 1, Rule::layer_norm_extent);
        return v;
    }();

    static constexpr int parameter_count = !options.affine ? 0 : options.bias ? 2 : 1;
    static constexpr Parameter parameters[] = {{"weight", extents_of(C)}, {"bias", extents_of(C)}};

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        if (options.broken != Rule::none)
            fault.rule = options.broken;
        else if (in.last() != C)
            fault.rule = Rule::layer_norm_channels, fault.found = in, fault.wanted = in.with_last(C);
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::layer_norm;
        op.in = op.out = in.with_last(C > 0 ? C : 1);
        op.affine = options.affine;
        op.bias = options.bias;
        op.eps_bits = options.eps_bits;
        return op;
    }
};

} // namespace tarn
