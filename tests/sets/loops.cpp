// SPDX-License-Identifier: MIT
// Kernels whose inner loops loops.py judges, for every instruction set but the baseline: compiled, never run.
// Long inputs, so that no compiler unrolls a loop away.
// Knows kernels; nothing of plans.
#include "kernels/some_ops.hpp"

#include <tarn/cpu/avx512.hpp>

using namespace tarn;
using namespace tarn_test;

/// Where their addresses go, so that all are compiled.
extern const void* volatile judged;

template <class Kernels, Op O> void use() {
    judged = reinterpret_cast<const void*>(&Kernels::template run<O, Schedule{}>);
}
template <class Kernels> void use_all() {
    use<Kernels, conv_op(extents_of(28, 28, 64), 64, window_of(1))>();
    use<Kernels, conv_op(extents_of(14, 14, 64), 64, window_of(3, 1, 1))>();
    use<Kernels, conv_op(extents_of(28, 28, 64), 24, window_of(3, 2, 1))>();
    use<Kernels, conv_op(extents_of(28, 28, 64), 8, window_of(1))>();
    use<Kernels, fused(conv_op(extents_of(7, 7, 96), 32, window_of(1)), true, Activation::relu6)>();
    use<Kernels, winograd_op(4, extents_of(28, 28, 64), 64)>();
    use<Kernels, winograd_op(2, extents_of(14, 14, 96), 96)>();
    use<Kernels, pixel_op(OpKind::linear, extents_of(256), 160)>();
    use<Kernels, pixel_op(OpKind::linear, extents_of(64, 300), 70)>();
    use<Kernels, depthwise_op(extents_of(28, 28, 64), window_of(3, 1, 1))>();
    use<Kernels, depthwise_op(extents_of(28, 28, 64), window_of(5, 2, 2))>();
    use<Kernels, pixel_op(OpKind::gru, extents_of(9, 40), 32)>();
    use<Kernels, pixel_op(OpKind::lstm, extents_of(9, 40), 32)>();
}
void use_sets() {
    use_all<cpu::BestKernels>();
    use_all<cpu::Avx512Kernels>();
}
