// SPDX-License-Identifier: MIT
// The kernel of an instruction set for an Op.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows every kernel file; nothing of plans or files.
#if defined(TARN_READ_KERNELS) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_KERNELS)
#undef TARN_READ_KERNELS
#else
#define TARN_READ_KERNELS
#endif

#include <tarn/cpu/conv.hpp>
#include <tarn/cpu/depthwise.hpp>
#include <tarn/cpu/elementwise.hpp>
#include <tarn/cpu/pool.hpp>
#include <tarn/cpu/recurrent.hpp>
#include <tarn/cpu/rowwise.hpp>
#include <tarn/cpu/winograd.hpp>

namespace tarn::cpu::TARN_SET {

template <Op O> constexpr auto kernel_for() noexcept {
    if constexpr (is_depthwise(O))
        return Depthwise<O>{};
    else if constexpr (is_winograd(O))
        return Winograd<O>{};
    else if constexpr (is_dense(O))
        return Conv<O>{};
    else if constexpr (O.kind == OpKind::max_pool2d || O.kind == OpKind::avg_pool2d)
        return Pool<O>{};
    else if constexpr (O.kind == OpKind::up_conv2d)
        return UpConv<O>{};
    else if constexpr (O.kind == OpKind::upsample)
        return Upsample<O>{};
    else if constexpr (is_recurrent(O))
        return Recurrent<O>{};
    else if constexpr (O.kind == OpKind::batch_norm)
        return Norm<O>{};
    else if constexpr (O.kind == OpKind::flatten_pytorch)
        return Permute<O>{};
    else if constexpr (O.kind == OpKind::softmax)
        return Softmax<O>{};
    else if constexpr (O.kind == OpKind::layer_norm)
        return LayerNorm<O>{};
    else
        return Map<O>{};
}

/// The set as a type, for templates over sets.
struct Kernels {
    static constexpr const char* name = set_name;

    /// Runs an Op. in, other: its inputs; out: its output, overlapping them as far as the Footprint allows under S;
    /// scratch: Footprint::scratch_elems when staged, ::direct_scratch when not.
    template <Op O, Schedule S>
    static void run(const float* in, const float* other, float* out, float* scratch,
                    const typename Geometry<O>::Packed& weights) noexcept TARN_NONBLOCKING {
        TARN_FORGET_ORIGIN(out);
        decltype(kernel_for<O>())::template run<S>(in, other, out, scratch, weights);
    }

    /// Computes one output row of an Op, R being its row_form: the bits that `run` would put there. other: that row of
    /// the second input (the one pixel where it is broadcast). The output row overlaps no row it is made from, except
    /// that of an elementwise kind, a norm or a softmax, which may be its input row.
    template <Op R>
    static void row(const RowTaps& taps, const float* other, float* out,
                    const typename Geometry<R>::Packed& weights) noexcept TARN_NONBLOCKING {
        static_assert(R == row_form(R) && R.kind != OpKind::flatten_pytorch && !is_recurrent(R) && !is_winograd(R));
        using Kernel = decltype(kernel_for<R>());
        TARN_FORGET_ORIGIN(out);
        if constexpr (is_windowed(R.kind) || is_dense(R) || is_enlarging(R.kind))
            Kernel::row(taps, other, out, weights);
        else
            Kernel::template run<Schedule{}>(taps.rows[0], other, out, nullptr, weights);
    }

    /// One row of tiles of a convolution by tiles, R being its row_form: `rows` output rows from R.winograd + 2 input
    /// rows, null where they lie outside the image; the bits that `run` would put there. other: those rows of the
    /// second input, which may be the output's. scratch: band_scratch(R) elements.
    template <Op R>
    static void band(const float* const* in, const float* const* other, float* const* out, int rows, float* scratch,
                     const typename Geometry<R>::Packed& weights) noexcept TARN_NONBLOCKING {
        static_assert(R == row_form(R) && is_winograd(R));
        Winograd<R>::rows(in, other, out, rows, scratch, weights);
    }

    /// One output row of a pool that `accumulates`, from its input rows one after another: begin, add each of them, end
    /// with how many there were, with padding and without. The row holds what they have come to; R: the Op's row_form.
    template <Op R> static void pool_begin(float* out) noexcept TARN_NONBLOCKING { Pool<R>::Row::begin(out); }
    template <Op R> static void pool_add(const float* in, float* out) noexcept TARN_NONBLOCKING {
        TARN_FORGET_ORIGIN(out);
        Pool<R>::Row::add(in, out);
    }
    template <Op R> static void pool_end(float* out, int padded_rows, int rows) noexcept TARN_NONBLOCKING {
        Pool<R>::Row::end(out, padded_rows, rows);
    }

    /// One step of a GRU or LSTM: x [I] and state to out [H] and the next state. state: Geometry<O>::state_elems, zeros
    /// at the start; scratch: ::row_scratch_elems. out may be x.
    template <Op O>
    static void recur(const float* x, float* out, float* state, float* scratch,
                      const typename Geometry<O>::Packed& weights) noexcept TARN_NONBLOCKING {
        TARN_FORGET_ORIGIN(out);
        Recurrent<O>::step(x, out, state, scratch, weights);
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
