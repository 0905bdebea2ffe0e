// SPDX-License-Identifier: MIT
// The second layer of the body (0) of a named Residual at position 2: Layer<2, 0, 1>. A name adds no position.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<2, 0, 1>
// expect: Found<Shape<8>>
// expect: Wanted<Shape<6>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Sequential<Linear<4, 8>, ReLU, //
                       Named<"block", Residual<Sequential<Linear<8, 8>, Linear<CONTROL ? 8 : 6, 8>>>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
