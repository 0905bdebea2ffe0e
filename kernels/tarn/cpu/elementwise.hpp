// SPDX-License-Identifier: MIT
// Activations, sums, products, copies, upsampling, unfolded batch norm, and the one permutation.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_ELEMENTWISE) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_ELEMENTWISE)
#undef TARN_READ_ELEMENTWISE
#else
#define TARN_READ_ELEMENTWISE
#endif

#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/image_rows.hpp>
#include <tarn/cpu/math.hpp>

namespace tarn::cpu::TARN_SET {

/// y = act(x), act(x + other) or act(x * other), pixel by pixel where one lies at a pitch, else all as one long pixel.
/// In place, or with the output before the input; upwards.
template <Op O> struct Map : ElementwiseGeometry<O> {
    using typename ElementwiseGeometry<O>::Packed;
    static_assert(!(O.kind == OpKind::mul && O.add), "a product has no sum in its epilogue");
    static constexpr bool by_pixels = has_pitch(O) || O.broadcast;
    static constexpr std::size_t length = by_pixels ? static_cast<std::size_t>(O.out.last()) : O.out.elems();
    static constexpr std::size_t pixels = O.out.elems() / length;
    static constexpr std::size_t in_pitch = static_cast<std::size_t>(in_pitch_of(O));
    static constexpr std::size_t out_pitch = static_cast<std::size_t>(out_pitch_of(O));
    static constexpr std::size_t other_pitch = O.broadcast ? 0 : static_cast<std::size_t>(other_pitch_of(O));

    template <int Count>
    TARN_ALWAYS_INLINE static void some(const float* in, const float* other, float* out, std::size_t i) noexcept {
        Vec y = Count == lanes ? load(in + i) : load_some(in + i, Count);
        if constexpr (reads_other(O)) {
            const Vec second = Count == lanes ? load(other + i) : load_some(other + i, Count);
            if constexpr (O.kind == OpKind::mul)
                y *= second;
            else
                y += second;
        }
        y = activate<O.act>(y, O.act_parameter());
        if constexpr (Count == lanes)
            store(out + i, y);
        else
            store_some(out + i, y, Count);
        static_cast<void>(other);
    }

    template <Schedule>
    static void run(const float* in, const float* other, float* out, float*, const Packed&) noexcept {
        constexpr std::size_t whole = length - length % lanes;
        constexpr int rest = static_cast<int>(length % lanes);
        for (std::size_t p = 0; p < pixels; ++p) {
            for (std::size_t i = 0; i < whole; i += lanes) some<lanes>(in, other, out, i);
            if constexpr (rest > 0) some<rest>(in, other, out, whole);
            in += in_pitch;
            out += out_pitch;
            if constexpr (reads_other(O)) other += other_pitch;
        }
    }
};

/// y[.., c] = act(x[.., c] * scale[c] + shift[c]).
template <Op O> struct Norm : NormGeometry<O> {
    using G = NormGeometry<O>;
    using typename G::Packed;

    template <Schedule> static void run(const float* in, const float*, float* out, float*, const Packed& w) noexcept {
        constexpr int whole = G::channels - G::channels % lanes;
        constexpr int rest = G::channels % lanes;
        for (std::size_t row = 0; row < O.out.rows(); ++row) {
            const float* x = in + row * static_cast<std::size_t>(in_pitch_of(O));
            float* y = out + row * static_cast<std::size_t>(out_pitch_of(O));
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

/// Input [H, W, C], output [H * stride_h, W * stride_w, C], each at its pitch: some channels of a pixel are read, then
/// written to the pixels of a row that it makes, upwards or downwards: see UpsampleGeometry.
template <Op O> struct Upsample : UpsampleGeometry<O> {
    using G = UpsampleGeometry<O>;
    using typename G::Packed;
    static constexpr int vectors = G::channels / lanes;
    static constexpr int rest = G::channels % lanes;

    template <int Count> TARN_ALWAYS_INLINE static void some(const float* in, float* out, int c) noexcept {
        const Vec x = Count == lanes ? load(in + c) : load_some(in + c, Count);
        const Vec y = activate<O.act>(x, O.act_parameter());
        for (int p = 0; p < G::tile; ++p, out += G::out_pitch) {
            if constexpr (Count == lanes)
                store(out + c, y);
            else
                store_some(out + c, y, Count);
        }
    }

    template <bool Descending> static void pixels_of(const float* in, float* out) noexcept {
        for (int i = 0; i < G::in_w; ++i) {
            const int x = Descending ? G::in_w - 1 - i : i;
            const float* const from = in + std::ptrdiff_t{x} * G::in_pitch;
            float* const to = out + std::ptrdiff_t{x} * G::tile * G::out_pitch;
            if constexpr (Descending && rest > 0) some<rest>(from, to, vectors * lanes);
            for (int k = 0; k < vectors; ++k) some<lanes>(from, to, (Descending ? vectors - 1 - k : k) * lanes);
            if constexpr (!Descending && rest > 0) some<rest>(from, to, vectors * lanes);
        }
    }
    static void row(const RowTaps& taps, const float*, float* out, const Packed&) noexcept {
        pixels_of<false>(taps.rows[0], out);
    }

    template <Schedule S> static void run(const float* in, const float*, float* out, float*, const Packed&) noexcept {
        ImageRows<O> image;
        for (int i = 0; i < G::out_h; ++i) {
            const int y = S.descending ? G::out_h - 1 - i : i;
            pixels_of<S.descending>(image.taps(in, y).rows[0], out + std::ptrdiff_t{y} * G::out_w * G::out_pitch);
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
            for (int p = 0; p < pixels; ++p) out[c * pixels + p] = in[p * in_pitch_of(O) + c];
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
