// SPDX-License-Identifier: MIT
// DeviceContext: a thread of a CUDA grid as an ExecutionContext. Every member is a line over the hardware.
// Beside context.hpp, for nvcc only; what a line means, the emulated grid of the tests says in plain C++.
// Knows nothing of Ops, memory plans or launches.
#pragma once

#if !defined(__CUDACC__)
#error "tarn: a .cuh file is for nvcc; from a .cpp include <tarn/cuda.hpp>"
#endif

#include <tarn/cuda/context.hpp>

#include <cooperative_groups.h>

namespace tarn::cuda {

/// Blocks of Threads threads, launched cooperatively where a grid barrier is used.
template <int Threads> struct DeviceContext {
    static_assert(Threads % warp_threads == 0 && Threads <= 1024, "cuda: a block is whole warps, 1024 threads at most");
    static constexpr int threads = Threads;

    TARN_DEVICE int thread() const { return static_cast<int>(threadIdx.x); }
    TARN_DEVICE int block() const { return static_cast<int>(blockIdx.x); }
    TARN_DEVICE int blocks() const { return static_cast<int>(gridDim.x); }
    TARN_DEVICE void warp_barrier() const { __syncwarp(); }
    TARN_DEVICE void block_barrier() const { __syncthreads(); }
    TARN_DEVICE void grid_barrier() const { cooperative_groups::this_grid().sync(); }
    TARN_DEVICE float shuffle_xor(float value, int mask) const { return __shfl_xor_sync(0xFFFFFFFFU, value, mask); }
    template <class T> TARN_DEVICE T* shared() const {
        extern __shared__ __align__(16) unsigned char tarn_shared_memory[];
        return reinterpret_cast<T*>(tarn_shared_memory);
    }

    template <Factor F>
    TARN_DEVICE void multiply_add(float (&sums)[4], const float (&a)[4], const float (&b)[2]) const {
        static_assert(F != Factor::f32, "cuda: tensor cores take rounded factors");
        if constexpr (F == Factor::f16) {
            on_tensor_cores_f16(sums, a, b);
        } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
            if constexpr (F == Factor::bf16)
                on_tensor_cores_bf16(sums, a, b);
            else
                on_tensor_cores_tf32(sums, a, b);
#else
            on_ordinary_arithmetic<F>(sums, a, b); // sm_75 has tensor cores for f16 alone
#endif
        }
    }

  private:
    TARN_DEVICE static unsigned pair_f16(float low, float high) {
        unsigned pair;
        asm("{.reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h};}"
            : "=r"(pair)
            : "f"(low), "f"(high));
        return pair;
    }
    TARN_DEVICE static void on_tensor_cores_f16(float (&s)[4], const float (&a)[4], const float (&b)[2]) {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
            : "r"(pair_f16(a[0], a[1])), "r"(pair_f16(a[2], a[3])), "r"(pair_f16(b[0], b[1])));
    }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    TARN_DEVICE static unsigned pair_bf16(float low, float high) {
        unsigned pair;
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
        return pair;
    }
    TARN_DEVICE static void on_tensor_cores_bf16(float (&s)[4], const float (&a)[4], const float (&b)[2]) {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
            : "r"(pair_bf16(a[0], a[1])), "r"(pair_bf16(a[2], a[3])), "r"(pair_bf16(b[0], b[1])));
    }
    TARN_DEVICE static unsigned rounded_tf32(float value) {
        unsigned bits;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
        return bits;
    }
    /// The instruction wants depths t and t + 4 of lane 4 g + t; any order of the depth will do that A and B share.
    TARN_DEVICE static void on_tensor_cores_tf32(float (&s)[4], const float (&a)[4], const float (&b)[2]) {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
            : "r"(rounded_tf32(a[0])), "r"(rounded_tf32(a[2])), "r"(rounded_tf32(a[1])), "r"(rounded_tf32(a[3])),
              "r"(rounded_tf32(b[0])), "r"(rounded_tf32(b[1])));
    }
#else
    template <Factor F> TARN_DEVICE static float rounded(float value) {
        const unsigned bits = __float_as_uint(value);
        if ((bits & 0x7F800000U) == 0x7F800000U) return value;
        if constexpr (F == Factor::bf16)
            return __uint_as_float((bits + 0x7FFFU + (bits >> 16 & 1U)) & 0xFFFF0000U);
        else
            return __uint_as_float((bits + 0x1000U) & 0xFFFFE000U);
    }
    template <Factor F>
    TARN_DEVICE void on_ordinary_arithmetic(float (&s)[4], const float (&a)[4], const float (&b)[2]) const {
        const int lane = thread() % warp_threads, g = lane / 4, t = lane % 4;
        TARN_DEVICE_UNROLL
        for (int k = 0; k < 8; ++k) {
            const int a_lane = 4 * g + k / 2;
            const auto from = [](float value, int source) { return __shfl_sync(0xFFFFFFFFU, value, source); };
            const float upper = from(rounded<F>(a[k % 2]), a_lane), lower = from(rounded<F>(a[2 + k % 2]), a_lane);
            const float left = from(rounded<F>(b[k % 2]), 4 * (2 * t) + k / 2);
            const float right = from(rounded<F>(b[k % 2]), 4 * (2 * t + 1) + k / 2);
            s[0] += upper * left;
            s[1] += upper * right;
            s[2] += lower * left;
            s[3] += lower * right;
        }
    }
#endif
};

} // namespace tarn::cuda
