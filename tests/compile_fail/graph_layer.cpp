// SPDX-License-Identifier: MIT
// A layer of a graph that does not fit: the part's position.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<1, 1>
// expect: Found<Shape<5, 4>>
// expect: Wanted<Shape<5, 3>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<5, 4>;
using Net = Graph<Input<"x">, Layer<"a", Sequential<ReLU, Linear<CONTROL ? 4 : 3, 2>>, "x">, Output<"a">>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
