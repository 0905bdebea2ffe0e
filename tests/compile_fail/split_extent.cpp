// SPDX-License-Identifier: MIT
// A split with an empty part.
// expect: Split: name the features of each value, each at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<6, 5>;
using Net = Sequential<std::conditional_t<CONTROL, Split<3, 2>, Split<5, 0>>, Concat>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
