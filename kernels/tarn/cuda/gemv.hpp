// SPDX-License-Identifier: MIT
// Products of a few rows, which live from how fast weights come: a block takes a strip of columns a warp wide, its
// warps share the depth, so that all weights are read once, side by side, by as many blocks as there are strips.
// Beside gemm.hpp, whose tiles would leave most threads idle.
// Knows the Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/product.hpp>

namespace tarn::cuda {

/// As Conv, for products of at most `most_rows` rows. Blocks 0: the output lies apart; else a strip's sums wait in
/// registers until the whole grid, of at least Blocks blocks, has read its inputs: the output may lie anywhere on them.
template <Op O, int Threads, int Blocks = 0> struct Gemv : Product<O> {
    using P = Product<O>;
    using typename P::Packed;
    static constexpr int most_rows = 4;
    static constexpr int warps = Threads / warp_threads;
    static constexpr int strips_of_group = ceil_div(P::columns, warp_threads), strips = strips_of_group * P::groups;
    static constexpr int blocks = Blocks;
    static constexpr int held = Blocks > 0 ? ceil_div(strips, larger(Blocks, 1)) : 1; ///< strips a block keeps
    static constexpr bool fits = held * P::rows <= 64;
    static constexpr std::size_t shared_bytes = std::size_t{Threads} * P::rows * sizeof(float);
    static_assert(P::rows <= most_rows);

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float* other, float* out, const Packed& w) {
        if constexpr (Blocks == 0) {
            for (int strip = c.block(); strip < strips; strip += c.blocks()) {
                float sums[P::rows];
                sum_strip(c, strip, in, other, w, sums);
                store_strip(c, strip, sums, out);
            }
        } else {
            static_assert(fits, "gemv: more outputs than the grid's registers hold");
            float sums[held][P::rows];
            TARN_DEVICE_UNROLL
            for (int i = 0; i < held; ++i) {
                const int strip = c.block() + i * c.blocks();
                if (strip < strips) sum_strip(c, strip, in, other, w, sums[i]);
            }
            c.grid_barrier();
            TARN_DEVICE_UNROLL
            for (int i = 0; i < held; ++i) {
                const int strip = c.block() + i * c.blocks();
                if (strip < strips) store_strip(c, strip, sums[i], out);
            }
        }
    }

  private:
    TARN_DEVICE static int column_of_lane(int strip, int thread) {
        return strip % strips_of_group * warp_threads + thread % warp_threads;
    }
    /// Whether this thread has a strip's sums in the end: those of the first warp that have a column.
    TARN_DEVICE static bool owns(int strip, int thread) {
        return thread < warp_threads && column_of_lane(strip, thread) < P::columns;
    }

    template <ExecutionContext C>
    TARN_DEVICE static void sum_strip(const C& c, int strip, const float* in, const float* other, const Packed& w,
                                      float (&sums)[P::rows]) {
        float* const parts = c.template shared<float>(); // [warps][rows][32]
        const int group = strip / strips_of_group, column = column_of_lane(strip, c.thread());
        const int lane = c.thread() % warp_threads, warp = c.thread() / warp_threads;
        TARN_DEVICE_UNROLL
        for (int row = 0; row < P::rows; ++row) sums[row] = 0.F;
        if (column < P::columns) {
            for (int k = warp; k < P::depth; k += warps) {
                const float weight = w.weight[group][k][column];
                TARN_DEVICE_UNROLL
                for (int row = 0; row < P::rows; ++row)
                    sums[row] += P::factor(in, P::origin_of(row), group, k) * weight;
            }
        }
        TARN_DEVICE_UNROLL
        for (int row = 0; row < P::rows; ++row) parts[(warp * P::rows + row) * warp_threads + lane] = sums[row];
        c.block_barrier();
        if (owns(strip, c.thread())) {
            TARN_DEVICE_UNROLL
            for (int row = 0; row < P::rows; ++row) {
                sums[row] += P::addend(other, w, row, group, column);
                for (int i = 1; i < warps; ++i) sums[row] += parts[(i * P::rows + row) * warp_threads + lane];
            }
        }
        c.block_barrier(); // the next strip's parts go where these were
    }
    template <ExecutionContext C>
    TARN_DEVICE static void store_strip(const C& c, int strip, const float (&sums)[P::rows], float* out) {
        if (!owns(strip, c.thread())) return;
        TARN_DEVICE_UNROLL
        for (int row = 0; row < P::rows; ++row)
            P::store(out, row, strip / strips_of_group, column_of_lane(strip, c.thread()), sums[row]);
    }
};

} // namespace tarn::cuda
