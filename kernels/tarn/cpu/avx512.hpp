// SPDX-License-Identifier: MIT
// AVX-512 beside the sets that every translation unit carries, for those who ask: Cpu<cpu::ChooseAvx512>.
// Opt-in: a third set is a third more to compile for every network that names it.
// Knows kernels; nothing of plans or files.
#pragma once

#include <tarn/cpu/cpu.hpp>

#if TARN_CARRIES_AVX512
// Guards of kernel files flip with every reading, of which there were one or two before.
TARN_BEGIN_TARGET(TARN_TARGET_AVX512)
#define TARN_SET avx512
#if !TARN_CARRIES_AVX2
#define TARN_SET_FLIP
#endif
#include <tarn/cpu/kernels.hpp>
#undef TARN_SET
#undef TARN_SET_FLIP
#define TARN_SET avx512_narrow
#if TARN_CARRIES_AVX2
#define TARN_SET_FLIP
#endif
#include <tarn/cpu/kernels.hpp>
#undef TARN_SET
#undef TARN_SET_FLIP
TARN_END_TARGET
#endif

namespace tarn::cpu {

#if TARN_CARRIES_AVX512
using Avx512Kernels = ByWidth<avx512::Kernels, avx512_narrow::Kernels>;
template <> inline constexpr Level level_of<Avx512Kernels> = Level::avx512;
#else
using Avx512Kernels = BaseKernels;
#endif

namespace TARN_SET_BASE {
/// The best set the processor has, AVX-512 among them. The same as Choose off x86.
struct ChooseAvx512 : Ranked<Avx512Kernels, BestKernels, BaseKernels> {};
/// AVX-512, unchecked: for processors known to have it. The same as Baseline off x86.
struct Avx512 : Ranked<Avx512Kernels> {};
} // namespace TARN_SET_BASE

using ChooseAvx512 = TARN_SET_BASE::ChooseAvx512;
using Avx512 = TARN_SET_BASE::Avx512;

} // namespace tarn::cpu
