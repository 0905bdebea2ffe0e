// SPDX-License-Identifier: MIT
// A transposed convolution whose blocks overlap.
// expect: ConvTranspose2d: the stride must be the kernel, as in Kernel<2>, Stride<2>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<ConvTranspose2d<4, 8, Kernel<3>, Stride<CONTROL ? 3 : 2>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
