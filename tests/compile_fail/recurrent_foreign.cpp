// SPDX-License-Identifier: MIT
// An option of convolutions given to an LSTM.
// expect: GRU, LSTM: the only option is NoBias, once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<5, 4>;
using Net = Sequential<LSTM<4, 2, std::conditional_t<CONTROL, NoBias, Causal>>>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
