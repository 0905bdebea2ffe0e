// SPDX-License-Identifier: MIT
// Max and average pooling: pixel by pixel, vectors across channels.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_POOL) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_POOL)
#undef TARN_READ_POOL
#else
#define TARN_READ_POOL
#endif

#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/math.hpp>

namespace tarn::cpu::TARN_SET {

/// Input [H, W, C], output [H', W', C]. Some channels of one window are read, then written: see PoolGeometry.
template <Op O> struct Pool : PoolGeometry<O> {
    using G = PoolGeometry<O>;
    using typename G::Packed;
    static constexpr Window window = G::window;
    static constexpr bool is_max = O.kind == OpKind::max_pool2d;
    static constexpr int vectors = G::channels / lanes;
    static constexpr int rest = G::channels % lanes;

    /// The part of a window inside the image, [begin, end) along one axis, and its extent with padding counted.
    struct Span {
        int begin, end, padded;
    };
    static Span span_of(int at, int stride, int kernel, int before, int after, int extent) noexcept {
        const int first = at * stride - before;
        const int last = first + kernel;
        const int padded_end = last < extent + after ? last : extent + after;
        return {first < 0 ? 0 : first, last < extent ? last : extent, padded_end - first};
    }

    template <int Count>
    TARN_ALWAYS_INLINE static void pass(const float* in, float* out, const Span& h, const Span& w, float divisor,
                                        int c) noexcept {
        Vec best = broadcast(is_max ? -__builtin_inff() : 0.f);
        for (int y = h.begin; y < h.end; ++y) {
            for (int x = w.begin; x < w.end; ++x) {
                const float* from = in + (std::ptrdiff_t{y} * G::in_w + x) * G::channels + c;
                const Vec v = Count == lanes ? load(from) : load_some(from, Count);
                if constexpr (is_max)
                    best = best != best || best >= v ? best : v; // a NaN stays
                else
                    best += v;
            }
        }
        if constexpr (!is_max) best = best / divisor;
        best = activate<O.act>(best, O.act_parameter());
        if constexpr (Count == lanes)
            store(out + c, best);
        else
            store_some(out + c, best, Count);
    }

    template <Schedule S> static void run(const float* in, const float*, float* out, float*, const Packed&) noexcept {
        for (int i = 0; i < G::out_h; ++i) {
            const int y = S.descending ? G::out_h - 1 - i : i;
            const Span h = span_of(y, window.stride_h, window.kernel_h, window.pad_top, window.pad_bottom, G::in_h);
            for (int j = 0; j < G::out_w; ++j) {
                const int x = S.descending ? G::out_w - 1 - j : j;
                const Span w = span_of(x, window.stride_w, window.kernel_w, window.pad_left, window.pad_right, G::in_w);
                const int counted = O.count_include_pad ? h.padded * w.padded : (h.end - h.begin) * (w.end - w.begin);
                const float divisor = static_cast<float>(counted);
                float* to = out + (std::ptrdiff_t{y} * G::out_w + x) * G::channels;
                if constexpr (S.descending && rest > 0) pass<rest>(in, to, h, w, divisor, vectors * lanes);
                for (int k = 0; k < vectors; ++k)
                    pass<lanes>(in, to, h, w, divisor, (S.descending ? vectors - 1 - k : k) * lanes);
                if constexpr (!S.descending && rest > 0) pass<rest>(in, to, h, w, divisor, vectors * lanes);
            }
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
