// SPDX-License-Identifier: MIT
// Two kernels of one instruction set, for vectors of 16 floats and of 8, as one: the extents of an Op pick.
// Made for AVX-512 by cpu/sets.hpp and cpu/avx512.hpp.
// Knows the Op and its panels; nothing of vectors.
#pragma once

#include <tarn/cpu/geometry.hpp>

namespace tarn::cpu {

/// Whether an Op's channels do not fill vectors of 16: a panel of 8, or a row that vectors of 8 leave less of. The same
/// for an Op and for its row_form, so that rows give the bits of whole images.
constexpr bool is_narrow(const Op& op) noexcept {
    const int channels = op.out.last();
    if (is_dense(op)) return panel_width(channels / op.groups) == 8;
    if (op.kind == OpKind::up_conv2d || is_recurrent(op)) return panel_width(channels) == 8;
    return channels < 16 || channels % 16 == 8;
}

template <class Wide, class Narrow> struct ByWidth {
    static constexpr const char* name = Wide::name;
    template <Op O> using Of = std::conditional_t<is_narrow(O), Narrow, Wide>;

    template <Op O, Schedule S>
    static void run(const float* in, const float* other, float* out, float* scratch,
                    const typename Geometry<O>::Packed& weights) noexcept TARN_NONBLOCKING {
        Of<O>::template run<O, S>(in, other, out, scratch, weights);
    }
    template <Op R>
    static void row(const RowTaps& taps, const float* other, float* out,
                    const typename Geometry<R>::Packed& weights) noexcept TARN_NONBLOCKING {
        Of<R>::template row<R>(taps, other, out, weights);
    }
    template <Op R> static void pool_begin(float* out) noexcept TARN_NONBLOCKING { Of<R>::template pool_begin<R>(out); }
    template <Op R> static void pool_add(const float* in, float* out) noexcept TARN_NONBLOCKING {
        Of<R>::template pool_add<R>(in, out);
    }
    template <Op R> static void pool_end(float* out, int padded_rows, int rows) noexcept TARN_NONBLOCKING {
        Of<R>::template pool_end<R>(out, padded_rows, rows);
    }
    template <Op O>
    static void recur(const float* x, float* out, float* state, float* scratch,
                      const typename Geometry<O>::Packed& weights) noexcept TARN_NONBLOCKING {
        Of<O>::template recur<O>(x, out, state, scratch, weights);
    }
};

} // namespace tarn::cpu
