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
#include <tarn/cpu/rowwise.hpp>

namespace tarn::cpu::TARN_SET {

template <Op O> constexpr auto kernel_for() noexcept {
    if constexpr (is_depthwise(O))
        return Depthwise<O>{};
    else if constexpr (is_dense(O))
        return Conv<O>{};
    else if constexpr (O.kind == OpKind::max_pool2d || O.kind == OpKind::avg_pool2d)
        return Pool<O>{};
    else if constexpr (O.kind == OpKind::batch_norm)
        return Norm<O>{};
    else if constexpr (O.kind == OpKind::flatten_pytorch)
        return Permute<O>{};
    else if constexpr (O.kind == OpKind::softmax)
        return Softmax<O>{};
    else
        return Map<O>{};
}

/// The set as a type, for templates over sets.
struct Kernels {
    static constexpr const char* name = set_name;

    /// Runs an Op. in, other: its inputs; out: its output, overlapping them as far as the Footprint allows under S;
    /// scratch: Footprint::scratch_elems when staged.
    template <Op O, Schedule S>
    static void run(const float* in, const float* other, float* out, float* scratch,
                    const typename Geometry<O>::Packed& weights) noexcept TARN_NONBLOCKING {
        decltype(kernel_for<O>())::template run<S>(in, other, out, scratch, weights);
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
