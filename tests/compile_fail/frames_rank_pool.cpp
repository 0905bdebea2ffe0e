// SPDX-License-Identifier: MIT
// Pooling along time of features without time.
// expect: frames: input must be [T, C] for layers over time; reshape the input or remove what changes its axes before
// expect: this layer
// expect: Layer<1>
// expect: Found<Shape<64>>
// expect: Wanted<Shape<1, 64>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<16, 4>;
using Net = Sequential<std::conditional_t<CONTROL, ReLU, Flatten>, MaxPool1d<2>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
