// SPDX-License-Identifier: MIT
// An LSTM of frames of other features.
// expect: frames: input is [T, C] and this layer wants C channels; change the layer or the one before it
// expect: Layer<1>
// expect: Found<Shape<16, 8>>
// expect: Wanted<Shape<16, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<16, 4>;
using Net = Sequential<Linear<4, 8>, LSTM<CONTROL ? 8 : 4, 8>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
