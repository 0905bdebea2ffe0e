// SPDX-License-Identifier: MIT
// Launches' bodies: a model's kernels put on a stream by CUDA.
// For nvcc alone; instantiated in a .cu file of the caller's. Session (session.hpp) calls them.
// Knows kernels and the runtime; the order of a forward is launch_order.hpp's.
#pragma once

#include <tarn/cuda/kernel.cuh>
#include <tarn/device/launch_order.hpp>

namespace tarn::cuda {

namespace launching {

/// Whether a network's type has names in it, which nvcc 13 cannot write down among a kernel's template arguments.
template <class Net> inline constexpr bool has_names = false;
template <template <class...> class Of, class... Parts>
inline constexpr bool has_names<Of<Parts...>> = (false || ... || has_names<Parts>);
template <class... Parts> inline constexpr bool has_names<Graph<Parts...>> = true;
template <Name Text, class Module> inline constexpr bool has_names<Named<Text, Module>> = true;

template <class TheModel> inline constexpr bool is_model_itself = false;
template <class Net, class In, class Device, class Policy>
inline constexpr bool is_model_itself<Model<Net, In, Device, Policy>> = true;

struct CudaLauncher {
    template <class Work> static constexpr auto kernel_of = &kernel<Work, float*, const void*>;

    static Status multiprocessors(int& count) noexcept {
        int device = 0;
        const Status status = Status::of(cudaGetDevice(&device), "cudaGetDevice");
        if (!status.ok()) return status;
        return Status::of(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
                          "cudaDeviceGetAttribute");
    }
    template <class Work> static Status resident(int& each) noexcept {
        constexpr auto shared = static_cast<int>(Work::shared_bytes);
        const Status status =
            Status::of(cudaFuncSetAttribute(kernel_of<Work>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
                       "cudaFuncSetAttribute");
        if (!status.ok()) return status;
        return Status::of(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel_of<Work>, Work::threads, Work::shared_bytes),
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    }
    template <class Work>
    static Status launch(float* arena, const void* weights, int blocks, cudaStream_t stream) noexcept {
        cudaLaunchAttribute cooperative{};
        cooperative.id = cudaLaunchAttributeCooperative;
        cooperative.val.cooperative = 1;
        cudaLaunchConfig_t how{};
        how.gridDim = dim3(static_cast<unsigned>(blocks));
        how.blockDim = dim3(static_cast<unsigned>(Work::threads));
        how.dynamicSmemBytes = Work::shared_bytes;
        how.stream = stream;
        how.attrs = &cooperative;
        how.numAttrs = Work::cooperative ? 1 : 0;
        return Status::of(cudaLaunchKernelEx(&how, kernel_of<Work>, arena, weights), "cudaLaunchKernelEx");
    }
};

} // namespace launching

template <class TheModel> Status Launches<TheModel>::prepare(How& how, float* arena, const void* weights) noexcept {
    static_assert(!(launching::is_model_itself<TheModel> && launching::has_names<typename TheModel::Module>),
                  "cuda: nvcc cannot write down a kernel of a network with names: give the model a type of its own, "
                  "struct Mine : Model<..> {};");
    return launching::LaunchOrder<TheModel, launching::CudaLauncher>::prepare(how, arena, weights);
}
template <class TheModel>
Status Launches<TheModel>::enqueue(const How& how, float* arena, const void* weights, cudaStream_t stream) noexcept {
    return launching::LaunchOrder<TheModel, launching::CudaLauncher>::enqueue(how, arena, weights, stream);
}
template <class TheModel> void Launches<TheModel>::release(How& how) noexcept {
    launching::LaunchOrder<TheModel, launching::CudaLauncher>::release(how);
}

} // namespace tarn::cuda
