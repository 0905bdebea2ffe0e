// SPDX-License-Identifier: MIT
// The kernels of cuda_digits: this is all that nvcc compiles.
// Linked with main.cpp.
#include "cuda_digits.hpp"

#include <tarn/cuda/argmax.hpp>
#include <tarn/device/launches.cuh>

template struct tarn::cuda::Launches<DigitsOn<tarn::cuda::InPlace>>;
template struct tarn::cuda::Launches<DigitsOn<tarn::cuda::OneLaunch>>;
template struct tarn::cuda::Launches<DigitsOn<tarn::cuda::Library<>>>;
template struct tarn::cuda::Launches<DigitsOn<tarn::cuda::Best>>;

cudaError_t enqueue_label(const float* scores, int* label, cudaStream_t stream) {
    using Work = tarn::cuda::Argmax<1, 10, 10, 32>;
    tarn::cuda::kernel<Work><<<Work::most_blocks, Work::threads, 0, stream>>>(scores, label);
    return cudaGetLastError();
}
