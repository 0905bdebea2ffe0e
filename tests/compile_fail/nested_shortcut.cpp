// SPDX-License-Identifier: MIT
// The shortcut (1) of a Residual at position 2: Layer<2, 1>.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<2, 1>
// expect: Found<Shape<8>>
// expect: Wanted<Shape<6>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Sequential<Linear<4, 8>, ReLU, Residual<Linear<8, 4>, Linear<CONTROL ? 8 : 6, 4>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
