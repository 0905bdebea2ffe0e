// SPDX-License-Identifier: MIT
// The kernels of cuda_latency. Linked with main.cpp.
#include "cuda_latency.hpp"

#include <tarn/device/launches.cuh>

template struct tarn::cuda::Launches<PolicyOn<tarn::cuda::InPlace>>;
template struct tarn::cuda::Launches<PolicyOn<tarn::cuda::OneLaunch>>;
template struct tarn::cuda::Launches<PolicyOn<tarn::cuda::Library<>>>;
