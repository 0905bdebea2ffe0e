// SPDX-License-Identifier: MIT
// A tensor in an arena smaller than its capacity.
// expect: Tensor: the arena is smaller than the capacity
#include <tarn/tarn.hpp>

using namespace tarn;

using X = CpuTensor<Shape<4, 8>, Capacity<64>>;

X program(Arena<CONTROL ? 256 : 128>& arena) { return X(arena); }
