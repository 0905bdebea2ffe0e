// SPDX-License-Identifier: MIT
// A part of graphs in a Sequential.
// expect: graph: Input, Layer and Output stand directly in a Graph and nothing else does; use Layer in it and Named
// expect: elsewhere
// expect: Layer<1>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Sequential<ReLU, std::conditional_t<CONTROL, Named<"a", ReLU>, Layer<"a", ReLU, "x">>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
