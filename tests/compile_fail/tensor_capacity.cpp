// SPDX-License-Identifier: MIT
// A shape larger than its storage.
// expect: Tensor: the shape is larger than the capacity
#include <tarn/tarn.hpp>

using namespace tarn;

using X = CpuTensor<Shape<4, 8>, Capacity<CONTROL ? 32 : 31>>;

X program(float* storage) { return X(storage); }
