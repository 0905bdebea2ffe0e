// SPDX-License-Identifier: MIT
// A convolution along time of an image.
// expect: frames: input must be [T, C] for layers over time; reshape the input or remove what changes its axes before
// expect: this layer
// expect: Layer<1>
// expect: Found<Shape<16, 2, 4>>
// expect: Wanted<Shape<16, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = std::conditional_t<CONTROL, Shape<16, 4>, Shape<16, 2, 4>>;
using Net = Sequential<ReLU, Conv1d<4, 8, Kernel<3>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
