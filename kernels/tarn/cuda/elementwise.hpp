// SPDX-License-Identifier: MIT
// Activations, sums, products, copies, unfolded batch norm, nearest upsampling and the one permutation.
// One output element a thread at a time, neighbours by neighbours. Named as their CPU twins in cpu/elementwise.hpp.
// Knows the Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/geometry.hpp>
#include <tarn/cuda/math.hpp>

namespace tarn::cuda {

/// The same walk for all that make one element from few: thread t of the grid makes elements t, t + n, t + 2 n, ...
template <Op O, int Threads, ExecutionContext C, class F> TARN_DEVICE void for_each_output(const C& c, const F& f) {
    using E = Extent<O>;
    static_assert(C::threads == Threads);
    constexpr long count = static_cast<long>(E::out_pixels) * E::out_c;
    for (long i = thread_in_grid(c); i < count; i += threads_in_grid(c)) {
        const int pixel = static_cast<int>(i / E::out_c), channel = static_cast<int>(i % E::out_c);
        f(pixel, channel);
    }
}
/// Where one element of a tensor lies.
TARN_DEVICE long element(int pixel, int pitch, int channel) { return static_cast<long>(pixel) * pitch + channel; }

/// y = act(x), act(x + other) or act(x * other). In place: on either input's own elements.
template <Op O, int Threads> struct Map : ElementwiseGeometry<O> {
    using G = ElementwiseGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;
    static constexpr bool reads = reads_other(O), multiplies = O.kind == OpKind::mul;
    static_assert(!(multiplies && O.add), "a product has no sum in its epilogue");

    /// in [pixels, C] at in_pitch; other the same at other_pitch, or one pixel; out at out_pitch.
    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float* other, float* out, const Packed&) {
        for_each_output<O, Threads>(c, [&](int pixel, int channel) {
            float y = in[element(pixel, G::in_pitch, channel)];
            if constexpr (reads) {
                const float second = other[element(pixel, G::other_pitch, channel)];
                y = multiplies ? y * second : y + second;
            }
            out[element(pixel, G::out_pitch, channel)] = activate<G::act>(y, G::act_parameter);
        });
    }
};

/// y[.., c] = act(x[.., c] * scale[c] + shift[c]). In place.
template <Op O, int Threads> struct Norm : NormGeometry<O> {
    using G = NormGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float*, float* out, const Packed& w) {
        for_each_output<O, Threads>(c, [&](int pixel, int channel) {
            const float y = in[element(pixel, G::in_pitch, channel)] * w.scale[channel] + w.shift[channel];
            out[element(pixel, G::out_pitch, channel)] = activate<G::act>(y, G::act_parameter);
        });
    }
};

/// in [H, W, C], out [H * stride_h, W * stride_w, C]. Apart.
template <Op O, int Threads> struct Upsample : ElementwiseGeometry<O> {
    using G = ElementwiseGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float*, float* out, const Packed&) {
        for_each_output<O, Threads>(c, [&](int pixel, int channel) {
            const int from = pixel / G::out_w / G::stride_h * G::in_w + pixel % G::out_w / G::stride_w;
            out[element(pixel, G::out_pitch, channel)] =
                activate<G::act>(in[element(from, G::in_pitch, channel)], G::act_parameter);
        });
    }
};

/// [H, W, C] to the order PyTorch flattens, [C, H, W]. Apart.
template <Op O, int Threads> struct Permute : ElementwiseGeometry<O> {
    using G = ElementwiseGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;
    static constexpr int channels = O.in.last(), pixels = static_cast<int>(O.in.rows());

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float*, float* out, const Packed&) {
        for (long i = thread_in_grid(c); i < static_cast<long>(pixels) * channels; i += threads_in_grid(c))
            out[i] = in[element(static_cast<int>(i % pixels), G::in_pitch, static_cast<int>(i / pixels))];
    }
};

} // namespace tarn::cuda
