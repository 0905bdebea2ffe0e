// SPDX-License-Identifier: MIT
// A network with names as a kernel's template argument, which launches.cuh refuses in a sentence.
// Compiled, and expected not to; see names in device/launches.cuh. Knows the public face only.
#include "cuda/networks.hpp"

#include <tarn/device/launches.cuh>

template struct tarn::cuda::Launches<tarn::Model<tarn_test::UNet, tarn_test::UNetIn, tarn::Cuda<tarn::cuda::InPlace>>>;
