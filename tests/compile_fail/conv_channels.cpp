// SPDX-License-Identifier: MIT
// A convolution of an image of other channels, as an image given channels first has.
// expect: conv: input is [H, W, C] and this layer wants C channels;
// expect: change the layer or the one before it (images are channels last)
// expect: Layer<0>
// expect: Found<Shape<3, 32, 32>>
// expect: Wanted<Shape<3, 32, 3>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = std::conditional_t<CONTROL, Shape<32, 32, 3>, Shape<3, 32, 32>>;
using Net = Sequential<Conv2d<3, 4, Kernel<3>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
