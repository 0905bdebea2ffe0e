// SPDX-License-Identifier: MIT
// Launches' bodies without nvcc: each kernel runs in the emulated grid when its stream is waited for.
// What a .cu file with launches.cuh is elsewhere; instantiated likewise. Knows the launch order and executors.
#pragma once

#include "device/runtime.hpp"
#include "emulated_grid/launch.hpp"

#include <tarn/device/launch_order.hpp>

namespace tarn_test {

struct EmulatedLauncher {
    using Status = tarn::cuda::Status;

    static Status multiprocessors(int& count) noexcept {
        FakeCuda& cuda = FakeCuda::get();
        if (cuda.fails("cudaDeviceGetAttribute")) return Status::of(cudaErrorUnknown, "cudaDeviceGetAttribute");
        count = cuda.multiprocessors;
        return {};
    }
    template <class Work> static Status resident(int& each) noexcept {
        FakeCuda& cuda = FakeCuda::get();
        if (cuda.fails("cudaFuncSetAttribute")) return Status::of(cudaErrorUnknown, "cudaFuncSetAttribute");
        each = cuda.resident_each;
        return {};
    }
    template <class Work>
    static Status launch(float* arena, const void* weights, int blocks, cudaStream_t stream) noexcept {
        FakeCuda& cuda = FakeCuda::get();
        if (cuda.fails("cudaLaunchKernelEx")) return Status::of(cudaErrorUnknown, "cudaLaunchKernelEx");
        if (blocks < 1 || (Work::cooperative && blocks > cuda.multiprocessors * cuda.resident_each))
            return Status::of(cudaErrorInvalidConfiguration, "cudaLaunchKernelEx");
        put_on(stream, cudaGraphNodeTypeKernel, [=] {
            const std::string fault =
                tarn_test::launch<Work::threads>(blocks, Work::shared_bytes, Execution{{Order::drawn, 3}},
                                                 [&](const auto& context) { Work::run(context, arena, weights); });
            if (!fault.empty()) FakeCuda::get().fault = fault;
        });
        return {};
    }
};

} // namespace tarn_test

namespace tarn::cuda {

template <class TheModel> Status Launches<TheModel>::prepare(How& how, float* arena, const void* weights) noexcept {
    return launching::LaunchOrder<TheModel, tarn_test::EmulatedLauncher>::prepare(how, arena, weights);
}
template <class TheModel>
Status Launches<TheModel>::enqueue(const How& how, float* arena, const void* weights, cudaStream_t stream) noexcept {
    return launching::LaunchOrder<TheModel, tarn_test::EmulatedLauncher>::enqueue(how, arena, weights, stream);
}
template <class TheModel> void Launches<TheModel>::release(How& how) noexcept {
    launching::LaunchOrder<TheModel, tarn_test::EmulatedLauncher>::release(how);
}

} // namespace tarn::cuda
