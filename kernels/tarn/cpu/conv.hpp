// SPDX-License-Identifier: MIT
// Dense layers by rows: linear, 1x1, direct convolution of any window and group count with no im2col, transposed.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_CONV) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_CONV)
#undef TARN_READ_CONV
#else
#define TARN_READ_CONV
#endif

#include <tarn/cpu/gemm.hpp>
#include <tarn/cpu/image_rows.hpp>

#include <utility>

namespace tarn::cpu::TARN_SET {

/// What the code of a tile depends on whose windows leave no column of the image: layers that agree in these share it.
struct InnerTile {
    int rows, panels, columns; // pixels; panels of weights; outputs of a pixel that are real
    int panel;                 // outputs a panel
    int length, stretches;     // floats of input that lie in one stretch; stretches of a kernel row
    int stretch_pitch;         // floats from one to the next
    int pixel_pitch;           // floats from one output pixel's input to the next's
    int panel_elems;           // floats of weights
    int other_pitch;
    Activation act;
    int act_bits;
    bool add;
    bool far;     // the weights come from beyond the second-level cache
    bool by_taps; // kernel rows are added one at a time
};

/// Where a tile reads and writes.
struct TilePlace {
    const float* const* rows; // of the input, one for each kernel row
    int tap_begin, tap_end;   // kernel rows inside the image
    std::ptrdiff_t offset;    // of the tile's first window in its rows, or of the group's first channel at an edge
    const float* weight;      // panels of weights
    const float* bias;
    const float* other; // the second input at the tile's first output, or null
    float* out;         // the tile's first output
    std::ptrdiff_t out_pitch;
    bool resumes = false, suspends = false; // sums lie in `out` already; sums are left there for the next kernel row
};

/// A tile's sums to begin with. By taps the second input is added first: sums that wait may lie where it was.
template <bool ByTaps, bool Add, class Sums>
TARN_ALWAYS_INLINE void begin_tile(Sums& tile, const TilePlace& at, std::ptrdiff_t other_pitch) noexcept {
    if (ByTaps && at.resumes) return tile.template take<false>(at.out, at.out_pitch);
    tile.start(at.bias);
    if constexpr (Add) tile.template take<true>(at.other, other_pitch);
}

template <InnerTile T> struct Inner {
    TARN_NOINLINE static void run(const TilePlace& at) noexcept {
        Tile<T.rows, T.panels, T.panel, T.columns> tile;
        begin_tile<T.by_taps, T.by_taps && T.add>(tile, at, T.other_pitch);
        for (int tap = at.tap_begin; tap < at.tap_end; ++tap) {
            const float* first = at.rows[tap] + at.offset;
            const float* weight = at.weight + std::ptrdiff_t{tap} * T.stretches * T.length * T.panel;
            for (int k = 0; k < T.stretches; ++k)
                tile.template add_from<0, T.rows, T.length, T.pixel_pitch, T.far>(
                    first + k * T.stretch_pitch, weight + k * T.length * T.panel, T.panel_elems);
        }
        if (T.by_taps && at.suspends)
            return tile.template finish<Activation::none, false>(at.out, at.out_pitch, nullptr, 0, 0.F);
        tile.template finish<T.act, T.add && !T.by_taps>(at.out, at.out_pitch, at.other, T.other_pitch,
                                                         std::bit_cast<float>(T.act_bits));
    }
};

/// One output row [W', O] of a dense layer from rows [W, C] of its input; K: its row_key. The row is cut into tiles of
/// pixels; those that see padding are compiled each for its place, so no input is copied or checked.
/// Weights: [G][panels][KH][KW][C / G][panel] floats, biases [G][panels][panel].
template <Op K> struct DenseRow : DenseGeometry<K> {
    using G = DenseGeometry<K>;
    static constexpr Window window = G::window;
    static constexpr int pixel_pitch = window.stride_w * G::in_pitch;
    using Tiles = Split<G::out_w, tile_rows<G::panel, G::group_out>()>;
    static constexpr int panels_at_once = [] {
        const int most = tile_panels<G::panel, Tiles::largest, G::group_out>();
        return most < G::panels ? most : G::panels;
    }();

    /// One pixel's weights are all used once: nothing but the memory's speed counts, which prefetches did not raise.
    static constexpr bool far = has_large_weights(K) && Tiles::largest > 1;
    /// Where a panel of weights is more than stays in a second-level cache, one kernel row of it is used for all tiles
    /// of a block before the next is read; sums wait where outputs go.
    static constexpr bool by_taps = window.kernel_h > 1 && panels_at_once* G::panel_elems > 40000;

    using Edges = EdgeTiles<Tiles, G::in_w, window>;
    static constexpr int first_inner = Edges::first_inner, end_inner = Edges::end_inner;

    template <int Rows, int Panels, int Columns> static constexpr InnerTile inner_tile() noexcept {
        constexpr bool one_stretch =
            G::groups == 1 && (window.kernel_w == 1 || (window.dilation_w == 1 && G::in_pitch == G::in_c));
        InnerTile t{};
        t.rows = Rows, t.panels = Panels, t.columns = Columns, t.panel = G::panel;
        t.length = one_stretch ? window.kernel_w * G::in_c : G::group_in;
        t.stretches = one_stretch ? 1 : window.kernel_w;
        t.stretch_pitch = one_stretch ? 0 : window.dilation_w * G::in_pitch;
        t.pixel_pitch = Rows > 1 ? pixel_pitch : 0;
        t.panel_elems = Panels > 1 ? G::panel_elems : 0;
        t.other_pitch = K.add && Rows > 1 ? G::other_pitch : 0;
        t.act = K.act, t.act_bits = K.act_bits, t.add = K.add, t.far = far, t.by_taps = by_taps;
        return t;
    }

    /// One kernel column of a tile at the left or right edge: the pixels whose tap lies inside the image.
    template <int X, int Rows, int KernelX, class Sums>
    TARN_ALWAYS_INLINE static void edge_tap(Sums& tile, const float* image_row, const float* weight) noexcept {
        constexpr int offset = KernelX * window.dilation_w - window.pad_left; // of the tap from x * stride
        constexpr int low_x = offset >= 0 ? 0 : (-offset + window.stride_w - 1) / window.stride_w;
        constexpr int high_x = G::in_w - offset <= 0 ? 0 : (G::in_w - offset + window.stride_w - 1) / window.stride_w;
        constexpr int first = low_x - X < 0 ? 0 : low_x - X;
        constexpr int last = high_x - X > Rows ? Rows : high_x - X;
        if constexpr (first < last) {
            constexpr std::ptrdiff_t at = std::ptrdiff_t{(X + first) * window.stride_w + offset} * G::in_pitch;
            // Start at the first pixel inside, so that no pointer before the image is ever formed.
            tile.template add_from<first, last, G::group_in, pixel_pitch, far>(
                image_row + at, weight + KernelX * G::group_in * G::panel, G::panel_elems);
        }
    }
    template <int X, int Rows, class Sums, int... KernelX>
    TARN_ALWAYS_INLINE static void edge_taps(Sums& tile, const float* image_row, const float* weight,
                                             std::integer_sequence<int, KernelX...>) noexcept {
        (edge_tap<X, Rows, KernelX>(tile, image_row, weight), ...);
    }

    /// A tile of Rows pixels from column X and Panels panels, which sees an edge.
    template <int X, int Rows, int Panels, int Columns>
    TARN_NOINLINE static void edge_at(const TilePlace& at) noexcept {
        Tile<Rows, Panels, G::panel, Columns> tile;
        begin_tile<by_taps, by_taps && K.add>(tile, at, G::other_pitch);
        for (int tap = at.tap_begin; tap < at.tap_end; ++tap)
            edge_taps<X, Rows>(tile, at.rows[tap] + at.offset,
                               at.weight + std::ptrdiff_t{tap} * window.kernel_w * G::group_in * G::panel,
                               std::make_integer_sequence<int, window.kernel_w>{});
        if (by_taps && at.suspends)
            return tile.template finish<Activation::none, false>(at.out, at.out_pitch, nullptr, 0, 0.F);
        tile.template finish<K.act, K.add && !by_taps>(at.out, at.out_pitch, at.other, G::other_pitch,
                                                       K.act_parameter());
    }

    /// Tile t. at.offset: the group's first channel.
    template <int Panels, int Columns, int... Edge>
    TARN_ALWAYS_INLINE static void tile_number(int t, TilePlace at, std::integer_sequence<int, Edge...>) noexcept {
        if (t >= first_inner && t < end_inner) {
            if constexpr (end_inner > first_inner) {
                at.offset += std::ptrdiff_t{Tiles::start(t) * window.stride_w - window.pad_left} * G::in_pitch;
                if constexpr (Tiles::larger_count > first_inner) {
                    if (t < Tiles::larger_count) return Inner<inner_tile<Tiles::largest, Panels, Columns>()>::run(at);
                }
                if constexpr (Tiles::larger_count < end_inner)
                    Inner<inner_tile<Tiles::smaller, Panels, Columns>()>::run(at);
            }
        } else {
            const int number = Edges::number_of(t);
            (void)((number == Edge &&
                    (edge_at<Tiles::start(Edges::tile(Edge)), Tiles::size(Edges::tile(Edge)), Panels, Columns>(at),
                     true)) ||
                   ...);
        }
    }
    /// Panels of a group for the tiles [begin, end). at.out, at.other: the first of them and the row's first pixel,
    /// both at the panel's first column.
    template <int Panels, int Columns>
    TARN_ALWAYS_INLINE static void panel_strip(const TilePlace& at, int begin, int end) noexcept {
        TilePlace tile = at;
        for (int t = begin; t < end; ++t) {
            const int x = Tiles::start(t);
            tile.out = at.out + std::ptrdiff_t{x - Tiles::start(begin)} * at.out_pitch;
            if constexpr (K.add) tile.other = at.other + std::ptrdiff_t{x} * G::other_pitch;
            tile_number<Panels, Columns>(t, tile, std::make_integer_sequence<int, Edges::count>{});
        }
    }

    /// All output channels of the tiles [begin, end) of some rows, each panel of weights for all of them in turn; the
    /// first row's first pixel at `out`, the rows one after another. other: the first row's, or null. SumsWait: outputs
    /// are not in the way of inputs, so sums may wait in their place.
    template <bool SumsWait = true>
    static void block(const RowTaps* taps, int rows, const float* other, float* out, std::ptrdiff_t out_pitch,
                      const float* weight, const float* bias, int begin, int end) noexcept {
        TilePlace at{nullptr, 0, 0, 0, weight, bias, other, out, out_pitch};
        const auto strip = [&]<int Panels, int Columns>(std::integer_sequence<int, Panels, Columns>) {
            constexpr bool stepwise = by_taps && SumsWait;
            for (int tap = 0; tap < (stepwise ? window.kernel_h : 1); ++tap) {
                TilePlace row = at;
                for (int y = 0; y < rows; ++y) {
                    const int first = taps[y].begin, last = taps[y].end;
                    row.rows = taps[y].rows, row.tap_begin = first, row.tap_end = last;
                    bool reads = true;
                    if constexpr (stepwise) {
                        // Of a row that sees no input at all the first tap writes the biases.
                        reads = (tap >= first && tap < last) || (first >= last && tap == 0);
                        row.resumes = tap > first, row.suspends = tap + 1 < last;
                        if (first < last) row.tap_begin = tap, row.tap_end = tap + 1;
                    }
                    if (reads) panel_strip<Panels, Columns>(row, begin, end);
                    row.out += std::ptrdiff_t{G::out_w} * out_pitch;
                    if constexpr (K.add) row.other += std::ptrdiff_t{G::out_w} * G::other_pitch;
                }
            }
            advance(at, Panels, Columns);
        };
        for (int g = 0; g < G::groups; ++g) {
            at.offset = g * G::group_in;
            // The last panel may be ragged; it is then taken in a strip of its own or with the last full ones.
            constexpr int strips = (G::panels - 1) / panels_at_once;
            constexpr int last_panels = G::panels - strips * panels_at_once;
            constexpr int last_columns = (last_panels - 1) * G::panel + G::tail;
            for (int s = 0; s < strips; ++s)
                strip(std::integer_sequence<int, panels_at_once, panels_at_once * G::panel>{});
            strip(std::integer_sequence<int, last_panels, last_columns>{});
        }
    }
    TARN_ALWAYS_INLINE static void advance(TilePlace& at, int panels, int columns) noexcept {
        at.weight += std::ptrdiff_t{panels} * G::panel_elems;
        at.bias += panels * G::panel;
        at.out += columns;
        if constexpr (K.add) at.other += columns;
    }

    /// Tiles that make one block of at most `pixels` pixels.
    static constexpr int tiles_in(int pixels) noexcept {
        const int tiles = pixels / Tiles::largest;
        return tiles < 1 ? 1 : tiles;
    }
    /// Blocks of a row when outputs go straight out.
    static constexpr int step = tiles_in(G::direct.pixels);
    static constexpr int blocks = (Tiles::count + step - 1) / step;
    static constexpr int end_of(int begin, int tiles) noexcept {
        return begin + tiles < Tiles::count ? begin + tiles : Tiles::count;
    }

    static void row(const RowTaps& taps, const float* other, float* out, const float* weight,
                    const float* bias) noexcept {
        for (int begin = 0; begin < Tiles::count; begin += step)
            block(&taps, 1, other, out + std::ptrdiff_t{Tiles::start(begin)} * G::out_pitch, G::out_pitch, weight, bias,
                  begin, end_of(begin, step));
    }
};

/// Input [H, W, C], weights packed as Geometry says, output [H', W', O], each at its pitch.
template <Op O> struct Conv : DenseGeometry<O> {
    using G = DenseGeometry<O>;
    using typename G::Packed;
    using Row = DenseRow<row_key(O)>;
    using Tiles = typename Row::Tiles;

    static void row(const RowTaps& taps, const float* other, float* out, const Packed& w) noexcept {
        Row::row(taps, other, out, &w.weight[0][0][0][0][0][0], &w.bias[0][0][0]);
    }

    /// Moves a block of outputs from scratch to its place.
    static void settle(float* place, const float* scratch, int pixels) noexcept {
        if constexpr (G::out_pitch == G::out_c) {
            __builtin_memcpy(place, scratch, sizeof(float) * static_cast<std::size_t>(pixels * G::out_c));
        } else {
            for (int i = 0; i < pixels; ++i)
                __builtin_memcpy(place + std::ptrdiff_t{i} * G::out_pitch, scratch + i * G::out_c,
                                 sizeof(float) * static_cast<std::size_t>(G::out_c));
        }
    }

    template <Schedule S>
    static void run(const float* in, const float* other, float* out, float* scratch, const Packed& w) noexcept {
        constexpr bool waits = S.staged && !(G::panels == 1 && G::groups == 1);
        constexpr Block block = S.staged ? G::staged : G::direct;
        constexpr int band = S.staged && !waits ? 1 : block.rows;
        constexpr int step = band > 1 ? Tiles::count : Row::tiles_in(block.pixels);
        constexpr int blocks = (Tiles::count + step - 1) / step, bands = (G::out_h + band - 1) / band;
        const float* weight = &w.weight[0][0][0][0][0][0];
        const float* bias = &w.bias[0][0][0];
        ImageRows<O> image[band];
        RowTaps taps[band];
        for (int i = 0; i < bands; ++i) {
            const int y = (S.descending ? bands - 1 - i : i) * band;
            const int rows = y + band < G::out_h ? band : G::out_h - y;
            for (int r = 0; r < rows; ++r) taps[r] = image[r].taps(in, y + r);
            const float* other_row = O.add ? other + std::ptrdiff_t{y} * G::out_w * G::other_pitch : nullptr;
            for (int j = 0; j < blocks; ++j) {
                const int begin = (S.descending ? blocks - 1 - j : j) * step;
                const int end = Row::end_of(begin, step);
                float* const place = out + (std::ptrdiff_t{y} * G::out_w + Tiles::start(begin)) * G::out_pitch;
                if constexpr (waits) {
                    Row::block(taps, rows, other_row, scratch, G::out_c, weight, bias, begin, end);
                    const int pixels = (end < Tiles::count ? Tiles::start(end) : G::out_w) - Tiles::start(begin);
                    settle(place, scratch, rows > 1 ? rows * G::out_w : pixels);
                } else if constexpr (S.staged && S.descending) {
                    // One panel: tile by tile, the last first.
                    for (int t = end; t-- > begin;)
                        Row::template block<false>(taps, 1, other_row,
                                                   place + std::ptrdiff_t{Tiles::start(t) - Tiles::start(begin)} *
                                                               G::out_pitch,
                                                   G::out_pitch, weight, bias, t, t + 1);
                } else {
                    Row::template block<!S.staged>(taps, rows, other_row, place, G::out_pitch, weight, bias, begin,
                                                   end);
                }
            }
        }
        static_cast<void>(scratch);
    }
};

/// Input [H, W, C], output [H * KH, W * KW, O], weights as UpConvGeometry says: output row y is KW products of input
/// row y / KH, whose outputs stand side by side.
template <Op O> struct UpConv : UpConvGeometry<O> {
    using G = UpConvGeometry<O>;
    using typename G::Packed;
    using Row = DenseRow<G::product>;
    using Tiles = typename Row::Tiles;
    static constexpr int out_pitch = out_pitch_of(O), other_pitch = other_pitch_of(O);

    static void row(const RowTaps& taps, const float* other, float* out, const Packed& w) noexcept {
        for (int b = 0; b < Row::blocks; ++b) block(taps, other, out, w, b);
    }

    template <Schedule S>
    static void run(const float* in, const float* other, float* out, float*, const Packed& w) noexcept {
        ImageRows<O> image;
        for (int i = 0; i < G::out_h; ++i) {
            const int y = S.descending ? G::out_h - 1 - i : i;
            const RowTaps taps = image.taps(in, y);
            const float* other_row = O.add ? other + std::ptrdiff_t{y} * G::out_w * other_pitch : nullptr;
            float* const out_row = out + std::ptrdiff_t{y} * G::out_w * out_pitch;
            for (int b = 0; b < Row::blocks; ++b)
                block(taps, other_row, out_row, w, S.descending ? Row::blocks - 1 - b : b);
        }
    }

  private:
    /// What one block of input pixels makes of a row. other, out: the row's first pixel.
    static void block(const RowTaps& taps, const float* other, float* out, const Packed& w, int b) noexcept {
        const int begin = b * Row::step, end = Row::end_of(begin, Row::step);
        float* const place = out + std::ptrdiff_t{Tiles::start(begin)} * G::columns * out_pitch;
        for (int x = 0; x < G::columns; ++x) {
            const int set = taps.phase * G::columns + x;
            Row::block(&taps, 1, O.add ? other + x * other_pitch : nullptr, place + x * out_pitch,
                       std::ptrdiff_t{G::columns} * out_pitch, &w.weight[set][0][0][0][0][0], &w.bias[set][0][0], begin,
                       end);
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
