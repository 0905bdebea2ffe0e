// SPDX-License-Identifier: MIT
// Negative padding.
// expect: Padding: values must not be negative
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, 8, Kernel<3>, Padding<1, CONTROL ? 1 : -1>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
