// SPDX-License-Identifier: MIT
// A stream of a model that takes sums apart.
// expect: Stream: Winograd's tiles take rows that have not come yet; give the Model a policy without Winograd
#include <tarn/tarn.hpp>

using namespace tarn;

#if CONTROL
using Policy = Smallest;
#else
using Policy = Winograd<Smallest>;
#endif
using Net = Sequential<Conv2d<32, 32, Kernel<3>, Padding<2, 0, 1, 1>>, ReLU>;
static_assert(Model<Net, Shape<16, 16, 32>, Cpu<>, Policy>::Stream::state_bytes > 0);
