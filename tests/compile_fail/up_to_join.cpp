// SPDX-License-Identifier: MIT
// A sum of rows as they come and of something that has always so many rows.
// expect: UpTo: this layer joins a value whose rows vary with one whose rows do not; pool or keep the first axis in
// both expect: CountJoin expect: Layer<1> expect: Found<Shape<1, 5, 4>>
#include <tarn/tarn.hpp>

using namespace tarn;

using Down = Conv2d<4, 4, Kernel<4, 1>, Padding<CONTROL, CONTROL, 0, 0>>;
using Net =
    Sequential<Parallel<Down, Conv2d<4, 4, Kernel<4, 1>, Padding<1, 1, 0, 0>, Stride<CONTROL ? 1 : 3, 1>>>, Add>;
static_assert(Model<Net, UpTo<Shape<4, 5, 4>>>::arena_bytes > 0);
