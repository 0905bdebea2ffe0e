// SPDX-License-Identifier: MIT
// Rows in slots of their own given to a layer that mixes rows.
// expect: apply: rows with a pitch go through one linear, elementwise, norm or softmax layer at a time
#include <tarn/tarn.hpp>

using namespace tarn;

using Moved = std::conditional_t<CONTROL, ReLU, MaxPool2d<2>>;
using X = CpuTensor<Shape<4, 4, 8>, PerRow<8>>;

auto program(X x, const ModuleWeights<Moved, X::Extents>& weights) { return apply<Moved>(std::move(x), weights); }
