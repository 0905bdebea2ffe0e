// SPDX-License-Identifier: MIT
// The one __global__ function: it runs whatever a tag type says, so that no Op has to be a template argument of a
// kernel, which nvcc 13 cannot write down in its host code.
// Between bodies or walkers and a launch. Knows nothing of Ops, plans or streams.
#pragma once

#include <tarn/cuda/device_context.cuh>

namespace tarn::cuda {

/// Where outputs wait in registers, a block of its own on each multiprocessor is enough, and the compiler is told so:
/// it would otherwise spill registers to have two. Elsewhere that is left to it.
template <class Work> constexpr int least_blocks() noexcept {
    if constexpr (requires { Work::cooperative; })
        return Work::cooperative ? 1 : 0;
    else
        return 0;
}

/// Work has `threads`, and run(context, arguments...) for each of them. Arguments are passed as they are: pointers.
template <class Work, class... Arguments>
__global__ void __launch_bounds__(Work::threads, least_blocks<Work>()) kernel(Arguments... arguments) {
    Work::run(DeviceContext<Work::threads>{}, arguments...);
}

} // namespace tarn::cuda
