// SPDX-License-Identifier: MIT
// SAME padding under a stride: how much stands before the first row depends on how many there are.
// expect: UpTo: the padding before the first row changes with the number of rows; name it with Padding or Causal
// expect: CountPadding
// expect: Layer<1>
// expect: Found<Shape<16, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

#if CONTROL
using Second = Conv1d<4, 8, Kernel<4>, Stride<2>, Padding<1>>;
#else
using Second = Conv1d<4, 8, Kernel<4>, Stride<2>, SameLower>;
#endif
static_assert(Model<Sequential<ReLU, Second>, UpTo<Shape<16, 4>>>::arena_bytes > 0);
