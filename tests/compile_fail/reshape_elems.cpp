// SPDX-License-Identifier: MIT
// A reshape into more elements than there are.
// expect: reshape: input and wanted shape must have equally many elements; change the shape or the layer before it
// expect: Layer<1>
// expect: Found<Shape<6>>
// expect: Wanted<Shape<3, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<4>;
using Net = Sequential<Linear<4, 6>, Reshape<Shape<3, CONTROL ? 2 : 4>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
