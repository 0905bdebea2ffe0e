// SPDX-License-Identifier: MIT
// An image flattened into 7680 features before a Linear of 120: both numbers in one message.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<1>
// expect: Found<Shape<7680>>
// expect: Wanted<Shape<120>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 120>;
using Net = Sequential<Flatten, Linear<CONTROL ? 8 * 8 * 120 : 120, 10>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
