// SPDX-License-Identifier: MIT
// AllocatingLaunches' bodies: for nvcc alone, instantiated in the files that run.sh writes.
// Beside latency_networks.hpp. Knows how a step is launched.
#pragma once

#include "latency_networks.hpp"

#include <tarn/device/launches.cuh>

#include <utility>

namespace tarn_bench {

namespace taking {

using tarn::cuda::Status;

inline Status take(void*& block, std::size_t bytes, cudaStream_t stream, Taking how) noexcept {
    return how == Taking::pool ? Status::of(cudaMallocAsync(&block, bytes, stream), "cudaMallocAsync")
                               : Status::of(cudaMalloc(&block, bytes), "cudaMalloc");
}
inline Status give_back(void*& block, cudaStream_t stream, Taking how) noexcept {
    if (block == nullptr) return {};
    void* const old = std::exchange(block, nullptr);
    return how == Taking::pool ? Status::of(cudaFreeAsync(old, stream), "cudaFreeAsync")
                               : Status::of(cudaFree(old), "cudaFree");
}

template <class TheModel, int S>
Status step(const typename AllocatingLaunches<TheModel>::How& how, float* arena, const void* weights,
            cudaStream_t stream, Taking taking, void*& read) noexcept {
    using Work = tarn::StepLaunch<TheModel, S>;
    void* made = nullptr;
    Status status = take(made, TheModel::steps.steps[S].op.out.elems() * sizeof(float), stream, taking);
    if (status.ok()) status = tarn::cuda::launching::CudaLauncher::launch<Work>(arena, weights, how.blocks[S], stream);
    const Status given = give_back(read, stream, taking);
    read = made;
    return status.ok() ? given : status;
}

template <class TheModel, int... S>
Status steps(const typename AllocatingLaunches<TheModel>::How& how, float* arena, const void* weights,
             cudaStream_t stream, Taking taking, std::integer_sequence<int, S...>) noexcept {
    void* read = nullptr;
    Status status;
    static_cast<void>((... && (status = step<TheModel, S>(how, arena, weights, stream, taking, read)).ok()));
    const Status given = give_back(read, stream, taking);
    return status.ok() ? given : status;
}

} // namespace taking

template <class TheModel>
tarn::cuda::Status AllocatingLaunches<TheModel>::enqueue(const How& how, float* arena, const void* weights,
                                                         cudaStream_t stream, Taking taking) noexcept {
    return taking::steps<TheModel>(how, arena, weights, stream, taking,
                                   std::make_integer_sequence<int, TheModel::step_count>{});
}

} // namespace tarn_bench
