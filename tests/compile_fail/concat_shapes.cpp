// SPDX-License-Identifier: MIT
// A concat of images of two heights: the third value is the wrong one.
// expect: concat: all axes but the last must be equal to those of the first value; change the layer that makes this
// expect: value
// expect: Layer<1>
// expect: Found<Shape<4, 4, 4>>
// expect: Wanted<Shape<8, 8, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Parallel<Identity, Conv2d<4, 6, Kernel<1>>, MaxPool2d<CONTROL ? 1 : 2>>, Concat>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
