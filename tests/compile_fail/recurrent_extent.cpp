// SPDX-License-Identifier: MIT
// A GRU without hidden features.
// expect: GRU, LSTM: I and H must be at least 1
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<5, 4>;
using Net = Sequential<GRU<4, CONTROL ? 2 : 0>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
