// SPDX-License-Identifier: MIT
// A convolution padded on both sides sees a frame that has not come; on its own, or inside a residual.
// expect: stream: this layer sees frames that have not come, by its padding behind; pad before only, as Causal does
// expect: StreamFuture
// expect: Layer<1, 0, 0>
// expect: Found<Shape<32, 8>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<32, 4>;
using Net = Sequential<Linear<4, 8>,
                       Residual<Sequential<Conv1d<8, 8, Kernel<3>, Padding<CONTROL ? 2 : 1, CONTROL ? 0 : 1>>, ReLU>>>;
static_assert(Model<Net, In>::Stream::state_bytes > 0);
