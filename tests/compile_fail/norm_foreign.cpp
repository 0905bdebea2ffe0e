// SPDX-License-Identifier: MIT
// An option of convolutions given to a batch norm.
// expect: BatchNorm2d: the only option is Eps, once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<BatchNorm2d<4, std::conditional_t<CONTROL, Eps<std::ratio<1, 1000>>, NoBias>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
