// SPDX-License-Identifier: MIT
// Tensor: a typed window onto storage that knows how much the storage could hold. The low-level face: moving a tensor
// through a module (run/apply.hpp) consumes it and gives the result in the same storage.
// Between shapes and arenas. Knows nothing of layers or plans.
#pragma once

#include <tarn/core/shape.hpp>

#include <span>

namespace tarn {

/// Storage of N elements in all; the tensor begins at element At of it.
template <std::size_t N, std::size_t At = 0> struct Capacity {
    static constexpr std::size_t elems = N;
    static constexpr std::size_t at = At;
    static constexpr bool per_row = false;
};

/// Storage of P elements for every row of the last axis: a row's output takes the place of that row's input and of
/// nothing else, so rows may be computed in any order or at once.
template <int P> struct PerRow {
    static constexpr int pitch = P;
    static constexpr std::size_t at = 0;
    static constexpr bool per_row = true;
};

namespace detail {
template <class TheShape, class TheCapacity> constexpr std::size_t storage_elems() noexcept {
    if constexpr (TheCapacity::per_row)
        return TheShape::extents.rows() * static_cast<std::size_t>(TheCapacity::pitch);
    else
        return TheCapacity::elems;
}
template <class TheShape, class TheCapacity> constexpr bool holds() noexcept {
    if constexpr (TheCapacity::per_row)
        return TheShape::extents.last() <= TheCapacity::pitch;
    else
        return TheCapacity::at + TheShape::elems <= TheCapacity::elems;
}
/// Asserted beside the Tensor, which stays whole, so that nothing else is reported.
template <class TheShape, class TheCapacity> struct CapacityRule {
    static_assert(holds<TheShape, TheCapacity>(), "Tensor: the shape is larger than the capacity");
};
} // namespace detail

/// A tensor in storage somebody else owns. TheCapacity: Capacity<N> or PerRow<P>. Moves, does not copy: a moved-from
/// tensor is spent.
/// Memory: a pointer. Errors: a shape larger than its capacity does not compile.
template <class TheShape, class TheCapacity, class T, class Device> class Tensor {
  public:
    using Extents = TheShape;
    using Storage = TheCapacity;
    static constexpr std::size_t storage_elems = detail::storage_elems<TheShape, TheCapacity>();
    static_assert(sizeof(detail::CapacityRule<TheShape, TheCapacity>) > 0);

    /// A view of storage of at least storage_elems elements on a cache line, which must outlive it.
    explicit Tensor(T* storage) noexcept : storage_(storage) {}
    /// The same in an Arena that is large enough.
    template <class Memory>
        requires requires(Memory& memory) {
            memory.data();
            Memory::bytes;
        }
    explicit Tensor(Memory& memory) noexcept : storage_(memory.data()) {
        static_assert(Memory::bytes >= storage_elems * sizeof(T), "Tensor: the arena is smaller than the capacity");
    }

    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;
    Tensor(Tensor&& from) noexcept : storage_(from.storage_) { from.storage_ = nullptr; }
    Tensor& operator=(Tensor&& from) noexcept {
        storage_ = from.storage_;
        from.storage_ = nullptr;
        return *this;
    }
    ~Tensor() = default;

    /// All elements, where rows touch.
    std::span<T, TheShape::elems> elements() const noexcept requires(!TheCapacity::per_row) {
        return std::span<T, TheShape::elems>{storage_ + TheCapacity::at, TheShape::elems};
    }
    /// Row i of the last axis.
    std::span<T, static_cast<std::size_t>(TheShape::extents.last())> row(std::size_t i) const noexcept {
        constexpr auto features = static_cast<std::size_t>(TheShape::extents.last());
        if constexpr (TheCapacity::per_row)
            return std::span<T, features>{storage_ + i * static_cast<std::size_t>(TheCapacity::pitch), features};
        else
            return std::span<T, features>{storage_ + TheCapacity::at + i * features, features};
    }
    T* storage() const noexcept { return storage_; }

  private:
    T* storage_;
};

} // namespace tarn
