// SPDX-License-Identifier: MIT
// A kernel of two extents along time.
// expect: frames: Kernel, Stride and Dilation take one value, Padding one value or before and after
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<16, 4>;
using Net = Sequential<Conv1d<4, 8, std::conditional_t<CONTROL, Kernel<3>, Kernel<3, 1>>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
