// SPDX-License-Identifier: MIT
// Softmax and layer norm over the last axis: a warp a row, sums and maxima by shuffles, no barrier and no shared
// memory. Named as their CPU twins. A lane writes only elements that it alone has read, so both run in place. Knows the
// Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/elementwise.hpp>

namespace tarn::cuda {

/// The sum, or the largest, of a value over a warp's lanes, in all of them.
template <ExecutionContext C> TARN_DEVICE float warp_sum(const C& c, float value) {
    TARN_DEVICE_UNROLL
    for (int mask = warp_threads / 2; mask > 0; mask /= 2) value += c.shuffle_xor(value, mask);
    return value;
}
template <ExecutionContext C> TARN_DEVICE float warp_largest(const C& c, float value) {
    TARN_DEVICE_UNROLL
    for (int mask = warp_threads / 2; mask > 0; mask /= 2) {
        const float other = c.shuffle_xor(value, mask);
        value = value > other ? value : other;
    }
    return value;
}

/// Rows by warps: f(row) for each of a warp's own, the same for all its lanes.
template <int Rows, ExecutionContext C, class F> TARN_DEVICE void for_each_row(const C& c, const F& f) {
    constexpr int warps = C::threads / warp_threads;
    for (int row = c.block() * warps + c.thread() / warp_threads; row < Rows; row += c.blocks() * warps) f(row);
}

/// y = act(exp(x - max) / sum). in [rows, F] at in_pitch, out at out_pitch. In place.
template <Op O, int Threads> struct Softmax : ElementwiseGeometry<O> {
    using G = ElementwiseGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;
    static constexpr int features = O.in.last(), rows = static_cast<int>(O.in.rows());

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float*, float* out, const Packed&) {
        const int lane = c.thread() % warp_threads;
        for_each_row<rows>(c, [&](int row) {
            const float* const x = in + element(row, G::in_pitch, 0);
            float* const y = out + element(row, G::out_pitch, 0);
            float most = -__builtin_inff(), sum = 0.F;
            for (int i = lane; i < features; i += warp_threads) most = most > x[i] ? most : x[i];
            most = warp_largest(c, most);
            for (int i = lane; i < features; i += warp_threads) {
                const float e = ::expf(x[i] - most);
                y[i] = e;
                sum += e;
            }
            const float scale = 1.F / warp_sum(c, sum);
            for (int i = lane; i < features; i += warp_threads) y[i] = activate<G::act>(y[i] * scale, G::act_parameter);
        });
    }
};

/// y = act((x - mean) / sqrt(variance + eps) * scale + shift). in [rows, C] at in_pitch, out at out_pitch. In place.
template <Op O, int Threads> struct LayerNorm : LayerNormGeometry<O> {
    using G = LayerNormGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;
    static constexpr int features = O.in.last(), rows = static_cast<int>(O.in.rows());

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float*, float* out, const Packed& w) {
        const int lane = c.thread() % warp_threads;
        for_each_row<rows>(c, [&](int row) {
            const float* const x = in + element(row, G::in_pitch, 0);
            float* const y = out + element(row, G::out_pitch, 0);
            // Two passes, the second of which also sees what rounding took from the mean: on rows that lie far from
            // zero, the difference of squares would lose all digits, and a rounded mean some.
            constexpr float count = static_cast<float>(features);
            float sum = 0.F, rest = 0.F, squares = 0.F;
            for (int i = lane; i < features; i += warp_threads) sum += x[i];
            const float mean = warp_sum(c, sum) / count;
            for (int i = lane; i < features; i += warp_threads) {
                rest += x[i] - mean;
                squares += (x[i] - mean) * (x[i] - mean);
            }
            rest = warp_sum(c, rest) / count;
            const float scale = 1.F / ::sqrtf(warp_sum(c, squares) / count - rest * rest + G::eps);
            for (int i = lane; i < features; i += warp_threads) {
                float value = (x[i] - mean - rest) * scale;
                if constexpr (G::affine) value = value * w.scale[i] + w.shift[i];
                y[i] = activate<G::act>(value, G::act_parameter);
            }
        });
    }
};

} // namespace tarn::cuda
