// SPDX-License-Identifier: MIT
// Global pooling of rows of features.
// expect: pool: input must be an image [H, W, C]; reshape the input or remove what flattens it before this layer
// expect: Layer<0>
// expect: Found<Shape<8, 4>>
// expect: Wanted<Shape<8, 4, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = std::conditional_t<CONTROL, Shape<8, 4, 1>, Shape<8, 4>>;
using Net = Sequential<GlobalAvgPool2d>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
