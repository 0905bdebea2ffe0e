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
#include <tarn/cpu/math.hpp>

#include <utility>

namespace tarn::cpu::TARN_SET {

/// Input [H, W, C], weight [KH, KW, C], output [H', W', C]. A pass reads some channels of up to four pixels' windows,
/// then writes the same channels of those pixels, in the order of the schedule: see DepthwiseGeometry.
template <Op O> struct Depthwise : DepthwiseGeometry<O> {
    using G = DepthwiseGeometry<O>;
    using typename G::Packed;
    static constexpr Window window = G::window;
    static constexpr int vectors = G::channels / lanes;
    static constexpr int rest = G::channels % lanes;

    struct Place {
        const float* in;
        const float* other;
        float* out;
        const Packed* w;
        int y, x;
        int tap_begin, tap_end;
    };

    /// Channels [c, c + Count) of Pixels pixels from (y, x). Inner: no column of the window leaves the image.
    template <int Pixels, bool Inner, int Count> TARN_ALWAYS_INLINE static void pass(const Place& at, int c) noexcept {
        Vec sum[Pixels];
        const Vec bias = Count == lanes ? load(at.w->bias + c) : load_some(at.w->bias + c, Count);
        TARN_UNROLL
        for (int p = 0; p < Pixels; ++p) sum[p] = bias;
        for (int ty = at.tap_begin; ty < at.tap_end; ++ty) {
            const int row = at.y * window.stride_h - window.pad_top + ty * window.dilation_h;
            const float* image_row = at.in + std::ptrdiff_t{row} * G::in_w * G::channels + c;
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
                    const float* from = image_row + std::ptrdiff_t{column} * G::channels;
                    sum[p] = fma(Count == lanes ? load(from) : load_some(from, Count), weight, sum[p]);
                }
            }
        }
        const std::ptrdiff_t first = (std::ptrdiff_t{at.y} * G::out_w + at.x) * G::channels + c;
        TARN_UNROLL
        for (int p = 0; p < Pixels; ++p) {
            const std::ptrdiff_t to = first + p * G::channels;
            Vec y = sum[p];
            if constexpr (O.add) y += Count == lanes ? load(at.other + to) : load_some(at.other + to, Count);
            y = activate<O.act>(y, O.act_parameter());
            if constexpr (Count == lanes)
                store(at.out + to, y);
            else
                store_some(at.out + to, y, Count);
        }
    }

    template <int Pixels, bool Inner, Schedule S> TARN_NOINLINE static void channels_of(const Place& at) noexcept {
        if constexpr (S.descending && rest > 0) pass<Pixels, Inner, rest>(at, vectors * lanes);
        for (int i = 0; i < vectors; ++i) pass<Pixels, Inner, lanes>(at, (S.descending ? vectors - 1 - i : i) * lanes);
        if constexpr (!S.descending && rest > 0) pass<Pixels, Inner, rest>(at, vectors * lanes);
    }

    static bool inner(int x, int pixels) noexcept {
        return x * window.stride_w >= window.pad_left &&
               (x + pixels - 1) * window.stride_w - window.pad_left + window.reach_w() <= G::in_w;
    }

    template <int Pixels, Schedule S> TARN_ALWAYS_INLINE static void some(Place& at, int x) noexcept {
        at.x = x;
        if (inner(x, Pixels))
            channels_of<Pixels, true, S>(at);
        else
            channels_of<Pixels, false, S>(at);
    }

    template <Schedule S>
    static void run(const float* in, const float* other, float* out, float*, const Packed& w) noexcept {
        constexpr int whole = G::out_w / G::tile, ragged = G::out_w % G::tile;
        Place at{in, other, out, &w, 0, 0, 0, 0};
        for (int i = 0; i < G::out_h; ++i) {
            at.y = S.descending ? G::out_h - 1 - i : i;
            const int top = at.y * window.stride_h - window.pad_top;
            at.tap_begin = top >= 0 ? 0 : (-top + window.dilation_h - 1) / window.dilation_h;
            const int below = G::in_h - top;
            const int most = below <= 0 ? 0 : (below + window.dilation_h - 1) / window.dilation_h;
            at.tap_end = most < window.kernel_h ? most : window.kernel_h;
            if constexpr (S.descending && ragged > 0) some<ragged, S>(at, whole * G::tile);
            for (int j = 0; j < whole; ++j) some<G::tile, S>(at, (S.descending ? whole - 1 - j : j) * G::tile);
            if constexpr (!S.descending && ragged > 0) some<ragged, S>(at, whole * G::tile);
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
