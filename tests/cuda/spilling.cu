// SPDX-License-Identifier: MIT
// A kernel that cannot keep its sums in registers: what spills.py must see.
// Compiled, never run. Knows nothing of tarn.

__global__ void __launch_bounds__(1024) starved(const float* in, float* out) {
    float held[128]; // of the 64 registers that a thread of 1024 may have
#pragma unroll
    for (int i = 0; i < 128; ++i) held[i] = in[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 128; ++i) out[i * 1024 + threadIdx.x] = held[i] + held[127 - i];
}
