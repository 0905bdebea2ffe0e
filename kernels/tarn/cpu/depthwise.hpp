// SPDX-License-Identifier: MIT
// Depthwise convolution: one filter a channel, vectors across channels, up to four pixels sharing the weights.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_DEPTHWISE) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_DEPTHWISE)
#undef TARN_READ_DEPTHWISE
#else
#define TARN_READ_DEPTHWISE
#endif

#include <tarn/cpu/gemm.hpp>
#include <tarn/cpu/image_rows.hpp>

#include <utility>

namespace tarn::cpu::TARN_SET {

/// Most pixels of a tile whose sums, and the weights of a kernel row, stay in registers.
inline constexpr int free_tile = 8;

/// One output row [W', C] from rows [W, C] of the input, in tiles of at most Most pixels; K: its row_key. A pass reads
/// some channels of a tile's windows, then writes the same channels of its pixels, upwards or downwards: see
/// DepthwiseGeometry. Tiles that see padding are compiled each for its place where no row of the window leaves the
/// image.
template <Op K, int Most> struct DepthwiseRow : DepthwiseGeometry<K> {
    using G = DepthwiseGeometry<K>;
    using typename G::Packed;
    static constexpr Window window = G::window;
    static constexpr int vectors = G::channels / lanes;
    static constexpr int rest = G::channels % lanes;
    using Tiles = Split<G::out_w, Most>;
    using Edges = EdgeTiles<Tiles, G::in_w, window>;

    struct Place {
        const RowTaps* taps;
        const float* other; // the row's
        float* out;
        const Packed* w;
        int x;
    };
    /// How a tile is compiled: for a place in the row, or for any; whether it asks where the image ends.
    struct Form {
        int pixels;
        int place = -1;       // x of the tile's first pixel, where known
        bool inside = false;  // no column of the window leaves the image
        bool all_rows = true; // nor any row
    };

    /// One kernel row of a tile's sums.
    template <Form F, int Count>
    TARN_ALWAYS_INLINE static void add_row(Vec* sum, const Place& at, int ty, int c) noexcept {
        const int x = F.place >= 0 ? F.place : at.x;
        const float* image_row = at.taps->rows[ty] + c;
        TARN_UNROLL
        for (int tx = 0; tx < window.kernel_w; ++tx) {
            const float* tap = at.w->weight[ty][tx] + c;
            const Vec weight = Count == lanes ? load(tap) : load_some(tap, Count);
            TARN_UNROLL
            for (int p = 0; p < F.pixels; ++p) {
                const int column = (x + p) * window.stride_w - window.pad_left + tx * window.dilation_w;
                if (!F.inside && (column < 0 || column >= G::in_w)) continue;
                const float* from = image_row + std::ptrdiff_t{column} * G::in_pitch;
                sum[p] = fma(Count == lanes ? load(from) : load_some(from, Count), weight, sum[p]);
            }
        }
    }

    /// Channels [c, c + Count) of a tile.
    template <Form F, int Count> TARN_ALWAYS_INLINE static void pass(const Place& at, int c) noexcept {
        Vec sum[F.pixels];
        const Vec bias = Count == lanes ? load(at.w->bias + c) : load_some(at.w->bias + c, Count);
        TARN_UNROLL
        for (int p = 0; p < F.pixels; ++p) sum[p] = bias;
        if constexpr (F.all_rows && window.kernel_h <= 3) {
            TARN_UNROLL
            for (int ty = 0; ty < window.kernel_h; ++ty) add_row<F, Count>(sum, at, ty, c);
        } else {
            for (int ty = at.taps->begin; ty < at.taps->end; ++ty) add_row<F, Count>(sum, at, ty, c);
        }
        float* const to = at.out + std::ptrdiff_t{at.x} * G::out_pitch + c;
        TARN_UNROLL
        for (int p = 0; p < F.pixels; ++p) {
            Vec y = sum[p];
            if constexpr (K.add) {
                const float* other = at.other + std::ptrdiff_t{at.x + p} * G::other_pitch + c;
                y += Count == lanes ? load(other) : load_some(other, Count);
            }
            y = activate<K.act>(y, K.act_parameter());
            if constexpr (Count == lanes)
                store(to + p * G::out_pitch, y);
            else
                store_some(to + p * G::out_pitch, y, Count);
        }
    }

    template <Form F, bool Descending> TARN_NOINLINE static void channels_of(const Place& at) noexcept {
        if constexpr (Descending && rest > 0) pass<F, rest>(at, vectors * lanes);
        for (int i = 0; i < vectors; ++i) pass<F, lanes>(at, (Descending ? vectors - 1 - i : i) * lanes);
        if constexpr (!Descending && rest > 0) pass<F, rest>(at, vectors * lanes);
    }

    template <bool Descending, int... Edge>
    TARN_ALWAYS_INLINE static void tile_number(int t, Place& at, bool all_rows,
                                               std::integer_sequence<int, Edge...>) noexcept {
        at.x = Tiles::start(t);
        if (t >= Edges::first_inner && t < Edges::end_inner) {
            if constexpr (Edges::end_inner > Edges::first_inner) {
                const auto inner = [&]<int Pixels>(std::integral_constant<int, Pixels>) {
                    if (all_rows)
                        channels_of<Form{Pixels, -1, true, true}, Descending>(at);
                    else
                        channels_of<Form{Pixels, -1, true, false}, Descending>(at);
                };
                if (Tiles::larger_count > Edges::first_inner && t < Tiles::larger_count)
                    inner(std::integral_constant<int, Tiles::largest>{});
                else
                    inner(std::integral_constant<int, Tiles::smaller>{});
            }
        } else if (all_rows) {
            const int number = Edges::number_of(t);
            (void)((number == Edge &&
                    (channels_of<Form{Tiles::size(Edges::tile(Edge)), Tiles::start(Edges::tile(Edge))}, Descending>(at),
                     true)) ||
                   ...);
        } else if (Tiles::size(t) == Tiles::largest) {
            channels_of<Form{Tiles::largest, -1, false, false}, Descending>(at);
        } else {
            channels_of<Form{Tiles::smaller, -1, false, false}, Descending>(at);
        }
    }

    template <bool Descending>
    static void row(const RowTaps& taps, const float* other, float* out, const Packed& w) noexcept {
        Place at{&taps, other, out, &w, 0};
        const bool all_rows = taps.begin == 0 && taps.end == window.kernel_h;
        for (int i = 0; i < Tiles::count; ++i)
            tile_number<Descending>(Descending ? Tiles::count - 1 - i : i, at, all_rows,
                                    std::make_integer_sequence<int, Edges::count>{});
    }
};

/// Input [H, W, C], weight [KH, KW, C], output [H', W', C].
template <Op O> struct Depthwise : DepthwiseGeometry<O> {
    using G = DepthwiseGeometry<O>;
    using typename G::Packed;
    using Row = DepthwiseRow<row_key(O), G::tile>;
    using FreeRow = DepthwiseRow<row_key(O), free_tile>; ///< for rows that overlap nothing

    static void row(const RowTaps& taps, const float* other, float* out, const Packed& w) noexcept {
        FreeRow::template row<false>(taps, other, out, w);
    }

    template <Schedule S>
    static void run(const float* in, const float* other, float* out, float*, const Packed& w) noexcept {
        ImageRows<O> image;
        for (int i = 0; i < G::out_h; ++i) {
            const int y = S.descending ? G::out_h - 1 - i : i;
            const RowTaps taps = image.taps(in, y);
            const float* other_row = O.add ? other + std::ptrdiff_t{y} * G::out_w * G::other_pitch : nullptr;
            Row::template row<S.descending>(taps, other_row, out + std::ptrdiff_t{y} * G::out_w * G::out_pitch, w);
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
