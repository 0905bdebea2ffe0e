// SPDX-License-Identifier: MIT
// So many rows a frame that their pattern is not kept.
// expect: stream: too many rows before the pattern of rates repeats; upsample less over time
// expect: StreamPeriod
// expect: Layer<0>
// expect: Found<Shape<130, 1, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<2, 1, 4>;
using Net = Sequential<Upsample<CONTROL ? 64 : 65, 1>>;
static_assert(Model<Net, In>::Stream::state_bytes > 0);
