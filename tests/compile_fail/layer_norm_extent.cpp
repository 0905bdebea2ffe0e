// SPDX-License-Identifier: MIT
// A layer norm without channels.
// expect: LayerNorm: channels must be at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<6, 4>;
using Net = Sequential<LayerNorm<CONTROL ? 4 : 0>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
