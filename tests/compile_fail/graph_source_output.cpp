// SPDX-License-Identifier: MIT
// An output by a name that nobody has.
// expect: graph: this part reads a name that no Input or Layer before it has; correct the name or move the part down
// expect: Layer<2>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Graph<Input<"x">, Layer<"a", ReLU, "x">, std::conditional_t<CONTROL, Output<"a">, Output<"c">>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
