// SPDX-License-Identifier: MIT
// Two layers of one name.
// expect: graph: a part before this one has the same name; rename one of them
// expect: Layer<2>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Graph<Input<"x">, Layer<"a", ReLU, "x">,
                  std::conditional_t<CONTROL, Layer<"b", ReLU, "x">, Layer<"a", ReLU, "x">>, Output<"x">>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
