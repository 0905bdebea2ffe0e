// SPDX-License-Identifier: MIT
// An upsampling of features.
// expect: upsample: input must be an image [H, W, C]; reshape the input or remove what flattens it before this layer
// expect: Layer<1>
// expect: Found<Shape<60>>
// expect: Wanted<Shape<1, 1, 60>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<3, 5, 4>;
using Net = Sequential<std::conditional_t<CONTROL, ReLU, Flatten>, Upsample<2>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
