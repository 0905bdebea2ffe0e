// SPDX-License-Identifier: MIT
// What steers a quadruped robot, 48 readings to 12 joint targets, on a card and on the processor.
// Shared by main.cpp and kernels.cu. Knows the public face only.
#pragma once

#include <tarn/cuda.hpp>

using Policy = tarn::Sequential<tarn::Linear<48, 512>, tarn::SiLU, tarn::Linear<512, 256>, tarn::SiLU,
                                tarn::Linear<256, 128>, tarn::SiLU, tarn::Linear<128, 12>, tarn::Tanh>;
template <class Mode> using PolicyOn = tarn::Model<Policy, tarn::Shape<48>, tarn::Cuda<Mode>, tarn::Fastest>;
using PolicyHere = tarn::Model<Policy, tarn::Shape<48>>;
