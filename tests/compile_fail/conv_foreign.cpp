// SPDX-License-Identifier: MIT
// An option of pools given to a convolution.
// expect: Conv2d: options are Kernel, Stride, Padding (or SameUpper, SameLower), Dilation, Groups and NoBias,
// expect: each at most once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, 8, Kernel<3>, std::conditional_t<CONTROL, Stride<2>, CeilMode>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
