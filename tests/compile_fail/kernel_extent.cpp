// SPDX-License-Identifier: MIT
// A kernel without extent.
// expect: Kernel: extents must be at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, 8, Kernel<CONTROL ? 3 : 0>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
