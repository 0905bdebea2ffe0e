// SPDX-License-Identifier: MIT
// The first layer that does not fit is named, and no later one.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<6>
// expect: Found<Shape<8>>
// expect: Wanted<Shape<9>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Sequential<Linear<4, 8>, Tanh, Linear<8, 8>, Tanh, Linear<8, 8>, Tanh, Linear<CONTROL ? 8 : 9, 8>, Tanh,
                       Linear<CONTROL ? 8 : 7, 2>, Softmax>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
