// SPDX-License-Identifier: MIT
// A sum of two branches that are alike for one frame only: one has a stride over time.
// expect: stream: this layer joins values that come at different rates; give its branches equal strides over time
// expect: StreamRates
// expect: Layer<1>
// expect: Found<Shape<1, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<1, 4>;
using Net = Sequential<Parallel<Conv1d<4, 4, Kernel<2>, Causal, Stride<CONTROL ? 1 : 2>>, Tanh>, Add>;
static_assert(Model<Net, In>::Stream::state_bytes > 0);
