// SPDX-License-Identifier: MIT
// Two inputs: a frame is one span.
// expect: stream: the network must have one input (the shape counts them); join them into one frame and take it apart
// expect: StreamInputs
// expect: Layer<>
// expect: Found<Shape<2>>
#include <tarn/tarn.hpp>

using namespace tarn;

#if CONTROL
using In = Shape<32, 8>;
using Net = Sequential<Split<4, 4>, Add>;
#else
using In = Inputs<Shape<32, 4>, Shape<32, 4>>;
using Net = Graph<Input<"a">, Input<"b">, Layer<"sum", Add, "a", "b">, Output<"sum">>;
#endif
static_assert(Model<Net, In>::Stream::state_bytes > 0);
