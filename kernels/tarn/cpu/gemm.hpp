// SPDX-License-Identifier: MIT
// The register tile all dense layers share: a few pixels times a few panels of outputs.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set); conv.hpp walks images with it.
// Knows nothing of images, padding or activations' order.
#if defined(TARN_READ_GEMM) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_GEMM)
#undef TARN_READ_GEMM
#else
#define TARN_READ_GEMM
#endif

#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/math.hpp>

namespace tarn::cpu::TARN_SET {

/// Floats from the weights in use to those asked for: a page of 4 KiB.
inline constexpr int prefetch_ahead = 1024;

/// Accumulators of Rows pixels times Panels panels of Width outputs, held in registers: 6 x 16 leaves AVX2 two
/// registers for weights and one for a broadcast input. Of the last panel only the vectors that hold some of Columns
/// outputs. Every loop over them unrolls wholly, or they fall to memory.
template <int Rows, int Panels, int Width, int Columns = Panels* Width> struct Tile {
    static_assert(Width % lanes == 0 && Columns > (Panels - 1) * Width && Columns <= Panels * Width);
    static constexpr int vectors = Width / lanes; ///< a panel
    static constexpr int used = (Columns + lanes - 1) / lanes;

    Vec sum[Rows][used];

    /// bias: [Panels][Width]
    TARN_ALWAYS_INLINE void start(const float* bias) noexcept {
        TARN_UNROLL
        for (int r = 0; r < Rows; ++r) {
            TARN_UNROLL
            for (int v = 0; v < used; ++v) sum[r][v] = load(bias + v * lanes);
        }
    }

    /// Takes up sums that are not complete, or adds to them: Columns of each row, rows `pitch` apart.
    template <bool Add> TARN_ALWAYS_INLINE void take(const float* from, std::ptrdiff_t pitch) noexcept {
        TARN_UNROLL
        for (int r = 0; r < Rows; ++r) {
            TARN_UNROLL
            for (int v = 0; v < used; ++v) {
                constexpr int all = Columns;
                const int left = all - v * lanes;
                const float* place = from + r * pitch + v * lanes;
                const Vec x = left >= lanes ? load(place) : left > 0 ? load_some(place, left) : Vec{};
                sum[r][v] = Add ? sum[r][v] + x : x;
            }
        }
    }

    /// Adds a stretch of Length inputs to pixels First <= r < Last: a[(r - First) * Pitch + k] times
    /// w[panel * panel_pitch + k * Width + ..]. Far: the weights come from beyond the second-level cache, and are asked
    /// for ahead: the processor's own prefetch stops at the end of every page.
    template <int First, int Last, int Length, int Pitch, bool Far>
    TARN_ALWAYS_INLINE void add_from(const float* TARN_RESTRICT a, const float* TARN_RESTRICT w,
                                     std::ptrdiff_t panel_pitch) noexcept {
        for (int k = 0; k < Length; ++k) {
            Vec weight[used];
            TARN_UNROLL
            for (int v = 0; v < used; ++v) {
                const float* from = w + v / vectors * panel_pitch + k * Width + v % vectors * lanes;
                if (Far && v % vectors == 0) __builtin_prefetch(from + prefetch_ahead);
                weight[v] = load(from);
            }
            TARN_UNROLL
            for (int r = First; r < Last; ++r) {
                const Vec x = broadcast(a[(r - First) * Pitch + k]);
                TARN_UNROLL
                for (int v = 0; v < used; ++v) sum[r][v] = fma(x, weight[v], sum[r][v]);
            }
        }
    }

    /// Epilogue: y = act(sum + other), Columns valid columns of each row, rows `pitch` apart. `other` (the skip of a
    /// residual) is laid out as `to` is in the tensor, at its own pitch.
    template <Activation F, bool Add>
    TARN_ALWAYS_INLINE void finish(float* to, std::ptrdiff_t pitch, const float* other, std::ptrdiff_t other_pitch,
                                   float parameter) noexcept {
        TARN_UNROLL
        for (int r = 0; r < Rows; ++r) {
            TARN_UNROLL
            for (int v = 0; v < used; ++v) {
                constexpr int all = Columns;
                const int left = all - v * lanes;
                if (left <= 0) break;
                const int count = left < lanes ? left : lanes;
                Vec y = sum[r][v];
                if constexpr (Add) {
                    const float* from = other + r * other_pitch + v * lanes;
                    y += count == lanes ? load(from) : load_some(from, count);
                }
                y = activate<F>(y, parameter);
                if (count == lanes)
                    store(to + r * pitch + v * lanes, y);
                else
                    store_some(to + r * pitch + v * lanes, y, count);
            }
        }
    }
};

/// Rows of a tile that fill the registers beside one row of weights and a broadcast, for one panel. Outputs of one
/// panel and a part of the next that three vectors hold are taken together, so that nothing is multiplied for nobody.
template <int Width, int Outputs = Width> constexpr int tile_rows() noexcept {
    constexpr int used = (Outputs + lanes - 1) / lanes, panel = Width / lanes, vectors = used == 3 ? 3 : panel;
    constexpr int spare = used == 3 ? spare_registers : 0;
    constexpr int rows = (registers - 1 - vectors - spare) / (vectors + (reads_inputs_ahead ? 1 : 0));
    return rows > 12 ? 12 : rows;
}
/// Panels taken together when fewer rows than that are wanted, so that enough sums are under way at once.
template <int Width, int Rows, int Outputs = Width> constexpr int tile_panels() noexcept {
    constexpr int vectors = Width / lanes;
    if constexpr (Rows == 1) return vectors >= 12 ? 1 : 12 / vectors; // weights come straight from memory: many streams
    if constexpr ((Outputs + lanes - 1) / lanes == 3) return 3 / vectors + (3 % vectors > 0 ? 1 : 0);
    int panels = 1;
    while ((Rows + 1) * 2 * panels * vectors + 1 <= registers) panels *= 2;
    return panels;
}

/// A length cut into the fewest parts of at most Most, as even as can be: 7 by 6 is 4 + 3, not 6 + 1.
template <int Length, int Most> struct Split {
    static constexpr int count = (Length + Most - 1) / Most;
    static constexpr int smaller = Length / count;
    static constexpr int larger_count = Length % count; // these first parts have smaller + 1
    static constexpr int largest = smaller + (larger_count > 0 ? 1 : 0);

    static constexpr int size(int i) noexcept { return i < larger_count ? smaller + 1 : smaller; }
    static constexpr int start(int i) noexcept { return i * smaller + (i < larger_count ? i : larger_count); }
};

/// Which tiles of an output row see padding: [0, first_inner) the left one, [end_inner, Tiles::count) the right one;
/// those between see neither.
template <class Tiles, int InW, Window W> struct EdgeTiles {
    static constexpr int first_inner = [] {
        int t = 0;
        while (t < Tiles::count && Tiles::start(t) * W.stride_w < W.pad_left) ++t;
        return t;
    }();
    static constexpr int end_inner = [] {
        int t = Tiles::count;
        while (t > first_inner &&
               (Tiles::start(t - 1) + Tiles::size(t - 1) - 1) * W.stride_w - W.pad_left + W.reach_w() > InW)
            --t;
        return t;
    }();
    static constexpr int count = Tiles::count - (end_inner - first_inner);

    /// The left edge's tiles are counted first, then the right edge's.
    static constexpr int tile(int edge) noexcept { return edge < first_inner ? edge : end_inner + edge - first_inner; }
    static constexpr int number_of(int t) noexcept { return t < first_inner ? t : first_inner + t - end_inner; }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
