// SPDX-License-Identifier: MIT
// One pool too many: a window of 2 over the one pixel that is left.
// expect: pool: the kernel [KH, KW] is larger than the padded image [H, W]; use a smaller kernel,
// expect: a larger image or fewer pools before this one
// expect: Layer<2>
// expect: Found<Shape<1, 1>>
// expect: Wanted<Shape<2, 2>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4, 4, 3>;
using Net = Sequential<AvgPool2d<2>, AvgPool2d<2>, AvgPool2d<CONTROL ? 1 : 2>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
