// SPDX-License-Identifier: MIT
// A layer that is the whole network has no position: Layer<>.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<>
// expect: Found<Shape<4>>
// expect: Wanted<Shape<8>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Linear<CONTROL ? 4 : 8, 8>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
