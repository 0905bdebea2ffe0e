// SPDX-License-Identifier: MIT
// The same of two layers and rows in slots of their own.
// expect: apply: rows with a pitch go through one linear, elementwise, norm or softmax layer at a time
#include <tarn/tarn.hpp>

using namespace tarn;

using Moved = std::conditional_t<CONTROL, Linear<4, 8>, Sequential<Linear<4, 8>, Linear<8, 8>>>;
using X = CpuTensor<Shape<2, 4>, PerRow<8>>;

auto program(X x, const ModuleWeights<Moved, X::Extents>& weights) { return apply<Moved>(std::move(x), weights); }
