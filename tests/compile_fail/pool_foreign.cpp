// SPDX-License-Identifier: MIT
// An option of averages given to a maximum.
// expect: Pool2d: options are Kernel, Stride, Padding (or SameUpper, SameLower), CeilMode and, for averages,
// expect: ExcludePadding, each at most once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 4>;
using Net = Sequential<Pool2d<CONTROL ? PoolMode::average : PoolMode::max, Kernel<3>, Padding<1>, ExcludePadding>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
