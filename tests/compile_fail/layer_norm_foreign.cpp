// SPDX-License-Identifier: MIT
// An option of convolutions given to a layer norm.
// expect: LayerNorm: options are Eps and, for weight and bias, NoBias or NoAffine, each at most once
#include <tarn/tarn.hpp>

using namespace tarn;

using In = Shape<6, 4>;
using Net = Sequential<LayerNorm<4, std::conditional_t<CONTROL, NoAffine, Groups<2>>>>;
static_assert(Model<Net, In>::arena_bytes <= 65536);
