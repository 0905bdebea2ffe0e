// SPDX-License-Identifier: MIT
// Every kernel, compiled once for each instruction set this translation unit carries.
// What the run layer includes; a kernel file is read once per set. cpu/avx512.hpp adds AVX-512.
// Knows nothing of plans or files.
#pragma once

// Everything the kernel files use must be read before a region opens, so that nothing else is compiled inside one.
#include <tarn/cpu/by_width.hpp>
#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/simd.hpp>

#include <bit>
#include <cstddef>
#include <utility>

#undef TARN_SET
#define TARN_SET TARN_SET_BASE
#include <tarn/cpu/kernels.hpp>
#undef TARN_SET

#if TARN_BASE_HAS_AVX512
#define TARN_SET TARN_SET_BASE_NARROW
#define TARN_SET_FLIP
#include <tarn/cpu/kernels.hpp>
#undef TARN_SET_FLIP
#undef TARN_SET
#endif

#if TARN_CARRIES_AVX2
#define TARN_SET avx2
#define TARN_SET_FLIP
TARN_BEGIN_TARGET(TARN_TARGET_AVX2)
#include <tarn/cpu/kernels.hpp>
TARN_END_TARGET
#undef TARN_SET_FLIP
#undef TARN_SET
#endif

namespace tarn::cpu {
/// Kernels of the translation unit's own set, whatever it is.
#if TARN_BASE_HAS_AVX512
using BaseKernels = ByWidth<TARN_SET_BASE::Kernels, TARN_SET_BASE_NARROW::Kernels>;
#else
using BaseKernels = TARN_SET_BASE::Kernels;
#endif
/// The best kernels carried by every translation unit that is compiled like this one.
#if TARN_CARRIES_AVX2
using BestKernels = avx2::Kernels;
#else
using BestKernels = BaseKernels;
#endif
} // namespace tarn::cpu
