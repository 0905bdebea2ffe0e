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

#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/image_rows.hpp>
#include <tarn/cpu/math.hpp>

#include <utility>

namespace tarn::cpu::TARN_SET {

/// One output row [W', C] from rows [W, C] of the input; K: its row_key. A pass reads some channels of up to four
/// pixels' windows, then writes the same channels of those pixels, upwards or downwards: see DepthwiseGeometry.
template <Op K> struct DepthwiseRow : DepthwiseGeometry<K> {
    using G = DepthwiseGeometry<K>;
    using typename G::Packed;
    static constexpr Window window = G::window;
    static constexpr int vectors = G::channels / lanes;
    static constexpr int rest = G::channels % lanes;

    struct Place {
        const RowTaps* taps;
        const float* other; // the row's
        float* out;
        const Packed* w;
        int x;
    };

    /// Channels [c, c + Count) of Pixels pixels from x. Inner: no column of the window leaves the image.
    template <int Pixels, bool Inner, int Count> TARN_ALWAYS_INLINE static void pass(const Place& at, int c) noexcept {
        Vec sum[Pixels];
        const Vec bias = Count == lanes ? load(at.w->bias + c) : load_some(at.w->bias + c, Count);
        TARN_UNROLL
        for (int p = 0; p < Pixels; ++p) sum[p] = bias;
        for (int ty = at.taps->begin; ty < at.taps->end; ++ty) {
            const float* image_row = at.taps->rows[ty] + c;
            TARN_UNROLL
            for (int tx = 0; tx < window.kernel_w; ++tx) {
                const float* tap = at.w->weight[ty][tx] + c;
                const Vec weight = Count == lanes ? load(tap) : load_some(tap, Count);
                TARN_UNROLL
                for (int p = 0; p < Pixels; ++p) {
                    const int column = (at.x + p) * window.stride_w - window.pad_left + tx * window.dilation_w;
                    if constexpr (!Inner) {
                        if (column < 0 || column >= G::in_w) continue;
                    }
                    const float* from = image_row + std::ptrdiff_t{column} * G::in_pitch;
                    sum[p] = fma(Count == lanes ? load(from) : load_some(from, Count), weight, sum[p]);
                }
            }
        }
        float* const to = at.out + std::ptrdiff_t{at.x} * G::out_pitch + c;
        TARN_UNROLL
        for (int p = 0; p < Pixels; ++p) {
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

    template <int Pixels, bool Inner, bool Descending> TARN_NOINLINE static void channels_of(const Place& at) noexcept {
        if constexpr (Descending && rest > 0) pass<Pixels, Inner, rest>(at, vectors * lanes);
        for (int i = 0; i < vectors; ++i) pass<Pixels, Inner, lanes>(at, (Descending ? vectors - 1 - i : i) * lanes);
        if constexpr (!Descending && rest > 0) pass<Pixels, Inner, rest>(at, vectors * lanes);
    }

    static bool inner(int x, int pixels) noexcept {
        return x * window.stride_w >= window.pad_left &&
               (x + pixels - 1) * window.stride_w - window.pad_left + window.reach_w() <= G::in_w;
    }

    template <int Pixels, bool Descending> TARN_ALWAYS_INLINE static void some(Place& at, int x) noexcept {
        at.x = x;
        if (inner(x, Pixels))
            channels_of<Pixels, true, Descending>(at);
        else
            channels_of<Pixels, false, Descending>(at);
    }

    template <bool Descending>
    static void row(const RowTaps& taps, const float* other, float* out, const Packed& w) noexcept {
        constexpr int whole = G::out_w / G::tile, ragged = G::out_w % G::tile;
        Place at{&taps, other, out, &w, 0};
        if constexpr (Descending && ragged > 0) some<ragged, Descending>(at, whole * G::tile);
        for (int j = 0; j < whole; ++j) some<G::tile, Descending>(at, (Descending ? whole - 1 - j : j) * G::tile);
        if constexpr (!Descending && ragged > 0) some<ragged, Descending>(at, whole * G::tile);
    }
};

/// Input [H, W, C], weight [KH, KW, C], output [H', W', C].
template <Op O> struct Depthwise : DepthwiseGeometry<O> {
    using G = DepthwiseGeometry<O>;
    using typename G::Packed;
    using Row = DepthwiseRow<row_key(O)>;

    static void row(const RowTaps& taps, const float* other, float* out, const Packed& w) noexcept {
        Row::template row<false>(taps, other, out, w);
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
