// SPDX-License-Identifier: MIT
// A residual whose body widens the image and whose shortcut does not.
// expect: residual: body and shortcut must give the same shape to be added;
// expect: change the last layer of the body or give the residual a shortcut
// expect: Layer<1>
// expect: Found<Shape<8, 8, 6>>
// expect: Wanted<Shape<8, 8, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 1>;
using Net = Sequential<Conv2d<1, 4, Kernel<3>, Padding<1>>, //
                       Residual<Sequential<Conv2d<4, CONTROL ? 4 : 6, Kernel<3>, Padding<1>>, ReLU>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
