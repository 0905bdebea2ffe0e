// SPDX-License-Identifier: MIT
// The kernel of a MaxPool2d given again.
// expect: Pool2d: options are Kernel, Stride, Padding (or SameUpper, SameLower), CeilMode and, for averages,
// expect: ExcludePadding, each at most once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<MaxPool2d<2, std::conditional_t<CONTROL, Stride<2>, Kernel<2>>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
