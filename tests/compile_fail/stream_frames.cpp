// SPDX-License-Identifier: MIT
// An input without a time axis.
// expect: stream: the input must be frames [T, F] or [T, W, C], time first; give the Model such a Shape, of any T
// expect: StreamFrames
// expect: Layer<>
// expect: Found<Shape<4>>
#include <tarn/tarn.hpp>

using namespace tarn;

#if CONTROL
using In = Shape<32, 4>;
#else
using In = Shape<4>;
#endif
using Net = Sequential<Linear<4, 8>>;
static_assert(Model<Net, In>::Stream::state_bytes > 0);
