// SPDX-License-Identifier: MIT
// Inputs of no shape.
// expect: Inputs: name the shape of each input, as in Inputs<Shape<8>, Shape<4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using In = std::conditional_t<CONTROL, Inputs<Shape<4>>, Inputs<>>;
using Net = ReLU;
static_assert(Model<Net, In>::arena_bytes <= 65536);
