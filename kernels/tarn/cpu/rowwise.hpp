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
        for (std::size_t row = 0; row < O.in.rows(); ++row) {
            const float* x = in + row * static_cast<std::size_t>(in_pitch_of(O));
            float* y = out + row * static_cast<std::size_t>(out_pitch_of(O));
            float most = x[0];
            for (int i = 1; i < features; ++i) most = x[i] > most ? x[i] : most;
            Vec sums{};
            for (int i = 0; i < whole; i += lanes) {
                const Vec e = exp(load(x + i) - most);
                sums += e;
                store(y + i, e);
            }
            float sum = 0.f;
            for (int i = 0; i < lanes; ++i) sum += sums[i];
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
