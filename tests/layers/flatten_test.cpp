// SPDX-License-Identifier: MIT
// Flatten in PyTorch's order and in memory's, with and without a Linear to take the permutation.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("features in PyTorch's order", "[layers]") {
    const Fixtures file("flatten");
    check_case<Sequential<Flatten>, Shape<3, 2, 4>>(file, "flatten_3x2x4");
    check_case<Sequential<Flatten, Linear<24, 5>>, Shape<3, 2, 4>>(file, "flatten_linear_3x2x4_5");
    check_case<Sequential<Conv2d<2, 4, Kernel<3>, Padding<1>>, Flatten, Linear<60, 7>>, Shape<5, 3, 2>>(
        file, "conv_flatten_linear_5x3x2_4_7");
    check_case<Sequential<Conv2d<3, 8, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<120, 17>>,
               Shape<6, 10, 3>>(file, "conv_relu_pool_flatten_linear_6x10x3_8_17");
    check_case<Sequential<Conv2d<2, 5, Kernel<3>, Padding<1>>, Flatten, ReLU, Linear<60, 6>>, Shape<4, 3, 2>>(
        file, "conv_flatten_relu_linear_4x3x2_5_6");
    check_case<Sequential<Conv2d<2, 5, Kernel<3>, Padding<1>>, Flatten, BatchNorm1d<60>, Linear<60, 6>>,
               Shape<3, 4, 2>>(file, "conv_flatten_bn_linear_3x4x2_5_6");
    check_case<Sequential<Conv2d<2, 5, Kernel<3>, Padding<1>>, Flatten>, Shape<4, 3, 2>>(file, "conv_flatten_4x3x2_5");
    check_case<Sequential<GlobalAvgPool2d, Flatten, Linear<6, 3>>, Shape<4, 5, 6>>(file,
                                                                                   "global_flatten_linear_4x5x6_3");
}

TEST_CASE("features in the order they lie in memory", "[layers]") {
    const Fixtures file("flatten");
    check_case<Sequential<FlattenChannelsLast, Linear<24, 5>>, Shape<3, 2, 4>>(file, "flatten_last_linear_3x2x4_5");
    check_case<Sequential<Conv2d<2, 4, Kernel<3>, Padding<1>>, FlattenChannelsLast, Linear<60, 7>>, Shape<5, 3, 2>>(
        file, "conv_flatten_last_linear_5x3x2_4_7");
}
