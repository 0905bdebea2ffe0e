// SPDX-License-Identifier: MIT
// The tiles of a matrix product: how a block's factors come to shared memory and its sums lie in registers, on ordinary
// arithmetic or on tensor cores. conv.hpp walks a layer with them.
// Knows the Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/product.hpp>

namespace tarn::cuda {

/// Depth that lies in shared memory at a time: one instruction of a tensor core; 32 bytes of each of a row's inputs.
inline constexpr int tile_depth = 8;

constexpr int power_of_two_from(int least) noexcept {
    int power = 1;
    while (power < least) power *= 2;
    return power;
}

/// A tile's two factors for one stretch of depth in shared memory: rows by depth [8][Rows + 4], so that the stores of
/// neighbours fall into different banks and a thread's rows are one float4; and weights [8][Columns].
template <int Rows, int Columns> struct Stage {
    static constexpr int row_pitch = Rows + 4;
    static constexpr int weights_at = tile_depth * row_pitch;
    static constexpr int floats = weights_at + tile_depth * Columns;
};

/// Brings factors from global memory to registers, and from there to a Stage, so that a stretch of depth is under way
/// while the one before it is multiplied.
template <Op O, int Threads, int Rows, int Columns> class Loader {
    using P = Product<O>;
    using S = Stage<Rows, Columns>;
    static constexpr int rows_at_once = Threads / tile_depth;
    static constexpr int row_count = Rows / rows_at_once;
    static constexpr int fours = tile_depth * Columns / 4;
    static constexpr int four_count = ceil_div(fours, Threads);
    static_assert(Rows % rows_at_once == 0 && Columns % 4 == 0);

  public:
    TARN_DEVICE Loader(int thread, int group, int first_row, int first_column)
        : thread_(thread), group_(group), first_row_(first_row), first_column_(first_column) {
        TARN_DEVICE_UNROLL
        for (int i = 0; i < row_count; ++i) origins_[i] = P::origin_of(row(i));
    }

    /// Depths [depth, depth + 8) to registers; zeros beyond the product's edges.
    TARN_DEVICE void fetch(const float* in, const typename P::Packed& w, int depth) {
        const int k = depth + thread_ % tile_depth;
        TARN_DEVICE_UNROLL
        for (int i = 0; i < row_count; ++i)
            rows_[i] = k < P::depth && row(i) < P::rows ? P::factor(in, origins_[i], group_, k) : 0.F;
        TARN_DEVICE_UNROLL
        for (int i = 0; i < four_count; ++i) {
            const int four = thread_ + i * Threads, line = depth + four / (Columns / 4);
            const int column = first_column_ + four % (Columns / 4) * 4;
            fours_[i] = Four{};
            if (four < fours && line < P::depth && column < P::column_pitch)
                fours_[i] = load_four(&w.weight[group_][line][column]);
        }
    }
    TARN_DEVICE void put(float* stage) const {
        TARN_DEVICE_UNROLL
        for (int i = 0; i < row_count; ++i)
            stage[thread_ % tile_depth * S::row_pitch + thread_ / tile_depth + i * rows_at_once] = rows_[i];
        TARN_DEVICE_UNROLL
        for (int i = 0; i < four_count; ++i) {
            const int four = thread_ + i * Threads;
            if (four < fours) store_four(stage + S::weights_at + four * 4, fours_[i]);
        }
    }

  private:
    TARN_DEVICE int row(int i) const { return first_row_ + thread_ / tile_depth + i * rows_at_once; }

    int thread_, group_, first_row_, first_column_;
    typename P::Origin origins_[row_count];
    float rows_[row_count];
    Four fours_[four_count];
};

/// Sums on ordinary arithmetic: a thread has High x Wide of them, in blocks of 4 x 4 that lie a whole row or column of
/// threads apart, so that a warp reads its factors as few float4s.
template <int Threads, int Across, int High, int Wide> struct ThreadTile {
    static constexpr int down = Threads / Across;
    static constexpr int rows = down * High, columns = Across * Wide;
    static constexpr int count = High * Wide; ///< registers a thread
    using S = Stage<rows, columns>;

    float sum[High][Wide] = {};

    TARN_DEVICE static int row(int thread, int i) { return i / 4 * down * 4 + thread / Across * 4 + i % 4; }
    TARN_DEVICE static int column(int thread, int j) { return j / 4 * Across * 4 + thread % Across * 4 + j % 4; }

    template <ExecutionContext C> TARN_DEVICE void multiply(const C& c, const float* stage) {
        TARN_DEVICE_UNROLL
        for (int k = 0; k < tile_depth; ++k) {
            Four a[High / 4], b[Wide / 4];
            TARN_DEVICE_UNROLL
            for (int i = 0; i < High / 4; ++i) a[i] = load_four(stage + k * S::row_pitch + row(c.thread(), i * 4));
            TARN_DEVICE_UNROLL
            for (int j = 0; j < Wide / 4; ++j)
                b[j] = load_four(stage + S::weights_at + k * columns + column(c.thread(), j * 4));
            TARN_DEVICE_UNROLL
            for (int i = 0; i < High; ++i) {
                TARN_DEVICE_UNROLL
                for (int j = 0; j < Wide; ++j) sum[i][j] += a[i / 4].at[i % 4] * b[j / 4].at[j % 4];
            }
        }
    }
    /// f(row, column, sum) for each sum of this thread.
    template <ExecutionContext C, class F> TARN_DEVICE void for_each(const C& c, const F& f) {
        TARN_DEVICE_UNROLL
        for (int i = 0; i < High; ++i) {
            TARN_DEVICE_UNROLL
            for (int j = 0; j < Wide; ++j) f(row(c.thread(), i), column(c.thread(), j), sum[i][j]);
        }
    }
};

/// Sums on tensor cores: a warp has 32 x 32 of them, as 2 x 4 of the instruction's tiles; Across warps side by side.
template <int Threads, int Across, Factor F> struct WarpTile {
    static constexpr int high = 2, wide = 4;
    static constexpr int down = Threads / warp_threads / Across;
    static constexpr int rows = down * high * 16, columns = Across * wide * 8;
    static constexpr int count = high * wide * 4; ///< registers a thread
    using S = Stage<rows, columns>;

    float sum[high][wide][4] = {};

    TARN_DEVICE static int first_row(int thread) { return thread / warp_threads / Across * high * 16; }
    TARN_DEVICE static int first_column(int thread) { return thread / warp_threads % Across * wide * 8; }

    template <ExecutionContext C> TARN_DEVICE void multiply(const C& c, const float* stage) {
        const int g = c.thread() % warp_threads / 4, t = c.thread() % 4;
        float b[wide][2];
        TARN_DEVICE_UNROLL
        for (int j = 0; j < wide; ++j) {
            const float* const from = stage + S::weights_at + first_column(c.thread()) + j * 8 + g;
            b[j][0] = from[2 * t * columns];
            b[j][1] = from[(2 * t + 1) * columns];
        }
        TARN_DEVICE_UNROLL
        for (int i = 0; i < high; ++i) {
            const float* const from = stage + 2 * t * S::row_pitch + first_row(c.thread()) + i * 16 + g;
            const float a[4] = {from[0], from[S::row_pitch], from[8], from[S::row_pitch + 8]};
            TARN_DEVICE_UNROLL
            for (int j = 0; j < wide; ++j) c.template multiply_add<F>(sum[i][j], a, b[j]);
        }
    }
    template <ExecutionContext C, class Use> TARN_DEVICE void for_each(const C& c, const Use& use) {
        const int g = c.thread() % warp_threads / 4, t = c.thread() % 4;
        TARN_DEVICE_UNROLL
        for (int i = 0; i < high; ++i) {
            TARN_DEVICE_UNROLL
            for (int j = 0; j < wide; ++j) {
                TARN_DEVICE_UNROLL
                for (int k = 0; k < 4; ++k)
                    use(first_row(c.thread()) + i * 16 + g + k / 2 * 8,
                        first_column(c.thread()) + j * 8 + 2 * t + k % 2, sum[i][j][k]);
            }
        }
    }
};

/// The tile for a product: as square as its extents allow, since a block reads rows + columns of factors for
/// rows x columns of sums.
template <Op O, int Threads, Factor F> constexpr auto tile_for() noexcept {
    using G = DenseGeometry<O>;
    if constexpr (F != Factor::f32) {
        constexpr int warps = Threads / warp_threads;
        constexpr int wanted = power_of_two_from(ceil_div(G::columns, 32));
        constexpr int across = smaller(wanted, warps >= 4 ? smaller(warps / 4 * 2, tile_depth) : 1);
        return WarpTile<Threads, across, F>{};
    } else {
        // 8 x 8 sums a thread do 64 multiplications on 16 loaded factors, 4 x 4 do 16 on 8: where a product has so many
        // of the larger tiles that every multiprocessor of a large card gets one.
        constexpr bool large = Threads == 256 && G::columns >= 128 &&
                               ceil_div(G::rows, 128) * ceil_div(G::columns, 128) * G::groups >= 128;
        constexpr int side = large ? 8 : 4;
        constexpr int square = Threads >= 256 ? 16 : 8;
        constexpr int columns = power_of_two_from(ceil_div(G::columns, side));
        constexpr int rows = power_of_two_from(ceil_div(G::rows, side));
        // The Loader brings Threads / 8 rows at once, so that a tile has no fewer.
        constexpr int least = larger(rows, Threads / tile_depth / side);
        constexpr int across = rows * square < Threads ? smaller(columns, Threads / least) : smaller(columns, square);
        return ThreadTile<Threads, larger(across, 4), side, side>{};
    }
}

} // namespace tarn::cuda
