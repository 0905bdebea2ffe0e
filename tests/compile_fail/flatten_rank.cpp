// SPDX-License-Identifier: MIT
// A Flatten of four axes.
// expect: flatten: input has more axes than an image [H, W, C]; flatten takes one to three axes
// expect: Layer<0>
// expect: Found<Shape<2, 3, 4, 5>>
// expect: Wanted<Shape<1, 1, 1>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = std::conditional_t<CONTROL, Shape<3, 4, 5>, Shape<2, 3, 4, 5>>;
using Net = Sequential<Flatten>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
