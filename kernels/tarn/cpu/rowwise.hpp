// SPDX-License-Identifier: MIT
// Softmax over the last axis, row by row.
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

    template <Schedule> static void run(const float* in, const float*, float* out, float*, const Packed&) noexcept {
        constexpr int features = O.in.last();
        constexpr int whole = features - features % lanes;
        constexpr int rest = features % lanes;
        constexpr int chains = whole / lanes < 4 ? (whole > 0 ? whole / lanes : 1) : 4; // of maxima and sums at once
        for (std::size_t row = 0; row < O.in.rows(); ++row) {
            const float* x = in + row * static_cast<std::size_t>(in_pitch_of(O));
            float* y = out + row * static_cast<std::size_t>(out_pitch_of(O));
            float most = x[0];
            if constexpr (whole > 0) {
                Vec largest[chains];
                for (int c = 0; c < chains; ++c) largest[c] = load(x + c * lanes);
                for (int i = chains * lanes; i < whole; i += chains * lanes) {
                    TARN_UNROLL
                    for (int c = 0; c < chains; ++c)
                        if (i + c * lanes < whole) largest[c] = max(largest[c], load(x + i + c * lanes));
                }
                for (int c = 0; c < chains; ++c)
                    for (int i = 0; i < lanes; ++i) most = largest[c][i] > most ? largest[c][i] : most;
            }
            for (int i = whole; i < features; ++i) most = x[i] > most ? x[i] : most;
            Vec sums[chains] = {};
            for (int i = 0; i < whole; i += chains * lanes) {
                TARN_UNROLL
                for (int c = 0; c < chains; ++c) {
                    if (i + c * lanes >= whole) break;
                    const Vec e = exp(load(x + i + c * lanes) - most);
                    sums[c] += e;
                    store(y + i + c * lanes, e);
                }
            }
            for (int c = 1; c < chains; ++c) sums[0] += sums[c];
            float sum = 0.f;
            for (int i = 0; i < lanes; ++i) sum += sums[0][i];
            if constexpr (rest > 0) {
                const Vec e = exp(load_some(x + whole, rest) - most);
                for (int i = 0; i < rest; ++i) sum += e[i];
                store_some(y + whole, e, rest);
            }
            const float scale = 1.f / sum;
            for (int i = 0; i < whole; i += lanes) store(y + i, load(y + i) * scale);
            for (int i = whole; i < features; ++i) y[i] *= scale;
        }
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
