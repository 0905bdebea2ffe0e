// SPDX-License-Identifier: MIT
// A batch norm of other channels than the convolution before it makes.
// expect: batch norm: input is [.., C] and this layer wants C channels; change the layer or the one before it
// expect: Layer<1>
// expect: Found<Shape<6, 6, 4>>
// expect: Wanted<Shape<6, 6, 8>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 1>;
using Net = Sequential<Conv2d<1, 4, Kernel<3>>, BatchNorm2d<CONTROL ? 4 : 8>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
