// SPDX-License-Identifier: MIT
// The kernels that host code links with: one file for nvcc, in every mode.
// Knows models by name.
#include "device/models.hpp"

#include <tarn/device/launches.cuh>

using namespace tarn_test;

template struct tarn::cuda::Launches<MlpOn<tarn::cuda::InPlace>>;
template struct tarn::cuda::Launches<MlpOn<tarn::cuda::OneLaunch>>;
template struct tarn::cuda::Launches<MlpOn<tarn::cuda::Library<>, tarn::Fastest>>;
template struct tarn::cuda::Launches<MlpOn<tarn::cuda::Best>>;
template struct tarn::cuda::Launches<ResidualOn<tarn::cuda::Library<0>>>;
template struct tarn::cuda::Launches<GruOn<tarn::cuda::OneLaunch>>;
template struct tarn::cuda::Launches<UNetOn<tarn::cuda::InPlace>>;
template struct tarn::cuda::Launches<UNetOn<tarn::cuda::OneLaunch>>;
