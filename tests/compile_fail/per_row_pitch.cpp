// SPDX-License-Identifier: MIT
// Rows without room.
// expect: PerRow: a row holds at least one element
#include <tarn/tarn.hpp>

using namespace tarn;

using X = CpuTensor<Shape<4, 1>, PerRow<CONTROL ? 1 : 0>>;

X program(float* storage) { return X(storage); }
