// SPDX-License-Identifier: MIT
// ExecutionContext: all that a kernel body may know of the grid it runs in. A GPU is one (device_context.cuh), the
// grid that tests emulate on the processor is another, and a body cannot tell them apart.
// Under every body of this folder. Knows nothing of Ops, memory plans or launches.
//
// How a body is called: every thread of every block of a grid calls Body::run(context, in, other, out, weights) with
// the same arguments. A block has Body's Threads threads and at least Body::shared_bytes of shared memory, a grid any
// number of blocks, except that an in-place form with a grid barrier wants all of them resident, and at least
// Body::blocks. No body waits for its own last writes to tensors: whoever launches puts a barrier, or the launch's end,
// behind it. Behind its last use of shared memory each has put a barrier of the block itself.
#pragma once

#include <tarn/core/config.hpp>

#include <concepts>
#include <cstddef>

namespace tarn::cuda {

/// Who waits for whom at a barrier.
enum class Scope : int { none, warp, block, grid };

inline constexpr int warp_threads = 32;

/// What the factors of products are rounded to; sums are always float.
enum class Factor : int {
    f32,  ///< not rounded; the only one that runs on ordinary arithmetic
    tf32, ///< 10 bits behind the point, to nearest, halves away from zero
    bf16, ///< 7 bits, to nearest even
    f16,  ///< 10 bits and a range of 6e-8 to 65504, to nearest even
};

/// One thread of a grid.
/// thread, block, blocks: its rank in the block, the block's rank, how many there are; threads: a block's, a constant.
/// Barriers order all memory among those who wait. shuffle_xor: the value of the lane whose rank differs by `mask`.
/// shared<T>: the block's shared memory. multiply_add<F>: a 16 x 8 tile of sums += A [16, 8] * B [8, 8] by a whole
/// warp; of lane 4 g + t, sums are C[g][2t], C[g][2t + 1], C[g + 8][2t], C[g + 8][2t + 1], a are the same places of A
/// and b are B[2t][g], B[2t + 1][g].
template <class C>
concept ExecutionContext = requires(const C& c, float value, int mask, float (&sums)[4], const float (&a)[4],
                                    const float (&b)[2]) {
    { C::threads } -> std::convertible_to<int>;
    { c.thread() } -> std::same_as<int>;
    { c.block() } -> std::same_as<int>;
    { c.blocks() } -> std::same_as<int>;
    c.warp_barrier();
    c.block_barrier();
    c.grid_barrier();
    { c.shuffle_xor(value, mask) } -> std::same_as<float>;
    { c.template shared<float>() } -> std::same_as<float*>;
    c.template multiply_add<Factor::tf32>(sums, a, b);
};

/// The thread's rank in the grid and how many there are: the walk of bodies that work element by element.
template <ExecutionContext C> TARN_DEVICE long thread_in_grid(const C& c) {
    return static_cast<long>(c.block()) * C::threads + c.thread();
}
template <ExecutionContext C> TARN_DEVICE long threads_in_grid(const C& c) {
    return static_cast<long>(c.blocks()) * C::threads;
}

/// A grid of its own for each block: what runs in it needs no grid barrier, only the block's.
template <ExecutionContext C> class SoloContext {
  public:
    static constexpr int threads = C::threads;

    TARN_DEVICE explicit SoloContext(const C& whole) : whole_(whole) {}
    TARN_DEVICE int thread() const { return whole_.thread(); }
    TARN_DEVICE int block() const { return 0; }
    TARN_DEVICE int blocks() const { return 1; }
    TARN_DEVICE void warp_barrier() const { whole_.warp_barrier(); }
    TARN_DEVICE void block_barrier() const { whole_.block_barrier(); }
    TARN_DEVICE void grid_barrier() const { whole_.block_barrier(); }
    TARN_DEVICE float shuffle_xor(float value, int mask) const { return whole_.shuffle_xor(value, mask); }
    template <class T> TARN_DEVICE T* shared() const { return whole_.template shared<T>(); }
    template <Factor F>
    TARN_DEVICE void multiply_add(float (&sums)[4], const float (&a)[4], const float (&b)[2]) const {
        whole_.template multiply_add<F>(sums, a, b);
    }

  private:
    const C& whole_;
};

} // namespace tarn::cuda
