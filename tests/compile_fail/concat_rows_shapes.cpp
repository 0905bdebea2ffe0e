// SPDX-License-Identifier: MIT
// A concat of rows of two widths.
// expect: concat rows: all axes but the first must be equal to those of the first value; change the layer that makes
// expect: this value
// expect: Layer<1>
// expect: Found<Shape<7, 6>>
// expect: Wanted<Shape<7, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<7, 4>;
using Net = Sequential<Parallel<Identity, Linear<4, CONTROL ? 4 : 6>>, ConcatRows>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
