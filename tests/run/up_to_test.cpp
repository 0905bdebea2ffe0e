// SPDX-License-Identifier: MIT
// UpTo: networks without branches, at every count of rows, have the bits of a Model of just so many rows; and what is
// said of inputs of wrong sizes.
// Knows the public face only.
#include "run/up_to_check.hpp"

using namespace tarn;
using tarn_test::check_up_to;
using tarn_test::counts;

namespace {

using Stack = Sequential<Linear<6, 24>, ReLU, LayerNorm<24>, Linear<24, 7>, Softmax>;
using Strided = Sequential<Conv1d<4, 12, Kernel<5>, Stride<2>, Padding<2>>, BatchNorm1d<12>, ReLU,
                           Conv1d<12, 9, Kernel<3>, Dilation<2>, Padding<2>>, Tanh>;
using Narrow = Sequential<Conv1d<4, 8, Kernel<3>>, ReLU, Conv1d<8, 8, Kernel<3>, Stride<2>>, Linear<8, 3>>;
using Depthwise = Sequential<Conv1d<8, 8, Kernel<3>, Padding<1>, Groups<8>>, ReLU, Conv1d<8, 16, Kernel<1>>, ReLU,
                             Conv1d<16, 16, Kernel<5>, Stride<2>, Padding<2>, Groups<16>>, Conv1d<16, 4, Kernel<1>>>;
using Pools = Sequential<Conv1d<3, 5, Kernel<1>>, MaxPool1d<3, Stride<2>, Padding<1>, CeilMode>, ReLU,
                         AvgPool1d<3, Stride<2>, Padding<1>, CeilMode>,
                         AvgPool1d<2, Stride<1>, Padding<1>, ExcludePadding>, Linear<5, 4>>;
using GatedUnit = Sequential<Conv1d<4, 6, Kernel<3>, Causal>, ReLU, GRU<6, 5>, Linear<5, 3>>;
using LongShort = Sequential<LSTM<4, 9>, ReLU, LSTM<9, 6>, Linear<6, 2>, Sigmoid>;

} // namespace

TEST_CASE("linear layers on rows, at every count") {
    check_up_to<Stack, Shape<9, 6>>(1, counts<9, 1, 2, 3, 4, 5, 6, 7, 8, 9>);
    check_up_to<Stack, Shape<300, 6>>(2, counts<300, 299, 1, 77, 150>, Cpu<>{});
}

TEST_CASE("convolutions over time, padded, strided, dilated, depthwise") {
    check_up_to<Strided, Shape<10, 4>>(3, counts<1, 2, 3, 4, 5, 6, 7, 8, 9, 10>);
    check_up_to<Narrow, Shape<9, 4>>(4, counts<9, 8, 7, 6, 5, 4, 3, 2, 1>);
    check_up_to<Depthwise, Shape<8, 8>>(5, counts<1, 2, 3, 4, 5, 6, 7, 8>);
}

TEST_CASE("pools over time with padding and ceil_mode") {
    check_up_to<Pools, Shape<12, 3>>(6, counts<12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1>);
}

TEST_CASE("recurrent layers take as many steps as there are") {
    check_up_to<GatedUnit, Shape<7, 4>>(7, counts<7, 1, 2, 3, 4, 5, 6>);
    check_up_to<LongShort, Shape<6, 4>>(8, counts<1, 2, 3, 4, 5, 6>);
}
