// SPDX-License-Identifier: MIT
// Causal given to a convolution of images.
// expect: Conv2d: options are Kernel, Stride, Padding (or SameUpper, SameLower), Dilation, Groups and NoBias, each at
// expect: most once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, 8, Kernel<3>, std::conditional_t<CONTROL, SameUpper, Causal>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
