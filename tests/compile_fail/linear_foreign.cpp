// SPDX-License-Identifier: MIT
// An option of convolutions given to a Linear.
// expect: Linear: the only option is NoBias, once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Linear<4, 8, std::conditional_t<CONTROL, NoBias, Kernel<3>>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
