// SPDX-License-Identifier: MIT
// A sum of one value.
// expect: values: too few to join (the shapes count them); put a Parallel before, or name more sources
// expect: Layer<1>
// expect: Found<Shape<1>>
// expect: Wanted<Shape<2>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<7, 4>;
using Net = Sequential<Linear<4, 4>, std::conditional_t<CONTROL, Concat, Add>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
