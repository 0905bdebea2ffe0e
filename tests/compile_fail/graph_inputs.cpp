// SPDX-License-Identifier: MIT
// A graph of two inputs on one shape.
// expect: graph: it must be given as many values as it has Input parts (the shapes count them); add an Input or name
// expect: the shapes as Inputs<..>
// expect: Layer<>
// expect: Found<Shape<1>>
// expect: Wanted<Shape<2>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = std::conditional_t<CONTROL, Inputs<Shape<4>, Shape<4>>, Shape<4>>;
using Net = Graph<Input<"a">, Input<"b">, Layer<"sum", Add, "a", "b">, Output<"sum">>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
