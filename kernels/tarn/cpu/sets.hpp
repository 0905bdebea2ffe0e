// SPDX-License-Identifier: MIT
// Every kernel, compiled once for each instruction set this translation unit carries.
// What the run layer includes; a kernel file is read once per set.
// Knows nothing of plans or files.
#pragma once

// Everything the kernel files use must be read before a region opens, so that nothing else is compiled inside one.
#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/simd.hpp>

#include <cstddef>
#include <utility>

#undef TARN_SET
#define TARN_SET TARN_SET_BASE
#include <tarn/cpu/kernels.hpp>
#undef TARN_SET

#if TARN_CARRIES_AVX2
#define TARN_SET avx2
#define TARN_SET_FLIP
TARN_BEGIN_AVX2
#include <tarn/cpu/kernels.hpp>
TARN_END_AVX2
#undef TARN_SET_FLIP
#undef TARN_SET
#endif

namespace tarn::cpu {
/// Kernels of the translation unit's own set, whatever it is.
using BaseKernels = TARN_SET_BASE::Kernels;
/// The best kernels carried.
#if TARN_CARRIES_AVX2
using BestKernels = avx2::Kernels;
#else
using BestKernels = BaseKernels;
#endif
} // namespace tarn::cpu
