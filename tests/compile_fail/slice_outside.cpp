// SPDX-License-Identifier: MIT
// A slice that runs beyond the features.
// expect: slice: Begin + Count is more than the features [.., F] of the input; take fewer or begin earlier
// expect: Layer<1>
// expect: Found<Shape<7, 5>>
// expect: Wanted<Shape<7, 7>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<7, 5>;
using Net = Sequential<ReLU, Slice<3, CONTROL ? 2 : 4>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
