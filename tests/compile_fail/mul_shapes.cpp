// SPDX-License-Identifier: MIT
// A product of an image and a pixel of other channels.
// expect: mul: values must have one shape, or one of two be a pixel [1, 1, C] of the other; change the layer that
// expect: makes this value
// expect: Layer<1>
// expect: Found<Shape<1, 1, 2>>
// expect: Wanted<Shape<5, 6, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<5, 6, 4>;
using Net = Sequential<Parallel<Identity, Sequential<GlobalAvgPool2d, Linear<4, CONTROL ? 4 : 2>>>, Mul>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
