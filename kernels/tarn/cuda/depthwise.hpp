// SPDX-License-Identifier: MIT
// Depthwise convolution: one output element a thread, channels by neighbours, so that reads of a warp lie together.
// Named as its CPU twin. Weights [KH][KW][C] stay in the first-level cache.
// Knows the Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/elementwise.hpp>

namespace tarn::cuda {

/// in [H, W, C], out [H', W', C]; y = act(sum + other). Apart, or as Outputs say.
template <Op O, int Threads, int Blocks = 0> struct Depthwise : DepthwiseGeometry<O>, Outputs<O, Threads, Blocks> {
    using G = DepthwiseGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float* other, float* out, const Packed& w) {
        Outputs<O, Threads, Blocks>::make(c, out, [&](int pixel, int channel) {
            const int y0 = pixel / G::out_w * G::stride_h - G::pad_top;
            const int x0 = pixel % G::out_w * G::stride_w - G::pad_left;
            float sum = w.bias[channel];
            TARN_DEVICE_UNROLL
            for (int ky = 0; ky < G::kernel_h; ++ky) {
                const int y = y0 + ky * G::dilation_h;
                if (y < 0 || y >= G::in_h) continue;
                TARN_DEVICE_UNROLL
                for (int kx = 0; kx < G::kernel_w; ++kx) {
                    const int x = x0 + kx * G::dilation_w;
                    if (x < 0 || x >= G::in_w) continue;
                    sum += in[element(y * G::in_w + x, G::in_pitch, channel)] * w.weight[ky][kx][channel];
                }
            }
            if constexpr (G::adds) sum += other[element(pixel, G::other_pitch, channel)];
            return sum;
        });
    }
};

} // namespace tarn::cuda
