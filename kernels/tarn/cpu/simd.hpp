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
// check at construction picks one; cpu/avx512.hpp adds a third. One that is compiled for more carries that as its own
// under another name, so that no two translation units ever disagree about a function.
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__CUDACC__)
#define TARN_X86 1
#else
#define TARN_X86 0
#endif
#if TARN_X86 && defined(__AVX2__) && defined(__FMA__)
#define TARN_BASE_HAS_AVX2 1
#else
#define TARN_BASE_HAS_AVX2 0
#endif
#if TARN_BASE_HAS_AVX2 && defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) &&                    \
    defined(__AVX512BW__)
#define TARN_BASE_HAS_AVX512 1
#else
#define TARN_BASE_HAS_AVX512 0
#endif
#define TARN_CARRIES_AVX2 (TARN_X86 && !TARN_BASE_HAS_AVX2)
#define TARN_CARRIES_AVX512 (TARN_X86 && !TARN_BASE_HAS_AVX512)

#if TARN_BASE_HAS_AVX512
#define TARN_SET_BASE base_avx512
#define TARN_SET_BASE_NARROW base_avx512_narrow
#define TARN_SET_BASE_NAME "avx512 (by compiler flags)"
#elif TARN_BASE_HAS_AVX2
#define TARN_SET_BASE base_avx2
#define TARN_SET_BASE_NAME "avx2+fma (by compiler flags)"
#elif defined(__aarch64__)
#define TARN_SET_BASE base_neon
#define TARN_SET_BASE_NAME "neon"
#elif defined(__wasm_simd128__)
#define TARN_SET_BASE base_wasm
#define TARN_SET_BASE_NAME "wasm simd"
#elif defined(__x86_64__) && defined(__AVX__)
#define TARN_SET_BASE base_avx
#define TARN_SET_BASE_NAME "avx (by compiler flags)"
#elif defined(__x86_64__) && defined(__SSE4_1__)
#define TARN_SET_BASE base_sse4
#define TARN_SET_BASE_NAME "sse4 (by compiler flags)"
#elif defined(__x86_64__)
#define TARN_SET_BASE base_x86_64
#define TARN_SET_BASE_NAME "baseline x86-64"
#else
#define TARN_SET_BASE base_generic
#define TARN_SET_BASE_NAME "generic"
#endif

#define TARN_TARGET_AVX2 "avx2,fma"
#define TARN_TARGET_AVX512 "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"
#define TARN_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TARN_BEGIN_TARGET(names) TARN_PRAGMA(clang attribute push(__attribute__((target(names))), apply_to = function))
#define TARN_END_TARGET _Pragma("clang attribute pop")
#else
#define TARN_BEGIN_TARGET(names) _Pragma("GCC push_options") TARN_PRAGMA(GCC target(names))
#define TARN_END_TARGET _Pragma("GCC pop_options")
#endif

// Multiply-add, larger and smaller of one vector, spelled for each width. The multiply-add is called by name where
// there is one: what a compiler contracts by itself depends on its flags and, without optimisation, on the place, and
// rows must give the bits of whole images. Larger and smaller: the second where the two do not compare, as maxps.
#if defined(__clang__)
#define TARN_MAX_512(a, b) (a > b ? a : b)
#define TARN_MIN_512(a, b) (a < b ? a : b)
#define TARN_MAX_256(a, b) (a > b ? a : b)
#define TARN_MIN_256(a, b) (a < b ? a : b)
#else
#define TARN_MAX_512(a, b) __builtin_ia32_maxps512_mask(a, b, a, static_cast<unsigned short>(-1), 4)
#define TARN_MIN_512(a, b) __builtin_ia32_minps512_mask(a, b, a, static_cast<unsigned short>(-1), 4)
#define TARN_MAX_256(a, b) __builtin_ia32_maxps256(a, b)
#define TARN_MIN_256(a, b) __builtin_ia32_minps256(a, b)
#endif
#if defined(__clang__) && defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_fma)
#define TARN_FMA(a, b, c) __builtin_elementwise_fma(a, b, c)
#endif
#endif
#if defined(TARN_FMA)
#define TARN_FMA_512(a, b, c) TARN_FMA(a, b, c)
#define TARN_FMA_256(a, b, c) TARN_FMA(a, b, c)
#else
#define TARN_FMA_512(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<unsigned short>(-1), 4) // 4: as set
#define TARN_FMA_256(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#endif
#if !defined(__aarch64__) || defined(__CUDACC__)
#define TARN_FMA_128(a, b, c) (a * b + c) // two instructions: baseline x86-64 and WASM SIMD have no other
#elif defined(TARN_FMA)
#define TARN_FMA_128(a, b, c) TARN_FMA(a, b, c)
#elif defined(__clang__)
#define TARN_NEON_BYTES(v) ((__attribute__((neon_vector_type(16))) signed char)(v))
#define TARN_FMA_128(a, b, c)                                                                                          \
    ((Vec)__builtin_neon_vfmaq_v(TARN_NEON_BYTES(c), TARN_NEON_BYTES(a), TARN_NEON_BYTES(b), 41)) // 41: four floats
