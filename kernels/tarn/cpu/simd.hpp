// SPDX-License-Identifier: MIT
// The instruction sets: a vector of floats for each, and the regions in which code for it is compiled.
// Lowest of the CPU kernels; with core/config.hpp the only place where the compiler's target is looked at.
// Knows nothing of layers.
#pragma once

#include <tarn/core/config.hpp>

#include <cstddef>

#if !defined(__GNUC__) && !defined(__clang__)
#error "tarn's CPU kernels need the vector extensions of g++ or clang"
#endif

// A translation unit compiled for plain x86-64 carries two sets, its own (`base`) and AVX2 with FMA, and a processor
// check at construction picks one. One that is compiled for more carries that alone, under another name, so that no
// two translation units ever disagree about a function.
#if (defined(__x86_64__) || defined(__i386__)) && !(defined(__AVX2__) && defined(__FMA__)) && !defined(__CUDACC__)
#define TARN_CARRIES_AVX2 1
#else
#define TARN_CARRIES_AVX2 0
#endif

#if defined(__AVX2__) && defined(__FMA__) && !defined(__CUDACC__)
#define TARN_SET_BASE base_avx2
#define TARN_SET_BASE_NAME "avx2+fma (by compiler flags)"
#elif defined(__aarch64__) || defined(__ARM_NEON)
#define TARN_SET_BASE base_neon
#define TARN_SET_BASE_NAME "neon"
#elif defined(__x86_64__)
#define TARN_SET_BASE base_x86_64
#define TARN_SET_BASE_NAME "baseline x86-64"
#else
#define TARN_SET_BASE base_generic
#define TARN_SET_BASE_NAME "generic"
#endif

#if defined(__clang__)
#define TARN_BEGIN_AVX2 _Pragma("clang attribute push(__attribute__((target(\"avx2,fma\"))), apply_to = function)")
#define TARN_END_AVX2 _Pragma("clang attribute pop")
#else
#define TARN_BEGIN_AVX2 _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma\")")
#define TARN_END_AVX2 _Pragma("GCC pop_options")
#endif

namespace tarn::cpu {

/// Subnormal floats as zeros while one of these lives; the caller's mode comes back at its end. Silence after sound
/// otherwise makes a network tens of times slower.
class FlushSubnormals {
  public:
#if defined(__SSE__) && !defined(__CUDACC__)
    FlushSubnormals() noexcept : saved_(__builtin_ia32_stmxcsr()) {
        __builtin_ia32_ldmxcsr(saved_ | 0x8040U); // flush to zero, denormals are zero
    }
    ~FlushSubnormals() { __builtin_ia32_ldmxcsr(saved_); }

  private:
    unsigned saved_;
#elif defined(__aarch64__) && !defined(__CUDACC__)
    FlushSubnormals() noexcept {
        __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
        __asm__ volatile("msr fpcr, %0" : : "r"(saved_ | (1UL << 24)));
    }
    ~FlushSubnormals() { __asm__ volatile("msr fpcr, %0" : : "r"(saved_)); }

  private:
    unsigned long saved_;
#else
    FlushSubnormals() noexcept {}
    ~FlushSubnormals() {}
#endif
    FlushSubnormals(const FlushSubnormals&) = delete;
    FlushSubnormals& operator=(const FlushSubnormals&) = delete;
};

// ---- the set of the translation unit itself ---------------------------------------------------------------------
namespace TARN_SET_BASE {
/// Whether this processor and its operating system run AVX2 and FMA code. Reads the processor's identity; no lock.
inline bool has_avx2() noexcept {
#if TARN_CARRIES_AVX2
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

#if defined(__AVX2__) && defined(__FMA__) && !defined(__CUDACC__)
inline constexpr int lanes = 8;
inline constexpr int registers = 16;
#elif defined(__aarch64__)
inline constexpr int lanes = 4;
inline constexpr int registers = 32;
#else
inline constexpr int lanes = 4;
inline constexpr int registers = 16;
#endif
using Vec = float __attribute__((vector_size(lanes * 4)));
using IntVec = int __attribute__((vector_size(lanes * 4)));
inline constexpr const char* set_name = TARN_SET_BASE_NAME;

/// By name where there is one: what a compiler contracts by itself differs from place to place without optimisation,
/// and rows must give the bits of whole images.
TARN_ALWAYS_INLINE Vec fma(Vec a, Vec b, Vec c) noexcept {
#if defined(__AVX2__) && defined(__FMA__) && !defined(__CUDACC__)
    return __builtin_ia32_vfmaddps256(a, b, c);
#elif defined(__clang__)
#pragma clang fp contract(fast)
    return a * b + c;
#else
    return a * b + c;
#endif
}
/// The larger; the second when they do not compare, as maxps.
TARN_ALWAYS_INLINE Vec max(Vec a, Vec b) noexcept {
#if defined(__AVX2__) && !defined(__clang__) && !defined(__CUDACC__)
    return __builtin_ia32_maxps256(a, b);
#elif defined(__SSE__) && !defined(__clang__) && !defined(__CUDACC__)
    return __builtin_ia32_maxps(a, b);
#else
    return a > b ? a : b;
#endif
}
TARN_ALWAYS_INLINE Vec min(Vec a, Vec b) noexcept {
#if defined(__AVX2__) && !defined(__clang__) && !defined(__CUDACC__)
    return __builtin_ia32_minps256(a, b);
#elif defined(__SSE__) && !defined(__clang__) && !defined(__CUDACC__)
    return __builtin_ia32_minps(a, b);
#else
    return a < b ? a : b;
#endif
}
} // namespace TARN_SET_BASE

// ---- AVX2 with FMA beside it ------------------------------------------------------------------------------------
#if TARN_CARRIES_AVX2
TARN_BEGIN_AVX2
namespace avx2 {
inline constexpr int lanes = 8;
inline constexpr int registers = 16;
using Vec = float __attribute__((vector_size(32)));
using IntVec = int __attribute__((vector_size(32)));
inline constexpr const char* set_name = "avx2+fma";

TARN_ALWAYS_INLINE Vec fma(Vec a, Vec b, Vec c) noexcept { return __builtin_ia32_vfmaddps256(a, b, c); }
TARN_ALWAYS_INLINE Vec max(Vec a, Vec b) noexcept {
#if defined(__clang__)
    return a > b ? a : b;
#else
    return __builtin_ia32_maxps256(a, b);
#endif
}
TARN_ALWAYS_INLINE Vec min(Vec a, Vec b) noexcept {
#if defined(__clang__)
    return a < b ? a : b;
#else
    return __builtin_ia32_minps256(a, b);
#endif
}
} // namespace avx2
TARN_END_AVX2
#endif

} // namespace tarn::cpu

// A kernel file read on its own compiles for the translation unit's set; cpu/sets.hpp reads it once for every set.
#ifndef TARN_SET
#define TARN_SET TARN_SET_BASE
#endif
