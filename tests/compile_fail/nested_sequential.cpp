// SPDX-License-Identifier: MIT
// The second layer of a Sequential at position 2: Layer<2, 1>.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<2, 1>
// expect: Found<Shape<8>>
// expect: Wanted<Shape<6>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Sequential<Linear<4, 8>, ReLU, Sequential<Linear<8, 8>, Linear<CONTROL ? 8 : 6, 8>>, ReLU>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
