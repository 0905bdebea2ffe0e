// SPDX-License-Identifier: MIT
// 3x3 convolutions by Winograd's minimal filtering, F(4x4, 3x3) and F(2x2, 3x3), channels last: tiles are transformed
// channel by channel side by side in vectors, so nothing is ever shuffled.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Source: Lavin and Gray, arXiv 1509.09308; points 0, +-1/sqrt(2), +-sqrt(2), infinity, which round less than 0, +-1,
// +-2. Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_WINOGRAD) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_WINOGRAD)
#undef TARN_READ_WINOGRAD
#else
#define TARN_READ_WINOGRAD
#endif

#include <tarn/cpu/gemm.hpp>

#include <utility>

namespace tarn::cpu::TARN_SET {

/// The transforms of one line of a tile: N inputs to N positions, N positions to M outputs.
template <int M> struct WinogradLine;
template <> struct WinogradLine<2> {
    TARN_ALWAYS_INLINE static void input(const Vec (&d)[4], Vec (&to)[4]) noexcept {
        to[0] = d[0] - d[2];
        to[1] = d[1] + d[2];
        to[2] = d[2] - d[1];
        to[3] = d[3] - d[1];
    }
    TARN_ALWAYS_INLINE static void output(const Vec (&p)[4], Vec (&to)[2]) noexcept {
        to[0] = p[0] + p[1] + p[2];
        to[1] = p[1] - p[2] + p[3];
    }
};
template <> struct WinogradLine<4> {
    static constexpr float root = 1.41421356237309505F, half_root = 0.70710678118654752F;

    TARN_ALWAYS_INLINE static void input(const Vec (&d)[6], Vec (&to)[6]) noexcept {
        const Vec even2 = fma(broadcast(-2.F), d[2], d[4]), even1 = fma(broadcast(-0.5F), d[2], d[4]);
        const Vec odd2 = fma(broadcast(-2.F), d[1], d[3]) * broadcast(half_root);
        const Vec odd1 = fma(broadcast(-0.5F), d[1], d[3]) * broadcast(root);
        to[0] = fma(broadcast(-2.5F), d[2], d[0] + d[4]);
        to[1] = even2 + odd2;
        to[2] = even2 - odd2;
        to[3] = even1 + odd1;
        to[4] = even1 - odd1;
        to[5] = fma(broadcast(-2.5F), d[3], d[1] + d[5]);
    }
    TARN_ALWAYS_INLINE static void output(const Vec (&p)[6], Vec (&to)[4]) noexcept {
        const Vec sum1 = p[1] + p[2], less1 = p[1] - p[2], sum2 = p[3] + p[4], less2 = p[3] - p[4];
        to[0] = p[0] + sum1 + sum2;
        to[1] = fma(broadcast(half_root), less1, broadcast(root) * less2);
        to[2] = fma(broadcast(0.5F), sum1, broadcast(2.F) * sum2);
        to[3] = fma(broadcast(half_root / 2), less1, fma(broadcast(2 * root), less2, p[5]));
    }
};

/// What a tile's products depend on: layers that agree share the code.
struct WinogradProduct {
    int rows, length, pitch, panel;
    bool far; // weights come from beyond the second-level cache
};
template <WinogradProduct P> struct Product {
    TARN_NOINLINE static void run(const float* in, const float* weight, float* out) noexcept {
        Tile<P.rows, 1, P.panel> tile;
        TARN_UNROLL
        for (int r = 0; r < P.rows; ++r) {
            TARN_UNROLL
            for (int v = 0; v < P.panel / lanes; ++v) tile.sum[r][v] = Vec{};
        }
        tile.template add_from<0, P.rows, P.length, P.pitch, P.far>(in, weight, 0);
        TARN_UNROLL
        for (int r = 0; r < P.rows; ++r) {
            TARN_UNROLL
            for (int v = 0; v < P.panel / lanes; ++v) store(out + r * P.panel + v * lanes, tile.sum[r][v]);
        }
    }
};

/// Input [H, W, C], weights packed as WinogradGeometry says, output [H', W', O], each at its pitch. A block of rows of
/// tiles is transformed to scratch before any output of it is written.
template <Op O> struct Winograd : WinogradGeometry<O> {
    using G = WinogradGeometry<O>;
    using typename G::Packed;
    static constexpr WinogradTiles tiles = G::tiles;
    static constexpr int m = tiles.m, n = tiles.n;
    static constexpr bool far = long{n} * n * G::in_c * G::out_c > 120000;
    using Line = WinogradLine<m>;

    /// Tiles [0, first_inner) see the left edge, [end_inner, across) the right one.
    static constexpr int left_of(int x) noexcept { return x * m - G::window.pad_left; }
    static constexpr int first_inner = [] {
        int x = 0;
        while (x < tiles.across && left_of(x) < 0) ++x;
        return x;
    }();
    static constexpr int end_inner = [] {
        int x = tiles.across;
        while (x > first_inner && left_of(x - 1) + n > G::in_w) --x;
        return x;
    }();
    static constexpr int edges = tiles.across - (end_inner - first_inner);
    static constexpr int edge_tile(int e) noexcept { return e < first_inner ? e : end_inner + e - first_inner; }

    /// One row of tiles: input rows, null outside the image, and of each output row where it and the second input
    /// begin.
    struct Band {
        const float* in[n];
        const float* other[m];
        float* out[m];
        int rows; ///< of the output that lie in the image
    };

    /// One tile, whose columns [First, End) lie inside the image, First `offset` floats from the rows' beginning.
    template <int First, int End>
    TARN_NOINLINE static void transform(const float* const* rows, std::ptrdiff_t offset, float* to) noexcept {
        for (int c = 0; c < G::in_c; c += lanes) {
            const int left = G::in_c - c;
            Vec half[n][n];
            TARN_UNROLL
            for (int r = 0; r < n; ++r) {
                Vec line[n] = {};
                if (rows[r] != nullptr) {
                    TARN_UNROLL
                    for (int j = First; j < End; ++j) {
                        const float* from = rows[r] + offset + (j - First) * G::in_pitch + c;
                        line[j] = G::in_c % lanes == 0 || left >= lanes ? load(from) : load_some(from, left);
                    }
                }
                Line::input(line, half[r]);
            }
            TARN_UNROLL
            for (int j = 0; j < n; ++j) {
                Vec column[n], made[n];
                TARN_UNROLL
                for (int r = 0; r < n; ++r) column[r] = half[r][j];
                Line::input(column, made);
                TARN_UNROLL
                for (int i = 0; i < n; ++i) store(to + (i * n + j) * tiles.input_pitch() + c, made[i]);
            }
        }
    }
    template <int... E>
    static void transform_row(const float* const* rows, float* to, std::integer_sequence<int, E...>) noexcept {
        for (int x = first_inner; x < end_inner; ++x)
            transform<0, n>(rows, std::ptrdiff_t{left_of(x)} * G::in_pitch, to + std::ptrdiff_t{x} * tiles.channels);
        [[maybe_unused]] const auto edge = [&]<int X>(std::integral_constant<int, X>) {
            constexpr int first = left_of(X) < 0 ? -left_of(X) : 0;
            constexpr int end = G::in_w - left_of(X) < n ? G::in_w - left_of(X) : n;
            constexpr std::ptrdiff_t offset = std::ptrdiff_t{left_of(X) + first} * G::in_pitch;
            transform<first, (end > first ? end : first)>(rows, offset, to + std::ptrdiff_t{X} * tiles.channels);
        };
        (edge(std::integral_constant<int, edge_tile(E)>{}), ...);
    }

    /// Products of a panel at all positions: [tiles][channels] times [channels][panel].
    template <int Count> static void multiply(const float* in, const float* weight, float* out) noexcept {
        using Parts = Split<Count, tile_rows<G::panel>()>;
        constexpr WinogradProduct large{Parts::largest, G::in_c, tiles.channels, G::panel, far};
        constexpr WinogradProduct small{Parts::smaller, G::in_c, tiles.channels, G::panel, far};
        for (int i = 0; i < n * n; ++i) {
            for (int t = 0; t < Parts::larger_count; ++t)
                Product<large>::run(in + Parts::start(t) * tiles.channels, weight, out + Parts::start(t) * G::panel);
            for (int t = Parts::larger_count; t < Parts::count; ++t)
                Product<small>::run(in + Parts::start(t) * tiles.channels, weight, out + Parts::start(t) * G::panel);
            in += tiles.input_pitch();
            weight += std::ptrdiff_t{G::in_c} * G::panel;
            out += tiles.product_pitch(G::panel);
        }
    }

    /// One tile's outputs: Columns of each row from column x on, Width outputs of a panel from `first` on.
    template <int Columns, int Width>
    TARN_NOINLINE static void settle(const float* from, const float* bias, const Band& band, int x,
                                     int first) noexcept {
        for (int v = 0; v < Width; v += lanes) {
            const int count = Width - v < lanes ? Width - v : lanes;
            Vec half[n][m];
            TARN_UNROLL
            for (int i = 0; i < n; ++i) {
                Vec line[n];
                TARN_UNROLL
                for (int j = 0; j < n; ++j) line[j] = load(from + (i * n + j) * tiles.product_pitch(G::panel) + v);
                Line::output(line, half[i]);
            }
            const Vec add = load(bias + v);
            TARN_UNROLL
            for (int j = 0; j < Columns; ++j) {
                Vec column[n], made[m];
                TARN_UNROLL
                for (int i = 0; i < n; ++i) column[i] = half[i][j];
                Line::output(column, made);
                TARN_UNROLL
                for (int i = 0; i < m; ++i) {
                    if (i >= band.rows) break;
                    Vec y = made[i] + add;
                    if constexpr (O.add) {
                        const float* second = band.other[i] + std::ptrdiff_t{x + j} * G::other_pitch + first + v;
                        y += count == lanes ? load(second) : load_some(second, count);
                    }
                    y = activate<O.act>(y, O.act_parameter());
                    float* const to = band.out[i] + std::ptrdiff_t{x + j} * G::out_pitch + first + v;
                    if (count == lanes)
                        store(to, y);
                    else
                        store_some(to, y, count);
                }
            }
        }
    }

    template <int Rows, int Width>
    static void panel(const Band* bands, const float* in, float* products, const float* weight, const float* bias,
                      int first) noexcept {
        multiply<Rows * tiles.across>(in, weight, products);
        constexpr int last_columns = G::out_w - (tiles.across - 1) * m;
        const float* from = products;
        for (int y = 0; y < Rows; ++y) {
            for (int x = 0; x + 1 < tiles.across; ++x, from += G::panel)
                settle<m, Width>(from, bias, bands[y], x * m, first);
            settle<last_columns, Width>(from, bias, bands[y], (tiles.across - 1) * m, first);
            from += G::panel;
        }
    }

    /// Rows rows of tiles, which are all transformed before the first output is written.
    template <int Rows> static void block(const Band* bands, float* scratch, const Packed& w) noexcept {
        for (int r = 0; r < Rows; ++r)
            transform_row(bands[r].in, scratch + std::ptrdiff_t{r} * tiles.across * tiles.channels,
                          std::make_integer_sequence<int, edges>{});
        float* const products = scratch + n * n * tiles.input_pitch();
        for (int p = 0; p < G::panels; ++p) {
            if (G::tail == G::panel || p + 1 < G::panels)
                panel<Rows, G::panel>(bands, scratch, products, &w.weight[p][0][0][0], &w.bias[p][0], p * G::panel);
            else
                panel<Rows, G::tail>(bands, scratch, products, &w.weight[p][0][0][0], &w.bias[p][0], p * G::panel);
        }
    }

    /// Row y of the image's tiles, where all of the image lies in memory.
    static Band band(const float* in, const float* other, float* out, int y) noexcept {
        Band made{};
        for (int r = 0; r < n; ++r) {
            const int row = y * m - G::window.pad_top + r;
            if (row >= 0 && row < G::in_h) made.in[r] = in + std::ptrdiff_t{row} * G::in_w * G::in_pitch;
        }
        made.rows = G::out_h - y * m < m ? G::out_h - y * m : m;
        for (int i = 0; i < made.rows; ++i) {
            const std::ptrdiff_t pixel = std::ptrdiff_t{y * m + i} * G::out_w;
            made.out[i] = out + pixel * G::out_pitch;
            if constexpr (O.add) made.other[i] = other + pixel * G::other_pitch;
        }
        return made;
    }

    /// One row of tiles of an image whose rows lie anywhere; O: a row_form.
    static void rows(const float* const* in, const float* const* other, float* const* out, int rows, float* scratch,
                     const Packed& w) noexcept {
        Band made{};
        for (int r = 0; r < n; ++r) made.in[r] = in[r];
        for (int i = 0; i < rows; ++i) {
            made.out[i] = out[i];
            if constexpr (O.add) made.other[i] = other[i];
        }
        made.rows = rows;
        block<1>(&made, scratch, w);
    }

    template <Schedule S>
    static void run(const float* in, const float* other, float* out, float* scratch, const Packed& w) noexcept {
        Band bands[tiles.rows];
        for (int i = 0; i < tiles.blocks; ++i) {
            const int b = S.descending ? tiles.blocks - 1 - i : i;
            constexpr int last = tiles.rows_in(tiles.blocks - 1);
            for (int r = 0; r < tiles.rows_in(b); ++r) bands[r] = band(in, other, out, b * tiles.rows + r);
            if (last == tiles.rows || b + 1 < tiles.blocks)
                block<tiles.rows>(bands, scratch, w);
            else
                block<last>(bands, scratch, w);
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
