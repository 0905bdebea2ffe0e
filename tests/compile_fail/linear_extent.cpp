// SPDX-License-Identifier: MIT
// A Linear without outputs.
// expect: Linear: I and O must be at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Linear<4, CONTROL ? 8 : 0>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
