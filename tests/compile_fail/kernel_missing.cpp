// SPDX-License-Identifier: MIT
// A convolution without a kernel.
// expect: convolution: name the kernel, as in Kernel<3>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Conv2d<4, 8, std::conditional_t<CONTROL, Kernel<2>, Stride<2>>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
