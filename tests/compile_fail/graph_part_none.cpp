// SPDX-License-Identifier: MIT
// A layer in a graph without a name to read it by.
// expect: graph: Input, Layer and Output stand directly in a Graph and nothing else does; use Layer in it and Named
// expect: elsewhere
// expect: Layer<1>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Graph<Input<"x">, std::conditional_t<CONTROL, Layer<"a", ReLU, "x">, ReLU>, Output<"x">>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
