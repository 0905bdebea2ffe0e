// SPDX-License-Identifier: MIT
// Flatten: an image seen as features.
// Descriptions without parameters and, but for one case, without a kernel: the elements stay where they are.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/op.hpp>

namespace tarn {

namespace detail {
template <OpKind Kind> struct FlattenBase {
    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        if (in.rank > 3) fault.rule = Rule::flatten_rank, fault.found = in, fault.wanted = extents_of(1, 1, 1);
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = Kind;
        op.in = in;
        op.out = extents_of(static_cast<int>(in.elems()));
        return op;
    }
};
} // namespace detail

/// The features in the order PyTorch flattens the same image (channel, row, column), so that its weights fit.
/// Shapes: x [H, W, C] -> y [H * W * C].
/// Memory: none: the permutation goes into the packed weights of the Linear after it. With no Linear to take it the
/// elements are moved, out of place.
/// Errors: more than three axes. Source: torch.nn.Flatten on [1, C, H, W].
struct Flatten : detail::FlattenBase<OpKind::flatten_pytorch> {};

/// The features in the order they lie in memory (row, column, channel), as Keras flattens.
/// Shapes: x [H, W, C] -> y [H * W * C]. Memory: none. Errors: more than three axes.
struct FlattenChannelsLast : detail::FlattenBase<OpKind::flatten> {};

} // namespace tarn
