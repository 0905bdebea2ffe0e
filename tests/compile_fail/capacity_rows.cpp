// SPDX-License-Identifier: MIT
// Rows moved through a layer whose output is wider than their slots.
// expect: capacity: this module needs more elements than the tensor's storage holds;
// expect: give the first tensor a larger Capacity
// expect: Found<Shape<8>>
// expect: Wanted<Shape<12>>
#include <tarn/tarn.hpp>

using namespace tarn;

using Moved = Linear<8, 12>;
using X = CpuTensor<Shape<5, 8>, PerRow<CONTROL ? 16 : 8>>;

auto program(X x, const ModuleWeights<Moved, X::Extents>& weights) { return apply<Moved>(std::move(x), weights); }
