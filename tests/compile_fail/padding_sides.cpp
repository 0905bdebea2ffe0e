// SPDX-License-Identifier: MIT
// Padding of three sides.
// expect: Padding: one value, height and width, or top, bottom, left and right
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, 8, Kernel<3>, std::conditional_t<CONTROL, Padding<1, 1, 1, 1>, Padding<1, 1, 1>>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
