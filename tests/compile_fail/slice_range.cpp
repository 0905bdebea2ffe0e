// SPDX-License-Identifier: MIT
// A slice of nothing.
// expect: Slice: Begin must not be negative and Count at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<7, 5>;
using Net = Sequential<Slice<3, CONTROL ? 2 : 0>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
