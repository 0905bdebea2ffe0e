// SPDX-License-Identifier: MIT
// A global pool would wait for the last frame of all.
// expect: stream: this pool waits for all frames of the input; pool over a window of frames, with a stride
// expect: StreamAllTime
// expect: Layer<1>
// expect: Found<Shape<32, 6, 8>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<32, 6, 4>;
#if CONTROL
using Pool = Pool2d<PoolMode::average, Kernel<8, 6>>;
#else
using Pool = GlobalAvgPool2d;
#endif
using Net = Sequential<Conv2d<4, 8, Kernel<1>>, Pool>;
static_assert(Model<Net, In>::Stream::state_bytes > 0);
