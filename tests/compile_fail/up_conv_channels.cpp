// SPDX-License-Identifier: MIT
// A transposed convolution of an image of other channels.
// expect: conv: input is [H, W, C] and this layer wants C channels; change the layer or the one before it (images are
// expect: channels last)
// expect: Layer<1>
// expect: Found<Shape<3, 5, 4>>
// expect: Wanted<Shape<3, 5, 8>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<3, 5, 4>;
using Net = Sequential<ReLU, ConvTranspose2d<CONTROL ? 4 : 8, 2, Kernel<2>, Stride<2>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
