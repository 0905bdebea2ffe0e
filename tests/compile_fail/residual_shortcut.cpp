// SPDX-License-Identifier: MIT
// A residual whose shortcut of its own does not give the shape of the body.
// expect: residual: body and shortcut must give the same shape to be added;
// expect: change the last layer of the body or give the residual a shortcut
// expect: Layer<0>
// expect: Found<Shape<4, 4, 6>>
// expect: Wanted<Shape<8, 8, 6>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 2>;
using Net = Sequential<Residual<Conv2d<2, 6, Kernel<3>, Stride<2>, Padding<1>>, //
                                Conv2d<2, 6, Kernel<1>, Stride<CONTROL ? 2 : 1>>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
