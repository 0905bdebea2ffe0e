// SPDX-License-Identifier: MIT
// A pool without a kernel.
// expect: pool: name the kernel, as in Kernel<2>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Pool2d<PoolMode::max, std::conditional_t<CONTROL, Kernel<2>, Stride<2>>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
