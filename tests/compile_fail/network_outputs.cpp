// SPDX-License-Identifier: MIT
// A network that leaves nine values.
// expect: network: one to eight results may be left at its end (the shapes count them); join or drop some
// expect: Layer<>
// expect: Found<Shape<9>>
// expect: Wanted<Shape<8>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<9>;
using Net = Sequential<Split<1, 1, 1, 1, 1, 1, 1, 1, 1>, std::conditional_t<CONTROL, Concat, Identity>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
