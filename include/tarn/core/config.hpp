// SPDX-License-Identifier: MIT
// The only macros of tarn, and the version.
// Read by every other header; picks compiler spellings, never behaviour.
// Knows nothing of shapes, layers or kernels.
#pragma once

#define TARN_VERSION_MAJOR 0
#define TARN_VERSION_MINOR 1
#define TARN_VERSION_PATCH 0

// Clang 20 and newer check that a function neither allocates nor blocks; others ignore the promise.
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::nonblocking)
#define TARN_NONBLOCKING [[clang::nonblocking]]
#endif
#endif
#ifndef TARN_NONBLOCKING
#define TARN_NONBLOCKING
#endif

#if defined(__GNUC__) || defined(__clang__)
#define TARN_ALWAYS_INLINE [[gnu::always_inline]] inline
#define TARN_NOINLINE [[gnu::noinline]]
#define TARN_RESTRICT __restrict__
#else
#define TARN_ALWAYS_INLINE __forceinline
#define TARN_NOINLINE __declspec(noinline)
#define TARN_RESTRICT __restrict
#endif

// Makes the compiler forget where a pointer came from. g++ 12 turns a loop over two pointers into one arena into one
// that counts from a null address, takes the function for one without effects and drops calls of it.
#if defined(__GNUC__) || defined(__clang__)
#define TARN_FORGET_ORIGIN(pointer) __asm__("" : "+r"(pointer))
#else
#define TARN_FORGET_ORIGIN(pointer) static_cast<void>(pointer)
#endif

// A loop over an accumulator array must unroll wholly: g++ at -O2 otherwise keeps the array in memory, three times
// slower.
#if defined(__CUDACC__)
#define TARN_UNROLL
#elif defined(__clang__)
#define TARN_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define TARN_UNROLL _Pragma("GCC unroll 32")
#else
#define TARN_UNROLL
#endif

// What GPU kernels are made of: device functions under nvcc, inline functions elsewhere, where tests run them.
#if defined(__CUDACC__)
#define TARN_DEVICE __device__ __forceinline__
#define TARN_DEVICE_UNROLL _Pragma("unroll")
#else
#define TARN_DEVICE inline
#define TARN_DEVICE_UNROLL
#endif
