// SPDX-License-Identifier: MIT
// Rows in slots without room.
// expect: Tensor: the shape is larger than the capacity
#include <tarn/tarn.hpp>

using namespace tarn;

using X = CpuTensor<Shape<4, 1>, PerRow<CONTROL ? 1 : 0>>;

X program(float* storage) { return X(storage); }
