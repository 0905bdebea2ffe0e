// SPDX-License-Identifier: MIT
// A convolution without output channels.
// expect: convolution: channels must be at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, CONTROL ? 8 : 0, Kernel<3>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
