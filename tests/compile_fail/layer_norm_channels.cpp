// SPDX-License-Identifier: MIT
// A layer norm of other features than the linear layer before it makes.
// expect: layer norm: input is [.., C] and this layer wants C channels; change the layer or the one before it
// expect: Layer<1>
// expect: Found<Shape<6, 12>>
// expect: Wanted<Shape<6, 16>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<6, 5>;
using Net = Sequential<Linear<5, 12>, LayerNorm<CONTROL ? 12 : 16>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
