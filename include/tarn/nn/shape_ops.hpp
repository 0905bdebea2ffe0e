// SPDX-License-Identifier: MIT
// The same elements seen otherwise (Flatten, Reshape), or some of them (Slice, Split).
// Descriptions without parameters and, but for one case, without a kernel: the elements stay where they are.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/walk.hpp>

#include <utility>

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

/// The elements under another Shape, in the order they lie in memory (channels last).
/// Shapes: x -> y of TheShape. Memory: none. Errors: x must have as many elements as TheShape.
template <class TheShape> struct Reshape {
    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        if (in.elems() != TheShape::elems)
            fault.rule = Rule::reshape_elems, fault.found = in, fault.wanted = TheShape::extents;
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::flatten;
        op.in = in;
        op.out = TheShape::extents;
        return op;
    }
};

/// Count features of the last axis, from Begin on.
/// Shapes: x [.., F] -> y [.., Count]. Memory: none where its readers take rows with a pitch; else copied.
/// Errors: Begin + Count must be at most F. Source: x[..., Begin:Begin + Count].
template <int Begin, int Count> struct Slice {
    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        if (Begin < 0 || Count < 1)
            fault.rule = Rule::slice_range;
        else if (Begin > in.last() - Count)
            fault.rule = Rule::slice_outside, fault.found = in, fault.wanted = in.with_last(Begin + Count);
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::slice;
        op.begin = Begin;
        op.in = in;
        op.out = in.with_last(Count > 0 ? Count : 1);
        return op;
    }
};

/// The features of the last axis as several values, so many in each.
/// Shapes: x [.., A + B + ..] -> y [.., A], [.., B], ... Memory: as Slice.
/// Errors: the counts must add up to the features. Source: torch.split(x, [A, B, ...], dim=1) of images.
template <int... Counts> struct Split {
    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        int features = 0;
        bool filled = sizeof...(Counts) > 0;
        for (const int count : {0, Counts...}) features += count;
        for (const int count : {1, Counts...}) filled = filled && count >= 1;
        if (!filled)
            fault.rule = Rule::split_extent;
        else if (features != in.last())
            fault.rule = Rule::split_counts, fault.found = in, fault.wanted = in.with_last(features);
        return fault;
    }
};

namespace detail {
/// A slice for each count.
template <int... Counts> struct Walk<Split<Counts...>> {
    template <class Visitor> static constexpr void into(Visitor& visitor, Values& values) {
        const int whole = single(visitor, values);
        visitor.template require<Split<Counts...>>(whole);
        values.count = 0;
        slices(visitor, values, whole, std::make_index_sequence<sizeof...(Counts)>{});
    }

  private:
    static constexpr int begin_of(std::size_t index) noexcept {
        constexpr int counts[] = {Counts..., 0};
        int begin = 0;
        for (std::size_t i = 0; i < index; ++i) begin += counts[i];
        return begin;
    }
    template <class Visitor, std::size_t... Index>
    static constexpr void slices(Visitor& visitor, Values& values, int whole, std::index_sequence<Index...>) {
        [[maybe_unused]] const int made[] = {
            0, (append(visitor, values, visitor.template node<Slice<begin_of(Index), Counts>>(whole)), 0)...};
    }
};
} // namespace detail

} // namespace tarn
