// SPDX-License-Identifier: MIT
// Modules that make one value of several: Concat, ConcatRows, Add, Mul.
// Descriptions: shape rule and Op for two values; more are taken one after the other.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/combine.hpp>

namespace tarn {

namespace detail {
/// Side by side along one axis, all others alike.
template <Rule TheRule, bool Rows> struct ConcatBase {
    static constexpr bool chained = false;

    static constexpr int axis_of(Extents in) noexcept { return Rows || in.rank == 0 ? 0 : in.rank - 1; }
    static constexpr Fault rule(Extents first, Extents next) noexcept {
        Fault fault;
        Extents wanted = first;
        if (next.rank == first.rank) wanted.set(axis_of(first), next[axis_of(first)]);
        if (!(next == wanted)) fault.rule = TheRule, fault.found = next, fault.wanted = wanted;
        return fault;
    }
    static constexpr Op op(Extents first, Extents next) noexcept {
        Op op;
        op.kind = OpKind::concat;
        op.axis = axis_of(first);
        op.in = op.out = first;
        op.out.set(op.axis, first[op.axis] + next[op.axis]);
        return op;
    }
};
} // namespace detail

/// All its values side by side along the last axis: the channels of images, the features of rows.
/// Shapes: x [.., A], [.., B], ... -> y [.., A + B + ..]. One value stays as it is.
/// Memory: none: its inputs are made where they belong; a value that cannot be (an input of the network, one in two
/// concats) is copied. Errors: all axes but the last must be equal. Source: torch.cat(dim=1) of images.
struct Concat : detail::ConcatBase<Rule::concat_shapes, false> {};

/// All its values one after the other along the first axis: the rows of images, the frames of sequences.
/// Shapes: x [A, ..], [B, ..], ... -> y [A + B + .., ..]. One value stays as it is.
/// Memory: as Concat. Errors: all axes but the first must be equal. Source: torch.cat(dim=0) of [T, F].
struct ConcatRows : detail::ConcatBase<Rule::concat_rows_shapes, true> {};

/// The elementwise sum of two or more values of one shape, from the first on.
/// Memory: overwrites one of two, in the epilogue of the layer before where that one has one to spare.
/// Errors: fewer than two values, or shapes that differ.
struct Add {
    static constexpr bool chained = true;

    static constexpr Fault rule(Extents first, Extents next) noexcept {
        Fault fault;
        if (!(first == next)) fault.rule = Rule::add_shapes, fault.found = next, fault.wanted = first;
        return fault;
    }
    static constexpr Op op(Extents first, Extents) noexcept { return detail::sum_op(first); }
};

/// The elementwise product of two or more values, from the first on. A value of one pixel [1, 1, C] multiplies every
/// pixel of the other, as in squeeze-excite.
/// Shapes: x [H, W, C], [H, W, C] or [1, 1, C], in any order -> y [H, W, C].
/// Memory: overwrites the larger one. Errors: fewer than two values, or shapes that differ otherwise.
struct Mul {
    static constexpr bool chained = true;

    static constexpr Fault rule(Extents first, Extents next) noexcept {
        Fault fault;
        if (!(first == next) && !is_pixel_of(first, next) && !is_pixel_of(next, first))
            fault.rule = Rule::mul_shapes, fault.found = next, fault.wanted = first;
        return fault;
    }
    /// `in` is the larger of the two.
    static constexpr Op op(Extents first, Extents next) noexcept {
        Op op;
        op.kind = OpKind::mul;
        op.broadcast = !(first == next);
        op.in = op.out = op.broadcast && is_pixel_of(first, next) ? next : first;
        return op;
    }

  private:
    static constexpr bool is_pixel_of(Extents pixel, Extents image) noexcept {
        return pixel.rank == image.rank && pixel.last() == image.last() && pixel.rows() == 1;
    }
};

} // namespace tarn
