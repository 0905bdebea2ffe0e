// SPDX-License-Identifier: MIT
// The network on a card that the CUDA consumers build.
// Included by cuda_program.cpp and cuda_kernels.cu. Knows the public face only.
#pragma once

#include <tarn/cuda.hpp>

namespace consumer {

using Network = tarn::Sequential<tarn::Linear<4, 8>, tarn::ReLU, tarn::Linear<8, 2>>;
using OnCard = tarn::Model<Network, tarn::Shape<4>, tarn::Cuda<>>;

} // namespace consumer
