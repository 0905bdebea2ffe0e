// SPDX-License-Identifier: MIT
// A vector has no rows to count.
// expect: UpTo: the input must be rows [T, F] or [H, W, C], the varying extent first; give UpTo such a Shape
// expect: CountInput
// expect: Found<Shape<16>>
#include <tarn/tarn.hpp>

using namespace tarn;

#if CONTROL
using In = Shape<4, 16>;
#else
using In = Shape<16>;
#endif
static_assert(Model<Sequential<Linear<16, 3>>, UpTo<In>>::arena_bytes > 0);
