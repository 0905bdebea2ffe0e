// SPDX-License-Identifier: MIT
// Causal given to a pool.
// expect: Pool1d: options are Kernel, Stride, Padding (or SameUpper, SameLower), CeilMode and, for averages,
// expect: ExcludePadding, each at most once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<16, 4>;
using Net = Sequential<MaxPool1d<3, std::conditional_t<CONTROL, CeilMode, Causal>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
