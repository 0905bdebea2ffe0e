// SPDX-License-Identifier: MIT
// Padding before that is longer than the window reaches: a row would be there before the first frame.
// expect: stream: this layer has rows before the first frame; pad at most one less than the dilated kernel reaches
// expect: StreamEarly
// expect: Layer<0>
// expect: Found<Shape<32, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<32, 4>;
using Net = Sequential<Conv1d<4, 8, Kernel<3>, Dilation<2>, Padding<CONTROL ? 4 : 5, 0>>>;
static_assert(Model<Net, In>::Stream::state_bytes > 0);
