// SPDX-License-Identifier: MIT
// Shapes: how many elements along each axis, as a type (Shape) and as a value (Extents).
// First in the data's way: every layer, plan and tensor speaks of them.
// Knows nothing of element types in memory or of layers.
#pragma once

#include <tarn/core/config.hpp>

#include <cstddef>

namespace tarn {

/// Extents as a value, for constexpr planning: rank and up to four axes, unused ones 1. Structural, scalars only.
struct Extents {
    int rank = 0;
    int d0 = 1, d1 = 1, d2 = 1, d3 = 1;

    static constexpr int max_rank = 4;

    constexpr int operator[](int axis) const noexcept {
        return axis == 0 ? d0 : axis == 1 ? d1 : axis == 2 ? d2 : axis == 3 ? d3 : 1;
    }
    constexpr void set(int axis, int extent) noexcept {
        (axis == 0 ? d0 : axis == 1 ? d1 : axis == 2 ? d2 : d3) = extent;
    }
    /// The extent of the last axis: features of a vector, channels of an image.
    constexpr int last() const noexcept { return rank == 0 ? 1 : (*this)[rank - 1]; }
    constexpr Extents with_last(int extent) const noexcept {
        Extents changed = *this;
        if (rank > 0) changed.set(rank - 1, extent);
        return changed;
    }
    constexpr std::size_t elems() const noexcept {
        return static_cast<std::size_t>(d0) * static_cast<std::size_t>(d1) * static_cast<std::size_t>(d2) *
               static_cast<std::size_t>(d3);
    }
    /// Rows of the last axis: elems / last.
    constexpr std::size_t rows() const noexcept { return elems() / static_cast<std::size_t>(last()); }

    friend constexpr bool operator==(const Extents&, const Extents&) = default;
};

constexpr Extents extents_of(int d0) noexcept { return {1, d0}; }
constexpr Extents extents_of(int d0, int d1) noexcept { return {2, d0, d1}; }
constexpr Extents extents_of(int d0, int d1, int d2) noexcept { return {3, d0, d1, d2}; }
constexpr Extents extents_of(int d0, int d1, int d2, int d3) noexcept { return {4, d0, d1, d2, d3}; }

namespace detail {
/// What a Shape asks of its axes. Asserted beside the Shape, which stays whole, so that nothing else is reported.
template <int... Axes> struct ShapeRule {
    static_assert(((Axes >= 1) && ...), "shape: every extent must be at least 1");
    static constexpr bool rank_fits = sizeof...(Axes) >= 1 && sizeof...(Axes) <= Extents::max_rank;
    static_assert(rank_fits, "shape: one to four axes");
};
template <int... Axes> constexpr Extents checked_extents() noexcept {
    constexpr int rank = static_cast<int>(sizeof...(Axes));
    if constexpr (rank >= 1 && rank <= Extents::max_rank)
        return extents_of((Axes >= 1 ? Axes : 1)...);
    else
        return extents_of(1);
}
} // namespace detail

/// A compile-time shape, row-major as written: images [H, W, C], sequences [T, F], vectors [F].
/// Errors: an extent below 1 or more than four axes does not compile.
template <int... Axes> struct Shape {
    static_assert(sizeof(detail::ShapeRule<Axes...>) > 0);

    static constexpr int rank = static_cast<int>(sizeof...(Axes));
    static constexpr Extents extents = detail::checked_extents<Axes...>();
    static constexpr std::size_t elems = extents.elems();
    template <class T> static constexpr std::size_t bytes = elems * sizeof(T);
};

namespace detail {
template <class TheShape> struct RuleOf;
template <int... Axes> struct RuleOf<Shape<Axes...>> { using type = ShapeRule<Axes...>; };

template <int Rank, int A, int B, int C, int D> struct MakeShape { using type = Shape<A>; };
template <int A, int B, int C, int D> struct MakeShape<2, A, B, C, D> { using type = Shape<A, B>; };
template <int A, int B, int C, int D> struct MakeShape<3, A, B, C, D> { using type = Shape<A, B, C>; };
template <int A, int B, int C, int D> struct MakeShape<4, A, B, C, D> { using type = Shape<A, B, C, D>; };
// A class between value and alias: g++ 12 crashes on an alias that takes a dependent Extents apart.
template <Extents E> struct ToShape { using type = typename MakeShape<E.rank, E.d0, E.d1, E.d2, E.d3>::type; };
} // namespace detail

/// The Shape type of an Extents value.
template <Extents E> using ShapeOf = typename detail::ToShape<E>::type;

} // namespace tarn
