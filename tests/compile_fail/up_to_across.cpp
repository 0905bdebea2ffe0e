// SPDX-License-Identifier: MIT
// Flattening rows whose number is only known while running.
// expect: UpTo: this layer mixes the varying first axis with others; pool over all of that axis before, or keep it
// expect: CountAcross
// expect: Layer<1>
// expect: Found<Shape<16, 8>>
#include <tarn/tarn.hpp>

using namespace tarn;

#if CONTROL
using Net = Sequential<Conv1d<4, 8, Kernel<1>>, Linear<8, 3>>;
#else
using Net = Sequential<Conv1d<4, 8, Kernel<1>>, Flatten, Linear<128, 3>>;
#endif
static_assert(Model<Net, UpTo<Shape<16, 4>>>::arena_bytes > 0);
