// SPDX-License-Identifier: MIT
// A sum of values of two shapes.
// expect: add: all values must have the shape of the first; change the layer that makes this value
// expect: Layer<1>
// expect: Found<Shape<7, 6>>
// expect: Wanted<Shape<7, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<7, 4>;
using Net = Sequential<Parallel<Identity, Linear<4, CONTROL ? 4 : 6>>, Add>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
