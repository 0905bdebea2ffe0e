// SPDX-License-Identifier: MIT
// A pad as large as the kernel: a window without data.
// expect: pool: a pad as large as the kernel leaves a window without data; pad less
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<MaxPool2d<2, Padding<CONTROL ? 1 : 2>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
