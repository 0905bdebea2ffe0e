// SPDX-License-Identifier: MIT
// Activations, sums, unfolded batch norm, and the one permutation.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_ELEMENTWISE) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_ELEMENTWISE)
#undef TARN_READ_ELEMENTWISE
#else
#define TARN_READ_ELEMENTWISE
#endif

#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/math.hpp>

namespace tarn::cpu::TARN_SET {

/// y = act(x), or act(x + other). In place, or with the output before the input; upwards.
template <Op O> struct Map : ElementwiseGeometry<O> {
    using typename ElementwiseGeometry<O>::Packed;

    template <Schedule>
    static void run(const float* in, const float* other, float* out, float*, const Packed&) noexcept {
        constexpr std::size_t count = O.out.elems();
        constexpr std::size_t whole = count - count % lanes;
        constexpr int rest = static_cast<int>(count % lanes);
        for (std::size_t i = 0; i < whole; i += lanes) {
            Vec y = load(in + i);
            if constexpr (O.add) y += load(other + i);
            store(out + i, activate<O.act>(y, O.act_parameter()));
        }
        if constexpr (rest > 0) {
            Vec y = load_some(in + whole, rest);
            if constexpr (O.add) y += load_some(other + whole, rest);
            store_some(out + whole, activate<O.act>(y, O.act_parameter()), rest);
        }
        static_cast<void>(other);
    }
};

/// y[.., c] = act(x[.., c] * scale[c] + shift[c] + other).
template <Op O> struct Norm : NormGeometry<O> {
    using G = NormGeometry<O>;
    using typename G::Packed;

    template <Schedule> static void run(const float* in, const float*, float* out, float*, const Packed& w) noexcept {
        constexpr int whole = G::channels - G::channels % lanes;
        constexpr int rest = G::channels % lanes;
        for (std::size_t row = 0; row < O.out.rows(); ++row) {
            const float* x = in + row * G::channels;
            float* y = out + row * G::channels;
            for (int c = 0; c < whole; c += lanes)
                store(y + c,
                      activate<O.act>(fma(load(x + c), load(w.scale + c), load(w.shift + c)), O.act_parameter()));
            if constexpr (rest > 0)
                store_some(y + whole,
                           activate<O.act>(fma(load_some(x + whole, rest), load_some(w.scale + whole, rest),
                                               load_some(w.shift + whole, rest)),
                                           O.act_parameter()),
                           rest);
        }
    }
};

/// [H, W, C] in memory to the order PyTorch flattens, [C, H, W]. Separate buffers.
template <Op O> struct Permute : PermuteGeometry<O> {
    using typename PermuteGeometry<O>::Packed;

    template <Schedule> static void run(const float* in, const float*, float* out, float*, const Packed&) noexcept {
        constexpr int channels = O.in.last();
        constexpr int pixels = static_cast<int>(O.in.rows());
        for (int c = 0; c < channels; ++c)
            for (int p = 0; p < pixels; ++p) out[c * pixels + p] = in[p * channels + c];
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
