// SPDX-License-Identifier: MIT
// Two values left by the body of a residual.
// expect: values: exactly one is wanted here (the shapes count them); join several with Concat, Add or Mul before
// expect: Layer<1>
// expect: Found<Shape<2>>
// expect: Wanted<Shape<1>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<7, 4>;
using Net = Sequential<ReLU, Residual<Sequential<Parallel<ReLU, Tanh>, std::conditional_t<CONTROL, Add, Identity>>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
