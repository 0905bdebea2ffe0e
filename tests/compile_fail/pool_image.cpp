// SPDX-License-Identifier: MIT
// Pooling of a vector.
// expect: pool: input must be an image [H, W, C]; reshape the input or remove what flattens it before this layer
// expect: Layer<1>
// expect: Found<Shape<64>>
// expect: Wanted<Shape<1, 1, 64>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<8, 8, 1>;
using Net = Sequential<std::conditional_t<CONTROL, ReLU, Flatten>, MaxPool2d<2>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
