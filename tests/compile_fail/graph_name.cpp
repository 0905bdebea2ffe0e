// SPDX-License-Identifier: MIT
// A layer without a name.
// expect: graph: this Input or Layer has no name; give it one
// expect: Layer<1>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Graph<Input<"x">, std::conditional_t<CONTROL, Layer<"a", ReLU, "x">, Layer<"", ReLU, "x">>, Output<"x">>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
