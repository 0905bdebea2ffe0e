// SPDX-License-Identifier: MIT
// No groups at all.
// expect: Groups: at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, 8, Kernel<3>, Groups<CONTROL ? 1 : 0>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
