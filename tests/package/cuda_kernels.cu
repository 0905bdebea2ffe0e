// SPDX-License-Identifier: MIT
// The kernels, by nvcc: this is all that a user writes in a .cu file.
// Linked with cuda_program.cpp. Knows the model by name.
#include "cuda.hpp"

#include <tarn/device/launches.cuh>

template struct tarn::cuda::Launches<consumer::OnCard>;
