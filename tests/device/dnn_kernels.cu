// SPDX-License-Identifier: MIT
// The kernels beside cuDNN's convolutions: one file for nvcc, linked with cuDNN.
// Knows models by name.
#include "device/models.hpp"

#include <tarn/device/dnn.hpp>
#include <tarn/device/launches.cuh>

using namespace tarn_test;

template struct tarn::cuda::Launches<ResidualOn<tarn::cuda::LibraryWithDnn<>>>;
template struct tarn::cuda::Launches<ResidualOn<tarn::cuda::LibraryWithDnn<0>>>;
template struct tarn::cuda::Launches<UNetOn<tarn::cuda::LibraryWithDnn<>>>;
