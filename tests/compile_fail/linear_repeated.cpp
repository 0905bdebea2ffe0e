// SPDX-License-Identifier: MIT
// An option of Linear given twice.
// expect: Linear: the only option is NoBias, once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<std::conditional_t<CONTROL, Linear<4, 8, NoBias>, Linear<4, 8, NoBias, NoBias>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
