// SPDX-License-Identifier: MIT
// A split into more features than there are.
// expect: split: the counts must add up to the features [.., F] of the input; change a count or the layer before it
// expect: Layer<0>
// expect: Found<Shape<6, 5>>
// expect: Wanted<Shape<6, 7>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<6, 5>;
using Net = Sequential<Split<3, CONTROL ? 2 : 4>, Concat>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
