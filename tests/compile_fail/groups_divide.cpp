// SPDX-License-Identifier: MIT
// Groups that do not divide the channels.
// expect: convolution: the groups must divide input and output channels
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, 8, Kernel<3>, Groups<CONTROL ? 4 : 3>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
