// SPDX-License-Identifier: MIT
// A dilated kernel longer than the padded frames: 3 taps at a distance of 4 reach 9, 8 frames are there.
// expect: frames: the dilated kernel [K] is longer than the padded input [T]; pad more, use a smaller kernel or more
// expect: frames
// expect: Layer<0>
// expect: Found<Shape<8>>
// expect: Wanted<Shape<9>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<6, 4>;
using Net = Sequential<Conv1d<4, 8, Kernel<3>, Dilation<4>, Padding<CONTROL ? 2 : 1, 1>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
