// SPDX-License-Identifier: MIT
// A convolution along time of frames of other channels.
// expect: frames: input is [T, C] and this layer wants C channels; change the layer or the one before it
// expect: Layer<1>
// expect: Found<Shape<14, 8>>
// expect: Wanted<Shape<14, 6>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<16, 4>;
using Net = Sequential<Conv1d<4, 8, Kernel<3>>, Conv1d<CONTROL ? 8 : 6, 8, Kernel<3>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
