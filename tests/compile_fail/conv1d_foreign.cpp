// SPDX-License-Identifier: MIT
// An option of pools given to a convolution along time.
// expect: Conv1d: options are Kernel, Stride, Padding (or SameUpper, SameLower, Causal), Dilation, Groups and NoBias,
// expect: each at most once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<16, 4>;
using Net = Sequential<Conv1d<4, 8, Kernel<3>, std::conditional_t<CONTROL, Causal, CeilMode>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
