// SPDX-License-Identifier: MIT
// Frames flattened into features: what comes next would want all of them.
// expect: stream: this layer takes frames for another axis; flatten, reshape and concat must leave the first axis
// expect: StreamAcross
// expect: Layer<2>
// expect: Found<Shape<64>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<16, 4>;
#if CONTROL
using Net = Sequential<Linear<4, 4>, Reshape<Shape<16, 4>>, Linear<4, 2>>;
#else
using Net = Sequential<Linear<4, 4>, FlattenChannelsLast, Linear<64, 2>>;
#endif
static_assert(Model<Net, In>::Stream::state_bytes > 0);
