// SPDX-License-Identifier: MIT
// A batch norm without channels.
// expect: BatchNorm2d: channels must be at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<BatchNorm2d<CONTROL ? 4 : 0>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
