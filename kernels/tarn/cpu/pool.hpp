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
#include <tarn/cpu/image_rows.hpp>
#include <tarn/cpu/math.hpp>

namespace tarn::cpu::TARN_SET {

/// One output row [W', C] from rows [W, C] of the input; K: its row_key. Some channels of one window are read, then
/// written: see PoolGeometry.
template <Op K> struct PoolRow : PoolGeometry<K> {
    using G = PoolGeometry<K>;
    static constexpr Window window = G::window;
    static constexpr bool is_max = K.kind == OpKind::max_pool2d;
    static constexpr int vectors = G::channels / lanes;
    static constexpr int rest = G::channels % lanes;

    /// Columns [begin, end) of a window inside the image, and its width with padding counted.
    struct Span {
        int begin, end, padded;
    };
    static Span span_of(int x) noexcept {
        const int first = x * window.stride_w - window.pad_left;
        const int last = first + window.kernel_w;
        const int padded_end = last < G::in_w + window.pad_right ? last : G::in_w + window.pad_right;
        return {first < 0 ? 0 : first, last < G::in_w ? last : G::in_w, padded_end - first};
    }
    static float divisor_of(const Span& w, int rows, int padded_rows) noexcept {
        return static_cast<float>(K.count_include_pad ? padded_rows * w.padded : rows * (w.end - w.begin));
    }

    TARN_ALWAYS_INLINE static Vec nothing() noexcept { return broadcast(is_max ? -__builtin_inff() : 0.f); }
    /// One row of a window taken into what the rows before it came to. from: its first column.
    template <int Count> TARN_ALWAYS_INLINE static Vec take(Vec so_far, const float* from, int columns) noexcept {
        for (int x = 0; x < columns; ++x) {
            const float* at = from + std::ptrdiff_t{x} * G::in_pitch;
            const Vec v = Count == lanes ? load(at) : load_some(at, Count);
            if constexpr (is_max)
                so_far = so_far != so_far || so_far >= v ? so_far : v; // a NaN stays
            else
                so_far += v;
        }
        return so_far;
    }
    TARN_ALWAYS_INLINE static Vec finish(Vec taken, float divisor) noexcept {
        if constexpr (!is_max) taken = taken / divisor;
        return activate<K.act>(taken, K.act_parameter());
    }
    template <int Count> TARN_ALWAYS_INLINE static Vec get(const float* from) noexcept {
        return Count == lanes ? load(from) : load_some(from, Count);
    }
    template <int Count> TARN_ALWAYS_INLINE static void put(float* to, Vec v) noexcept {
        if constexpr (Count == lanes)
            store(to, v);
        else
            store_some(to, v, Count);
    }

    /// Vectors of channels that go over a window together, so that every pixel gives whole cache lines. Pixels that lie
    /// a multiple of 4 KiB apart share a few places in a first-level cache, where lines fetched ahead for the next
    /// channels are lost before their turn: twice as many then, which takes 0.6 of the time.
    static constexpr bool crowded = !is_max && G::in_pitch % 1024 == 0;
    static constexpr int together = vectors < 4 ? 1 : crowded && vectors >= 8 ? 8 : 4;
    template <int Vectors, int Count>
    TARN_ALWAYS_INLINE static void pass(const RowTaps& taps, float* out, const Span& w, float divisor, int c) noexcept {
        Vec taken[Vectors];
        TARN_UNROLL
        for (int v = 0; v < Vectors; ++v) taken[v] = nothing();
        for (int t = taps.begin; t < taps.end; ++t) {
            const float* from = taps.rows[t] + std::ptrdiff_t{w.begin} * G::in_pitch + c;
            for (int x = w.begin; x < w.end; ++x, from += G::in_pitch) {
                TARN_UNROLL
                for (int v = 0; v < Vectors; ++v) taken[v] = take<Count>(taken[v], from + v * lanes, 1);
            }
        }
        TARN_UNROLL
        for (int v = 0; v < Vectors; ++v) put<Count>(out + c + v * lanes, finish(taken[v], divisor));
    }

    template <bool Descending> static void row(const RowTaps& taps, float* out) noexcept {
        for (int j = 0; j < G::out_w; ++j) {
            const int x = Descending ? G::out_w - 1 - j : j;
            const Span w = span_of(x);
            const float divisor = divisor_of(w, taps.end - taps.begin, taps.padded);
            float* const to = out + std::ptrdiff_t{x} * G::out_pitch;
            constexpr int blocks = vectors / together, single = blocks * together;
            if constexpr (Descending && rest > 0) pass<1, rest>(taps, to, w, divisor, vectors * lanes);
            if constexpr (Descending)
                for (int k = vectors; k-- > single;) pass<1, lanes>(taps, to, w, divisor, k * lanes);
            for (int k = 0; k < blocks; ++k)
                pass<together, lanes>(taps, to, w, divisor, (Descending ? blocks - 1 - k : k) * together * lanes);
            if constexpr (!Descending)
                for (int k = single; k < vectors; ++k) pass<1, lanes>(taps, to, w, divisor, k * lanes);
            if constexpr (!Descending && rest > 0) pass<1, rest>(taps, to, w, divisor, vectors * lanes);
        }
    }

    // The same sums and maxima, kept in the output row between one input row and the next.
    static void begin(float* out) noexcept {
        for (int x = 0; x < G::out_w; ++x, out += G::out_pitch)
            for (int c = 0; c < G::channels; ++c) out[c] = is_max ? -__builtin_inff() : 0.f;
    }
    static void add(const float* in, float* out) noexcept {
        for (int x = 0; x < G::out_w; ++x, out += G::out_pitch) {
            const Span w = span_of(x);
            const float* from = in + std::ptrdiff_t{w.begin} * G::in_pitch;
            for (int k = 0; k < vectors; ++k) add_some<lanes>(from, out, w, k * lanes);
            if constexpr (rest > 0) add_some<rest>(from, out, w, vectors * lanes);
        }
    }
    static void end(float* out, int padded_rows, int rows) noexcept {
        for (int x = 0; x < G::out_w; ++x, out += G::out_pitch) {
            const float divisor = divisor_of(span_of(x), rows, padded_rows);
            for (int k = 0; k < vectors; ++k) end_some<lanes>(out + k * lanes, divisor);
            if constexpr (rest > 0) end_some<rest>(out + vectors * lanes, divisor);
        }
    }

  private:
    template <int Count>
    TARN_ALWAYS_INLINE static void add_some(const float* from, float* out, const Span& w, int c) noexcept {
        put<Count>(out + c, take<Count>(get<Count>(out + c), from + c, w.end - w.begin));
    }
    template <int Count> TARN_ALWAYS_INLINE static void end_some(float* to, float divisor) noexcept {
        put<Count>(to, finish(get<Count>(to), divisor));
    }
};

/// Input [H, W, C], output [H', W', C], each at its pitch.
template <Op O> struct Pool : PoolGeometry<O> {
    using G = PoolGeometry<O>;
    using typename G::Packed;
    using Row = PoolRow<row_key(O)>;

    static void row(const RowTaps& taps, const float*, float* out, const Packed&) noexcept {
        Row::template row<false>(taps, out);
    }

    template <Schedule S> static void run(const float* in, const float*, float* out, float*, const Packed&) noexcept {
        ImageRows<O> image;
        for (int i = 0; i < G::out_h; ++i) {
            const int y = S.descending ? G::out_h - 1 - i : i;
            Row::template row<S.descending>(image.taps(in, y), out + std::ptrdiff_t{y} * G::out_w * G::out_pitch);
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
