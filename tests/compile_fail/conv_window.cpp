// SPDX-License-Identifier: MIT
// A dilated kernel larger than the padded image: 5 taps at a distance of 2 reach 9, the image with padding has 7.
// expect: conv: the dilated kernel [KH, KW] is larger than the padded image [H, W]; pad more,
// expect: use a smaller kernel or a larger image
// expect: Layer<0>
// expect: Found<Shape<7, 7>>
// expect: Wanted<Shape<9, 9>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<5, 5, 1>;
using Net = Sequential<Conv2d<1, 4, Kernel<5>, Dilation<2>, Padding<CONTROL ? 2 : 1>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
