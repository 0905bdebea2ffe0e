// SPDX-License-Identifier: MIT
// A shape of five axes.
// expect: shape: one to four axes
#include <tarn/tarn.hpp>

using namespace tarn;

using In = std::conditional_t<CONTROL, Shape<2, 2, 2, 2>, Shape<2, 2, 2, 2, 2>>;
using Net = Sequential<ReLU>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
