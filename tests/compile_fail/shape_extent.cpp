// SPDX-License-Identifier: MIT
// A shape with an empty axis.
// expect: shape: every extent must be at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, CONTROL ? 8 : 0, 4>;
using Net = Sequential<ReLU>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
