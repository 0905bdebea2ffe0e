// SPDX-License-Identifier: MIT
// A tensor moved through a layer that does not fit: the error of a Model.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<>
// expect: Found<Shape<2, 4>>
// expect: Wanted<Shape<2, 5>>
#include <tarn/tarn.hpp>

using namespace tarn;

using Moved = Linear<CONTROL ? 4 : 5, 8>;
using X = CpuTensor<Shape<2, 4>, Capacity<256>>;

auto program(X x, const ModuleWeights<Moved, X::Extents>& weights) { return apply<Moved>(std::move(x), weights); }
