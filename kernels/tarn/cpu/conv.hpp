// SPDX-License-Identifier: MIT
// Dense layers by rows: linear, 1x1, and direct convolution of any window and group count, with no im2col.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_CONV) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_CONV)
#undef TARN_READ_CONV
#else
#define TARN_READ_CONV
#endif

#include <tarn/cpu/gemm.hpp>

#include <utility>

namespace tarn::cpu::TARN_SET {

/// Input [H, W, C], weights packed as Geometry says, output [H', W', O], rows without pitch. A row of outputs is cut
/// into tiles of pixels; those that see padding are compiled each for its place, so no input is copied or checked.
template <Op O> struct Conv : DenseGeometry<O> {
    using G = DenseGeometry<O>;
    using typename G::Packed;
    static constexpr Window window = G::window;
    static constexpr int pixel_pitch =
        window.stride_w * G::in_pitch; // floats from one output pixel's input to the next's
    using Tiles = Split<G::out_w, tile_rows<G::panel>()>;
    static constexpr int panels_at_once = [] {
        const int most = tile_panels<G::panel, Tiles::largest>();
        return most < G::panels ? most : G::panels;
    }();

    // Tiles [0, first_inner) see the left edge, [end_inner, count) the right one; those between see neither.
    static constexpr int first_inner = [] {
        int t = 0;
        while (t < Tiles::count && Tiles::start(t) * window.stride_w < window.pad_left) ++t;
        return t;
    }();
    static constexpr int end_inner = [] {
        int t = Tiles::count;
        while (t > first_inner &&
               (Tiles::start(t - 1) + Tiles::size(t - 1) - 1) * window.stride_w - window.pad_left + window.reach_w() >
                   G::in_w)
            --t;
        return t;
    }();

    struct Place {
        const float* in;    // the whole input tensor
        const float* other; // the second input at the tile's first output, or null
        float* out;         // the tile's first output
        std::ptrdiff_t out_pitch;
        const float* weight; // panel of weights
        const float* bias;
        int y, x;               // first output pixel
        int in_first;           // first input channel of the group
        int tap_begin, tap_end; // rows of the kernel inside the image
    };

    /// One kernel column of a tile at the left or right edge: the pixels whose tap lies inside the image.
    template <int X, int Rows, int Panels, int KernelX>
    TARN_ALWAYS_INLINE static void edge_tap(Tile<Rows, Panels, G::panel>& tile, const float* image_row,
                                            const float* weight) noexcept {
        constexpr int offset = KernelX * window.dilation_w - window.pad_left; // of the tap from x * stride
        constexpr int low_x = offset >= 0 ? 0 : (-offset + window.stride_w - 1) / window.stride_w;
        constexpr int high_x = G::in_w - offset <= 0 ? 0 : (G::in_w - offset + window.stride_w - 1) / window.stride_w;
        constexpr int first = low_x - X < 0 ? 0 : low_x - X;
        constexpr int last = high_x - X > Rows ? Rows : high_x - X;
        if constexpr (first < last) {
            constexpr std::ptrdiff_t at = std::ptrdiff_t{(X + first) * window.stride_w + offset} * G::in_pitch;
            // Start at the first pixel inside, so that no pointer before the image is ever formed.
            tile.template add_from<first, last, G::group_in, pixel_pitch>(
                image_row + at, weight + KernelX * G::group_in * G::panel, G::panel_elems);
        }
    }
    template <int X, int Rows, int Panels, int... KernelX>
    TARN_ALWAYS_INLINE static void edge_taps(Tile<Rows, Panels, G::panel>& tile, const float* image_row,
                                             const float* weight, std::integer_sequence<int, KernelX...>) noexcept {
        (edge_tap<X, Rows, Panels, KernelX>(tile, image_row, weight), ...);
    }

    /// A tile of Rows pixels and Panels panels. X is its column when it sees an edge, -1 when it does not.
    template <int X, int Rows, int Panels, int Columns> TARN_NOINLINE static void tile_at(const Place& at) noexcept {
        Tile<Rows, Panels, G::panel> tile;
        tile.start(at.bias);
        for (int tap = at.tap_begin; tap < at.tap_end; ++tap) {
            const int row = at.y * window.stride_h - window.pad_top + tap * window.dilation_h;
            const float* image_row = at.in + std::ptrdiff_t{row} * G::in_w * G::in_pitch + at.in_first;
            const float* weight = at.weight + std::ptrdiff_t{tap} * window.kernel_w * G::group_in * G::panel;
            if constexpr (X >= 0) {
                edge_taps<X>(tile, image_row, weight, std::make_integer_sequence<int, window.kernel_w>{});
            } else {
                const float* first = image_row + std::ptrdiff_t{at.x * window.stride_w - window.pad_left} * G::in_pitch;
                if constexpr (G::groups == 1 &&
                              (window.kernel_w == 1 || (window.dilation_w == 1 && G::in_pitch == G::in_c))) {
                    tile.template add_from<0, Rows, window.kernel_w * G::in_c, pixel_pitch>(first, weight,
                                                                                            G::panel_elems);
                } else {
                    for (int k = 0; k < window.kernel_w; ++k)
                        tile.template add_from<0, Rows, G::group_in, pixel_pitch>(
                            first + k * window.dilation_w * G::in_pitch, weight + k * G::group_in * G::panel,
                            G::panel_elems);
                }
            }
        }
        tile.template finish<O.act, O.add, Columns>(at.out, at.out_pitch, at.other, G::out_c, O.act_parameter());
    }

    template <int Panels, int Columns, int... Edge>
    TARN_ALWAYS_INLINE static void tile_number(int t, const Place& at, std::integer_sequence<int, Edge...>) noexcept {
        if (t >= first_inner && t < end_inner) {
            if constexpr (end_inner > first_inner) {
                if constexpr (Tiles::larger_count > first_inner) {
                    if (t < Tiles::larger_count) return tile_at<-1, Tiles::largest, Panels, Columns>(at);
                }
                if constexpr (Tiles::larger_count < end_inner) tile_at<-1, Tiles::smaller, Panels, Columns>(at);
            }
        } else {
            // Edge counts the left edge's tiles, then the right edge's.
            const int number = t < first_inner ? t : first_inner + t - end_inner;
            (void)((number == Edge &&
                    (tile_at<Tiles::start(edge_tile(Edge)), Tiles::size(edge_tile(Edge)), Panels, Columns>(at),
                     true)) ||
                   ...);
        }
    }
    static constexpr int edge_tile(int edge) noexcept {
        return edge < first_inner ? edge : end_inner + edge - first_inner;
    }

    /// Panels [panel, panel + Panels) of a group for the tiles [begin, end) of a row.
    template <int Panels, int Columns>
    TARN_ALWAYS_INLINE static void panel_strip(Place at, int begin, int end, const float* other_row,
                                               float* out) noexcept {
        float* const out_first = out;
        constexpr int edges = Tiles::count - (end_inner - first_inner);
        for (int t = begin; t < end; ++t) {
            at.x = Tiles::start(t);
            at.out = out_first + std::ptrdiff_t{at.x - Tiles::start(begin)} * at.out_pitch;
            at.other = O.add ? other_row + std::ptrdiff_t{at.x} * G::out_c : nullptr;
            tile_number<Panels, Columns>(t, at, std::make_integer_sequence<int, edges>{});
        }
    }

    /// All output channels of the tiles [begin, end) of row y, the first pixel's at `out`.
    static void block(const float* in, const float* other, float* out, std::ptrdiff_t out_pitch, const Packed& w, int y,
                      int begin, int end) noexcept {
        Place at{};
        at.in = in;
        at.out_pitch = out_pitch;
        at.y = y;
        const int top = y * window.stride_h - window.pad_top;
        at.tap_begin = top >= 0 ? 0 : (-top + window.dilation_h - 1) / window.dilation_h;
        const int below = G::in_h - top; // rows from the first tap to the end of the image
        const int most = below <= 0 ? 0 : (below + window.dilation_h - 1) / window.dilation_h;
        at.tap_end = most < window.kernel_h ? most : window.kernel_h;
        const float* other_row = O.add ? other + std::ptrdiff_t{y} * G::out_w * G::out_c : nullptr;
        for (int g = 0; g < G::groups; ++g) {
            at.in_first = g * G::group_in;
            // The last panel may be ragged; it is then taken in a strip of its own or with the last full ones.
            constexpr int strips = (G::panels - 1) / panels_at_once;
            constexpr int last_panels = G::panels - strips * panels_at_once;
            constexpr int last_columns = (last_panels - 1) * G::panel + G::tail;
            const int column = g * G::group_out;
            for (int s = 0; s < strips; ++s) {
                const int panel = s * panels_at_once;
                at.weight = &w.weight[g][panel][0][0][0][0];
                at.bias = w.bias[g][panel];
                const int c = column + panel * G::panel;
                panel_strip<panels_at_once, panels_at_once * G::panel>(at, begin, end, O.add ? other_row + c : nullptr,
                                                                       out + c);
            }
            constexpr int panel = strips * panels_at_once;
            at.weight = &w.weight[g][panel][0][0][0][0];
            at.bias = w.bias[g][panel];
            const int c = column + panel * G::panel;
            panel_strip<last_panels, last_columns>(at, begin, end, O.add ? other_row + c : nullptr, out + c);
        }
    }

    /// Tiles that make one block of at most `pixels` pixels.
    static constexpr int tiles_in(int pixels) noexcept {
        const int tiles = pixels / Tiles::largest;
        return tiles < 1 ? 1 : tiles;
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
        constexpr int step = tiles_in(S.staged ? G::staged_pixels : G::direct_pixels);
        constexpr int blocks = (Tiles::count + step - 1) / step;
        constexpr bool waits = S.staged && !(G::panels == 1 && G::groups == 1);
        for (int i = 0; i < G::out_h; ++i) {
            const int y = S.descending ? G::out_h - 1 - i : i;
            for (int j = 0; j < blocks; ++j) {
                const int b = S.descending ? blocks - 1 - j : j;
                const int begin = b * step;
                const int end = begin + step < Tiles::count ? begin + step : Tiles::count;
                float* const place = out + (std::ptrdiff_t{y} * G::out_w + Tiles::start(begin)) * G::out_pitch;
                if constexpr (waits) {
                    block(in, other, scratch, G::out_c, w, y, begin, end);
                    const int pixels = (end < Tiles::count ? Tiles::start(end) : G::out_w) - Tiles::start(begin);
                    settle(place, scratch, pixels);
                } else if constexpr (S.staged && S.descending) {
                    // One panel: tile by tile, the last first.
                    for (int t = end; t-- > begin;)
                        block(in, other, place + std::ptrdiff_t{Tiles::start(t) - Tiles::start(begin)} * G::out_pitch,
                              G::out_pitch, w, y, t, t + 1);
                } else {
                    block(in, other, place, G::out_pitch, w, y, begin, end);
                }
            }
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
