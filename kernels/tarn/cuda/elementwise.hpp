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

/// The outputs of an Op whose elements are made one by one. Blocks 0: each is written at once, so out lies apart from
/// what others still read. Else a thread keeps all of its own in registers until the whole grid, of at least Blocks
/// blocks, has read its inputs: out may lie anywhere on them.
template <Op O, int Threads, int Blocks> struct Outputs {
    using E = Extent<O>;
    static constexpr int held = Blocks > 0 ? ceil_div(E::out_pixels* E::out_c, larger(Blocks, 1) * Threads) : 1;
    static constexpr bool fits = held <= 64; ///< as many as leave a thread registers for work

    /// value(pixel, channel): before its activation.
    template <ExecutionContext C, class F> TARN_DEVICE static void make(const C& c, float* out, const F& value) {
        if constexpr (Blocks == 0) {
            for_each_output<O, Threads>(c, [&](int pixel, int channel) {
                out[element(pixel, E::out_pitch, channel)] = activate<E::act>(value(pixel, channel), E::act_parameter);
            });
        } else {
            static_assert(fits, "more outputs than the grid's registers hold");
            constexpr long count = static_cast<long>(E::out_pixels) * E::out_c;
            float made[held] = {};
            TARN_DEVICE_UNROLL
            for (int i = 0; i < held; ++i) {
                const long at = thread_in_grid(c) + i * threads_in_grid(c);
                if (at < count) made[i] = value(static_cast<int>(at / E::out_c), static_cast<int>(at % E::out_c));
            }
            c.grid_barrier();
            TARN_DEVICE_UNROLL
            for (int i = 0; i < held; ++i) {
                const long at = thread_in_grid(c) + i * threads_in_grid(c);
                if (at >= count) continue;
                out[element(static_cast<int>(at / E::out_c), E::out_pitch, static_cast<int>(at % E::out_c))] =
                    activate<E::act>(made[i], E::act_parameter);
            }
        }
    }
};

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

/// in [H, W, C], out [H * stride_h, W * stride_w, C]. Apart, or as Outputs say.
template <Op O, int Threads, int Blocks = 0> struct Upsample : ElementwiseGeometry<O>, Outputs<O, Threads, Blocks> {
    using G = ElementwiseGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float*, float* out, const Packed&) {
        Outputs<O, Threads, Blocks>::make(c, out, [&](int pixel, int channel) {
            const int from = pixel / G::out_w / G::stride_h * G::in_w + pixel % G::out_w / G::stride_w;
            return in[element(from, G::in_pitch, channel)];
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
