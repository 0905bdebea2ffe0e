// SPDX-License-Identifier: MIT
// A graph without an output.
// expect: graph: it has no Output part; add one for each value that it gives
// expect: Layer<>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = std::conditional_t<CONTROL, Graph<Input<"x">, Output<"x">>, Graph<Input<"x">, Layer<"a", ReLU, "x">>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
