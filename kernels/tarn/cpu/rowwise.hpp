// SPDX-License-Identifier: MIT
// Softmax and layer norm over the last axis, row by row.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_ROWWISE) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_ROWWISE)
#undef TARN_READ_ROWWISE
#else
#define TARN_READ_ROWWISE
#endif

#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/math.hpp>

namespace tarn::cpu::TARN_SET {

/// y = exp(x - max) / sum. In place, or with the output before the input: a row is written as it is read, upwards.
template <Op O> struct Softmax : ElementwiseGeometry<O> {
    using typename ElementwiseGeometry<O>::Packed;
    static constexpr int features = O.in.last();
    static constexpr int whole = features / lanes, rest = features % lanes; // vectors; floats behind them
    /// Whether there are more rows than stay in a second-level cache: the next one is asked for while exp keeps the
    /// processor busy, and memory not.
    static constexpr bool asks_ahead = O.in.rows() > 1 && O.in.elems() > 65536;

    TARN_ALWAYS_INLINE static float largest_in(const float* x) noexcept {
        if constexpr (whole == 0) {
            float most = x[0];
            for (int i = 1; i < features; ++i) most = x[i] > most ? x[i] : most;
            return most;
        }
        constexpr int chains = whole < 4 ? 1 : 4, even = whole - whole % chains;
        Vec most[chains];
        TARN_UNROLL
        for (int c = 0; c < chains; ++c) most[c] = load(x + c * lanes);
        for (int v = chains; v < even; v += chains) {
            TARN_UNROLL
            for (int c = 0; c < chains; ++c) most[c] = max(most[c], load(x + (v + c) * lanes));
        }
        TARN_UNROLL
        for (int c = 0; c < whole % chains; ++c) most[c] = max(most[c], load(x + (even + c) * lanes));
        if constexpr (rest > 0) most[0] = max(most[0], load(x + features - lanes)); // some of them once more
        TARN_UNROLL
        for (int c = 1; c < chains; ++c) most[0] = max(most[0], most[c]);
        return largest_of(most[0]);
    }
    /// y = exp(x - most); returns their sum. A second chain of sums is all that exp leaves time for.
    TARN_ALWAYS_INLINE static float exponentials(const float* x, float* y, float most, const float* next) noexcept {
        constexpr int chains = whole < 2 ? 1 : 2, even = whole - whole % chains;
        Vec sums[chains];
        TARN_UNROLL
        for (int c = 0; c < chains; ++c) sums[c] = Vec{};
        for (int v = 0; v < even; v += chains) {
            if constexpr (asks_ahead) __builtin_prefetch(next + v * lanes);
            TARN_UNROLL
            for (int c = 0; c < chains; ++c) {
                const Vec e = exp_below_one(load(x + (v + c) * lanes) - most);
                sums[c] += e;
                store(y + (v + c) * lanes, e);
            }
        }
        if constexpr (whole > even) {
            const Vec e = exp_below_one(load(x + even * lanes) - most);
            sums[0] += e;
            store(y + even * lanes, e);
        }
        if constexpr (rest > 0) {
            const Vec e = exp_below_one(load_some(x + whole * lanes, rest) - most);
            sums[0] += first<rest>(e);
            store_some(y + whole * lanes, e, rest);
        }
        return sum_of(whole < 2 ? sums[0] : sums[0] + sums[chains - 1]);
    }

    template <Schedule> static void run(const float* in, const float*, float* out, float*, const Packed&) noexcept {
        for (std::size_t row = 0; row < O.in.rows(); ++row) {
            const float* x = in + row * static_cast<std::size_t>(in_pitch_of(O));
            float* y = out + row * static_cast<std::size_t>(out_pitch_of(O));
            const float* next = row + 1 < O.in.rows() ? x + in_pitch_of(O) : x;
            const float scale = 1.f / exponentials(x, y, largest_in(x), next);
            for (int v = 0; v < whole; ++v) store(y + v * lanes, load(y + v * lanes) * scale);
            for (int i = whole * lanes; i < features; ++i) y[i] *= scale;
        }
    }
};

/// y = act((x - mean) / sqrt(variance + eps) * scale + shift). Two passes over a row: sums of the distances from a
/// value near its mean and of their squares, then the output. That value is the mean of a sixteenth of the row, which
/// cannot lie further from the mean of all than four standard deviations: little is lost to an offset, however far the
/// row lies from zero. In place, or with the output before the input, as softmax.
template <Op O> struct LayerNorm : LayerNormGeometry<O> {
    using G = LayerNormGeometry<O>;
    using typename G::Packed;
    static constexpr int whole = G::channels / lanes, rest = G::channels % lanes; // vectors; floats behind them
    static constexpr int chains = whole < 4 ? (whole > 0 ? whole : 1) : 4;        // of sums at once

    static constexpr int sampled = (whole + 15) / 16; // vectors of the sixteenth

    enum class Pass { moments, output };
    /// A row on its way: x, y [C], what the passes before have found, and the sums of this one.
    struct Row {
        const float* x;
        float* y;
        Vec near{}, correction{}, scale{}; // of all elements alike; the mean is near + correction
        Vec sums[chains] = {}, squares[chains] = {};
    };

    template <int Count> TARN_ALWAYS_INLINE static Vec get(const float* from) noexcept {
        return Count == lanes ? load(from) : load_some(from, Count);
    }
    /// Elements [i, i + Count), in the c-th chain of sums.
    template <Pass P, int Count> TARN_ALWAYS_INLINE static void some(Row& row, const Packed& w, int c, int i) noexcept {
        if constexpr (P == Pass::moments) {
            const Vec off = first<Count>(get<Count>(row.x + i) - row.near);
            row.sums[c] += off;
            row.squares[c] = fma(off, off, row.squares[c]);
        } else {
            Vec v = (get<Count>(row.x + i) - row.near - row.correction) * row.scale;
            if constexpr (O.affine) v = fma(v, get<Count>(w.scale + i), get<Count>(w.shift + i));
            v = activate<O.act>(v, O.act_parameter());
            if constexpr (Count == lanes)
                store(row.y + i, v);
            else
                store_some(row.y + i, v, Count);
        }
        static_cast<void>(w);
    }
    template <Pass P> TARN_ALWAYS_INLINE static void pass(Row& row, const Packed& w) noexcept {
        constexpr int even = whole - whole % chains;
        for (int v = 0; v < even; v += chains) {
            TARN_UNROLL
            for (int c = 0; c < chains; ++c) some<P, lanes>(row, w, c, (v + c) * lanes);
        }
        TARN_UNROLL
        for (int c = 0; c < whole % chains; ++c) some<P, lanes>(row, w, c, (even + c) * lanes);
        if constexpr (rest > 0) some<P, rest>(row, w, whole % chains, whole * lanes);
    }
    /// On every lane: the mean of the first of a row's elements, and what chains of sums come to.
    TARN_ALWAYS_INLINE static Vec mean_of_some(const float* x) noexcept {
        if constexpr (whole == 0) return broadcast(sum_of(load_some(x, rest)) * (1.f / static_cast<float>(rest)));
        Vec sum = load(x);
        for (int v = 1; v < sampled; ++v) sum += load(x + v * lanes);
        return broadcast(sum_of(sum) * (1.f / static_cast<float>(sampled * lanes)));
    }
    TARN_ALWAYS_INLINE static Vec total(const Vec (&sums)[chains]) noexcept {
        Vec all = sums[0];
        TARN_UNROLL
        for (int c = 1; c < chains; ++c) all += sums[c];
        return broadcast(sum_of(all));
    }

    template <Schedule> static void run(const float* in, const float*, float* out, float*, const Packed& w) noexcept {
        constexpr float share = 1.f / static_cast<float>(G::channels);
        for (std::size_t r = 0; r < O.out.rows(); ++r) {
            Row row{in + r * static_cast<std::size_t>(in_pitch_of(O)),
                    out + r * static_cast<std::size_t>(out_pitch_of(O))};
            row.near = mean_of_some(row.x);
            pass<Pass::moments>(row, w);
            const Vec off = total(row.sums), squares = total(row.squares);
            row.correction = off * share;
            row.scale = 1.f / sqrt(max(Vec{}, fma(-off, row.correction, squares) * share) + O.eps());
            pass<Pass::output>(row, w);
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
