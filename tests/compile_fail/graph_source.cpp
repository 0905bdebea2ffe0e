// SPDX-License-Identifier: MIT
// A layer that reads one that comes after it.
// expect: graph: this part reads a name that no Input or Layer before it has; correct the name or move the part down
// expect: Layer<1>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Graph<Input<"x">, std::conditional_t<CONTROL, Layer<"a", ReLU, "x">, Layer<"a", ReLU, "b">>,
                  Layer<"b", ReLU, "x">, Output<"a">>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
