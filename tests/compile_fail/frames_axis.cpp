// SPDX-License-Identifier: MIT
// Padding of four sides around frames.
// expect: frames: Kernel, Stride and Dilation take one value, Padding one value or before and after
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<16, 4>;
using Net = Sequential<Conv1d<4, 8, Kernel<3>, std::conditional_t<CONTROL, Padding<2, 0>, Padding<2, 0, 0, 0>>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
