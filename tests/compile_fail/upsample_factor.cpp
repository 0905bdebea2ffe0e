// SPDX-License-Identifier: MIT
// An upsampling that leaves nothing.
// expect: Upsample: factors must be at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<3, 5, 4>;
using Net = Sequential<Upsample<2, CONTROL ? 1 : 0>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
