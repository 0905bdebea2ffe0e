// SPDX-License-Identifier: MIT
// The one __global__ function: it runs whatever a tag type says, so that no Op has to be a template argument of a
// kernel, which nvcc 13 cannot write down in its host code.
// Between bodies or walkers and a launch. Knows nothing of Ops, plans or streams.
#pragma once

#include <tarn/cuda/device_context.cuh>

namespace tarn::cuda {

/// Work has `threads`, and run(context, arguments...) for each of them. Arguments are passed as they are: pointers.
template <class Work, class... Arguments>
__global__ void __launch_bounds__(Work::threads) kernel(Arguments... arguments) {
    Work::run(DeviceContext<Work::threads>{}, arguments...);
}

} // namespace tarn::cuda
