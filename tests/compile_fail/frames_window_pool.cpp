// SPDX-License-Identifier: MIT
// A pool along time longer than the frames.
// expect: frames: the dilated kernel [K] is longer than the padded input [T]; pad more, use a smaller kernel or more
// expect: frames
// expect: Layer<0>
// expect: Found<Shape<4>>
// expect: Wanted<Shape<5>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4, 3>;
using Net = Sequential<AvgPool1d<CONTROL ? 4 : 5>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