#else
#define TARN_FMA_128(a, b, c) __builtin_aarch64_fmav4sf(a, b, c)
#endif
#if TARN_X86 && defined(__SSE__) && !defined(__clang__)
#define TARN_MAX_128(a, b) __builtin_ia32_maxps(a, b)
#define TARN_MIN_128(a, b) __builtin_ia32_minps(a, b)
#elif defined(__wasm_simd128__)
#define TARN_MAX_128(a, b) ((Vec)__builtin_wasm_pmax_f32x4(b, a)) // b < a ? a : b
#define TARN_MIN_128(a, b) ((Vec)__builtin_wasm_pmin_f32x4(b, a)) // a < b ? a : b
#else
#define TARN_MAX_128(a, b) (a > b ? a : b)
#define TARN_MIN_128(a, b) (a < b ? a : b)
#endif

// Square roots, which the processor has; element by element where no compiler's name for that is known.
#if defined(__clang__) && defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_sqrt)
#define TARN_SQRT(v) return __builtin_elementwise_sqrt(v)
#endif
#endif
#if defined(TARN_SQRT)
#define TARN_SQRT_512(v) TARN_SQRT(v)
#define TARN_SQRT_256(v) TARN_SQRT(v)
#elif defined(__clang__)
#define TARN_SQRT_512(v) return __builtin_ia32_sqrtps512(v, 4) // 4: as set
#define TARN_SQRT_256(v) return __builtin_ia32_sqrtps256(v)
#else
#define TARN_SQRT_512(v) return __builtin_ia32_sqrtps512_mask(v, v, static_cast<unsigned short>(-1), 4)
#define TARN_SQRT_256(v) return __builtin_ia32_sqrtps256(v)
#endif
#if defined(TARN_SQRT)
#define TARN_SQRT_128(v) TARN_SQRT(v)
#elif TARN_X86 && defined(__SSE__)
#define TARN_SQRT_128(v) return __builtin_ia32_sqrtps(v)
#elif defined(__aarch64__) && !defined(__clang__) && !defined(__CUDACC__)
#define TARN_SQRT_128(v) return __builtin_aarch64_sqrtv4sf(v)
#else
#define TARN_SQRT_128(v)                                                                                               \
    for (int i = 0; i < lanes; ++i) v[i] = __builtin_sqrtf(v[i]);                                                      \
    return v
#endif

// Vectors in memory, at any address. What memcpy copies g++ for aarch64 moves as pairs of integers and keeps sums on
// the stack; a vector type without alignment does as much to g++ for x86 in tiles whose last panel is ragged.
#if defined(__aarch64__) && !defined(__clang__) && !defined(__CUDACC__)
#define TARN_LOOSE(Type) Type __attribute__((vector_size(16), aligned(4), may_alias))
#define TARN_LOAD(v, from) v = *reinterpret_cast<const TARN_LOOSE(float)*>(from)
#define TARN_STORE(to, v) *reinterpret_cast<TARN_LOOSE(float)*>(to) = v
#else
#define TARN_LOAD(v, from) __builtin_memcpy(&v, from, sizeof(v))
#define TARN_STORE(to, v) __builtin_memcpy(to, &v, sizeof(v))
#endif

// The first `count` floats from memory, zeros after. By a mask where it costs nothing: what is put together on the
// stack is read back ten cycles late, which made depthwise layers of 13 channels nine times slower.
#define TARN_LOAD_SOME_128(from, count)                                                                                \
    float padded[lanes] = {};                                                                                          \
    for (int i = 0; i < count; ++i) padded[i] = from[i];                                                               \
    return load(padded)
#define TARN_LOAD_SOME_256(from, count)                                                                                \
    IntVec mask;                                                                                                       \
    for (int i = 0; i < lanes; ++i) mask[i] = i < count ? -1 : 0;                                                      \
    return __builtin_ia32_maskloadps256(reinterpret_cast<const Vec*>(from), mask)
#define TARN_LOAD_SOME_512(from, count) TARN_LOAD_SOME_128(from, count)

