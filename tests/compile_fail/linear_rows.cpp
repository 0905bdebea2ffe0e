// SPDX-License-Identifier: MIT
// Rows of other features than a Linear wants: every axis is printed.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<0>
// expect: Found<Shape<5, 16>>
// expect: Wanted<Shape<5, 12>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<5, 16>;
using Net = Sequential<Linear<CONTROL ? 16 : 12, 8>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
