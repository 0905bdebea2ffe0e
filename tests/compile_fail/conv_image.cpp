// SPDX-License-Identifier: MIT
// A convolution of what a Flatten made: no image any more.
// expect: conv: input must be an image [H, W, C]; reshape the input or remove what flattens it before this layer
// expect: Layer<1>
// expect: Found<Shape<64>>
// expect: Wanted<Shape<1, 1, 1>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 1>;
using Net = Sequential<std::conditional_t<CONTROL, ReLU, Flatten>, Conv2d<1, 4, Kernel<3>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