// What a set's kernels are written in: vectors of Bits, and how many of them the processor keeps in registers.
#define TARN_VECTOR(Bits, Registers, Name)                                                                             \
    inline constexpr int lanes = Bits / 32;                                                                            \
    inline constexpr int registers = Registers;                                                                        \
    inline constexpr const char* set_name = Name;                                                                      \
    using Vec = float __attribute__((vector_size(Bits / 8)));                                                          \
    using IntVec = int __attribute__((vector_size(Bits / 8)));                                                         \
    TARN_ALWAYS_INLINE Vec load(const float* from) noexcept {                                                          \
        Vec v;                                                                                                         \
        TARN_LOAD(v, from);                                                                                            \
        return v;                                                                                                      \
    }                                                                                                                  \
    TARN_ALWAYS_INLINE Vec load_some(const float* from, int count) noexcept { TARN_LOAD_SOME_##Bits(from, count); }    \
    TARN_ALWAYS_INLINE void store(float* to, Vec v) noexcept { TARN_STORE(to, v); }                                    \
    TARN_ALWAYS_INLINE Vec fma(Vec a, Vec b, Vec c) noexcept { return TARN_FMA_##Bits(a, b, c); }                      \
    TARN_ALWAYS_INLINE Vec sqrt(Vec v) noexcept { TARN_SQRT_##Bits(v); }                                               \
    TARN_ALWAYS_INLINE Vec max(Vec a, Vec b) noexcept { return TARN_MAX_##Bits(a, b); }                                \
    TARN_ALWAYS_INLINE Vec min(Vec a, Vec b) noexcept { return TARN_MIN_##Bits(a, b); }

namespace tarn::cpu {

/// Subnormal floats as zeros while one of these lives; the caller's mode comes back at its end. Silence after sound
/// otherwise makes a network tens of times slower. On x86 and aarch64; `flushes` tells.
class FlushSubnormals {
  public:
#if TARN_X86 && defined(__SSE__)
    static constexpr bool flushes = true;
    FlushSubnormals() noexcept : saved_(__builtin_ia32_stmxcsr()) {
        __builtin_ia32_ldmxcsr(saved_ | 0x8040U); // flush to zero, denormals are zero
    }
    ~FlushSubnormals() { __builtin_ia32_ldmxcsr(saved_); }

  private:
    unsigned saved_;
#elif defined(__aarch64__) && !defined(__CUDACC__)
    static constexpr bool flushes = true;
    FlushSubnormals() noexcept {
        __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
        __asm__ volatile("msr fpcr, %0" : : "r"(saved_ | (1UL << 24)) : "memory"); // FZ: results and inputs
    }
    ~FlushSubnormals() { __asm__ volatile("msr fpcr, %0" : : "r"(saved_) : "memory"); }

  private:
    unsigned long saved_;
#else
    static constexpr bool flushes = false;
    // WASM has no such mode, 32-bit NEON no other; elsewhere subnormals are computed, slowly where hardware is slow.
    FlushSubnormals() noexcept {}
    ~FlushSubnormals() {}
#endif
    FlushSubnormals(const FlushSubnormals&) = delete;
    FlushSubnormals& operator=(const FlushSubnormals&) = delete;
};

/// Whether a tile must leave a register for the input of each of its rows: g++ for aarch64 reads them all ahead.
#if defined(__aarch64__) && !defined(__clang__)
inline constexpr bool reads_inputs_ahead = true;
#else
inline constexpr bool reads_inputs_ahead = false;
#endif

/// Registers that a tile of three vectors must leave free: clang 19 keeps one of its sums in memory otherwise.
#if defined(__clang__)
inline constexpr int spare_registers = 1;
#else
inline constexpr int spare_registers = 0;
#endif

/// What the processor and its operating system run of what a translation unit may carry.
enum class Level { base, avx2, avx512 };

// ---- the set of the translation unit itself ---------------------------------------------------------------------
namespace TARN_SET_BASE {
#if TARN_BASE_HAS_AVX512
TARN_VECTOR(512, 32, TARN_SET_BASE_NAME)
#elif TARN_BASE_HAS_AVX2
TARN_VECTOR(256, 16, TARN_SET_BASE_NAME)
#elif defined(__aarch64__)
TARN_VECTOR(128, 32, TARN_SET_BASE_NAME)
#else
TARN_VECTOR(128, 16, TARN_SET_BASE_NAME)
#endif

/// The processor's level. Reads its identity; no lock.
inline Level processor_level() noexcept {
#if TARN_X86
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::base;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
               ? Level::avx512
               : Level::avx2;
#else
    return Level::base;
#endif
}
} // namespace TARN_SET_BASE
#if TARN_BASE_HAS_AVX512
namespace TARN_SET_BASE_NARROW {
TARN_VECTOR(256, 32, TARN_SET_BASE_NAME)
}
#endif

// ---- the sets beside it -----------------------------------------------------------------------------------------
#if TARN_CARRIES_AVX2
TARN_BEGIN_TARGET(TARN_TARGET_AVX2)
namespace avx2 {
TARN_VECTOR(256, 16, "avx2+fma")
}
TARN_END_TARGET
#endif
// AVX-512 comes as two: panels and rows of fewer than 16 floats take vectors of 8, of which it has 32 too.
#if TARN_CARRIES_AVX512
TARN_BEGIN_TARGET(TARN_TARGET_AVX512)
namespace avx512 {
TARN_VECTOR(512, 32, "avx512")
}
namespace avx512_narrow {
TARN_VECTOR(256, 32, "avx512")
}
TARN_END_TARGET
#endif

} // namespace tarn::cpu

// A kernel file read on its own compiles for the translation unit's set; cpu/sets.hpp reads it once for every set.
#ifndef TARN_SET
#define TARN_SET TARN_SET_BASE
#endif
