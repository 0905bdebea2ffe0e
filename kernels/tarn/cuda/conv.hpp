// SPDX-License-Identifier: MIT
// Dense layers: linear, 1x1, convolution of any window and group count, transposed; all one implicit GEMM.
// Named as its CPU twin. The output lies apart from the inputs, or anywhere on them with a grid barrier in between.
// Knows the Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/gemm.hpp>

namespace tarn::cuda {

/// in [H, W, C], out [H', W', O], other as out, each at its pitch; weights [G][KH * KW * C / G][O / G, whole float4s].
/// F: what factors are rounded to. Blocks 0: out lies apart. Else every sum of the layer waits in registers until the
/// whole grid, of at least Blocks blocks, has read its inputs, and out may lie anywhere on in and other.
/// Source: dfdx issue 672 proposes the latter for any layer; it fits while a block's tiles fit its registers.
template <Op O, int Threads, Factor F = Factor::f32, int Blocks = 0> struct Conv : Product<O> {
    using P = Product<O>;
    using typename P::Packed;
    using Tile = decltype(tile_for<O, Threads, F>());
    using S = typename Tile::S;
    static constexpr int tiles_down = ceil_div(P::rows, Tile::rows);
    static constexpr int tiles_across = ceil_div(P::columns, Tile::columns);
    static constexpr int tiles_of_group = tiles_down * tiles_across, tiles = tiles_of_group * P::groups;
    static constexpr int stretches = ceil_div(P::depth, tile_depth);
    static constexpr int blocks = Blocks;
    static constexpr int held = Blocks > 0 ? ceil_div(tiles, larger(Blocks, 1)) : 1; ///< tiles a block keeps
    /// A thread may have 255 registers; half of them are factors, addresses and what the compiler wants for itself.
    static constexpr bool fits = held * Tile::count <= 128;
    static constexpr std::size_t shared_bytes = 2 * S::floats * sizeof(float);

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float* other, float* out, const Packed& w) {
        static_assert(C::threads == Threads);
        if constexpr (Blocks == 0) {
            for (int tile = c.block(); tile < tiles; tile += c.blocks()) {
                Tile sums;
                multiply(c, tile, in, w, sums);
                at_each(c, tile, sums, [&](int row, int group, int column, float& sum) {
                    P::store(out, row, group, column, sum + P::addend(other, w, row, group, column));
                });
            }
        } else {
            static_assert(fits, "conv: more outputs than the grid's registers hold");
            Tile sums[held];
            TARN_DEVICE_UNROLL
            for (int i = 0; i < held; ++i) {
                const int tile = c.block() + i * c.blocks();
                if (tile >= tiles) break;
                multiply(c, tile, in, w, sums[i]);
                at_each(c, tile, sums[i], [&](int row, int group, int column, float& sum) {
                    sum += P::addend(other, w, row, group, column);
                });
            }
            c.grid_barrier();
            TARN_DEVICE_UNROLL
            for (int i = 0; i < held; ++i) {
                const int tile = c.block() + i * c.blocks();
                if (tile >= tiles) break;
                at_each(c, tile, sums[i],
                        [&](int row, int group, int column, float& sum) { P::store(out, row, group, column, sum); });
            }
        }
    }

  private:
    TARN_DEVICE static int group_of(int tile) { return tile / tiles_of_group; }
    TARN_DEVICE static int first_row(int tile) { return tile % tiles_of_group / tiles_across * Tile::rows; }
    TARN_DEVICE static int first_column(int tile) { return tile % tiles_across * Tile::columns; }

    /// f(row, group, column, sum) for each real sum of this thread.
    template <ExecutionContext C, class Use>
    TARN_DEVICE static void at_each(const C& c, int tile, Tile& sums, const Use& use) {
        sums.for_each(c, [&](int tile_row, int tile_column, float& sum) {
            const int row = first_row(tile) + tile_row, column = first_column(tile) + tile_column;
            if (row < P::rows && column < P::columns) use(row, group_of(tile), column, sum);
        });
    }

    /// Two stages: one is filled while the other is read, so that one barrier a stretch of depth is enough.
    template <ExecutionContext C>
    TARN_DEVICE static void multiply(const C& c, int tile, const float* in, const Packed& w, Tile& sums) {
        float* const stages = c.template shared<float>();
        Loader<O, Threads, Tile::rows, Tile::columns> loader(c.thread(), group_of(tile), first_row(tile),
                                                             first_column(tile));
        loader.fetch(in, w, 0);
        loader.put(stages);
        c.block_barrier();
        for (int stretch = 0; stretch < stretches; ++stretch) {
            const bool more = stretch + 1 < stretches;
            if (more) loader.fetch(in, w, (stretch + 1) * tile_depth);
            sums.multiply(c, stages + stretch % 2 * S::floats);
            if (more) loader.put(stages + (stretch + 1) % 2 * S::floats);
            c.block_barrier();
        }
    }
};

} // namespace tarn::cuda
