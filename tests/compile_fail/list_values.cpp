// SPDX-License-Identifier: MIT
// More values side by side than a list holds.
// expect: values: too many side by side (the shapes count them); join some of them earlier
// expect: Layer<0>
// expect: Found<Shape<65>>
// expect: Wanted<Shape<64>>
#include <tarn/tarn.hpp>

using namespace tarn;

template <class M> using Eight = Parallel<M, M, M, M, M, M, M, M>;

using In = Shape<4>;
using Net = Sequential<Eight<Eight<std::conditional_t<CONTROL, ReLU, Parallel<ReLU, ReLU>>>>, Concat>;
static_assert(Accepts<Net, In> == CONTROL);
static_assert(Model<Net, In>::arena_bytes <= 65536);
