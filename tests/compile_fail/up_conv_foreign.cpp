// SPDX-License-Identifier: MIT
// Padding given to a transposed convolution.
// expect: ConvTranspose2d: options are Kernel, Stride and NoBias, each at most once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<ConvTranspose2d<4, 8, Kernel<2>, Stride<2>, std::conditional_t<CONTROL, NoBias, Padding<1>>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
