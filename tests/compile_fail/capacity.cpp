// SPDX-License-Identifier: MIT
// A tensor moved through a layer whose output its storage does not hold.
// expect: capacity: this module needs more elements than the tensor's storage holds;
// expect: give the first tensor a larger Capacity
// expect: Found<Shape<16>>
// expect: Wanted<Shape<80>>
#include <tarn/tarn.hpp>

using namespace tarn;

using Moved = Linear<4, 64>;
using X = CpuTensor<Shape<4>, Capacity<CONTROL ? 128 : 16>>;

auto program(X x, const ModuleWeights<Moved, X::Extents>& weights) { return apply<Moved>(std::move(x), weights); }
