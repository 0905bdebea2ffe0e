// SPDX-License-Identifier: MIT
// Max and average pooling: one output element a thread; a pool over a whole image by blocks, a strip of channels each.
// Named as its CPU twin.
// Knows the Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/elementwise.hpp>

namespace tarn::cuda {

/// in [H, W, C], out [H', W', C], averages as PyTorch's. Apart, or, by windows, as Outputs say.
template <Op O, int Threads, int Blocks = 0> struct Pool : PoolGeometry<O>, Outputs<O, Threads, Blocks> {
    using G = PoolGeometry<O>;
    using typename G::Packed;
    static constexpr bool is_max = O.kind == OpKind::max_pool2d, count_pad = O.count_include_pad;
    /// One window that is the image: there are too few outputs to keep a GPU busy with one thread each.
    static constexpr bool whole_image = G::out_pixels == 1 && G::pad_top == 0 && G::pad_left == 0 &&
                                        G::kernel_h == G::in_h && G::kernel_w == G::in_w &&
                                        G::in_pixels >= Threads / warp_threads;
    static constexpr bool fits = !whole_image && Outputs<O, Threads, Blocks>::fits;
    static constexpr bool settles = whole_image; ///< its last act is a barrier of the block
    static constexpr int warps = Threads / warp_threads;
    static constexpr std::size_t shared_bytes = whole_image ? Threads * sizeof(float) : 0;

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float*, float* out, const Packed&) {
        if constexpr (whole_image)
            run_whole(c, in, out);
        else
            run_windows(c, in, out);
    }

  private:
    TARN_DEVICE static float take(float taken, float value) {
        if constexpr (is_max)
            return taken != taken || taken > value ? taken : value; // a NaN stays
        else
            return taken + value;
    }
    static constexpr float nothing = is_max ? -__builtin_inff() : 0.F;

    template <ExecutionContext C> TARN_DEVICE static void run_windows(const C& c, const float* in, float* out) {
        Outputs<O, Threads, Blocks>::make(c, out, [&](int pixel, int channel) {
            const int y0 = pixel / G::out_w * G::stride_h - G::pad_top;
            const int x0 = pixel % G::out_w * G::stride_w - G::pad_left;
            const int y_begin = y0 > 0 ? y0 : 0, x_begin = x0 > 0 ? x0 : 0;
            const int y_end = y0 + G::kernel_h < G::in_h ? y0 + G::kernel_h : G::in_h;
            const int x_end = x0 + G::kernel_w < G::in_w ? x0 + G::kernel_w : G::in_w;
            float taken = nothing;
            for (int y = y_begin; y < y_end; ++y)
                for (int x = x_begin; x < x_end; ++x)
                    taken = take(taken, in[element(y * G::in_w + x, G::in_pitch, channel)]);
            if constexpr (!is_max) {
                // A window that reaches beyond the padding, as ceil_mode's may, counts up to its end.
                constexpr int h = G::in_h + G::pad_bottom, w = G::in_w + G::pad_right;
                const int rows = (y0 + G::kernel_h < h ? y0 + G::kernel_h : h) - y0;
                const int columns = (x0 + G::kernel_w < w ? x0 + G::kernel_w : w) - x0;
                taken /= static_cast<float>(count_pad ? rows * columns : (y_end - y_begin) * (x_end - x_begin));
            }
            return taken;
        });
    }

    /// A block takes a warp's width of channels; its warps share the pixels.
    template <ExecutionContext C> TARN_DEVICE static void run_whole(const C& c, const float* in, float* out) {
        float* const parts = c.template shared<float>();
        const int lane = c.thread() % warp_threads, warp = c.thread() / warp_threads;
        for (int strip = c.block(); strip * warp_threads < G::out_c; strip += c.blocks()) {
            const int channel = strip * warp_threads + lane;
            float taken = nothing;
            if (channel < G::out_c)
                for (int pixel = warp; pixel < G::in_pixels; pixel += warps)
                    taken = take(taken, in[element(pixel, G::in_pitch, channel)]);
            parts[c.thread()] = taken;
            c.block_barrier();
            if (warp == 0 && channel < G::out_c) {
                for (int other = 1; other < warps; ++other) taken = take(taken, parts[other * warp_threads + lane]);
                if constexpr (!is_max) taken /= static_cast<float>(G::in_pixels);
                out[channel] = activate<G::act>(taken, G::act_parameter);
            }
            c.block_barrier(); // the next strip's parts go where these were
        }
    }
};

} // namespace tarn::cuda
