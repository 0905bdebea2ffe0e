// SPDX-License-Identifier: MIT
// Two layers at once given to apply.
// expect: apply: one layer (with its epilogue) at a time; use Model for more
#include <tarn/tarn.hpp>

using namespace tarn;

using Moved = std::conditional_t<CONTROL, Sequential<Linear<4, 8>, ReLU>, Sequential<Linear<4, 8>, Linear<8, 8>>>;
using X = CpuTensor<Shape<4>, Capacity<256>>;

auto program(X x, const ModuleWeights<Moved, X::Extents>& weights) { return apply<Moved>(std::move(x), weights); }
