// SPDX-License-Identifier: MIT
// BatchNorm as PyTorch computes it, folded into the layer before it.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("batch norm folded into a convolution", "[layers]") {
    const Fixtures file("norm");
    check_case<Sequential<Conv2d<3, 8, Kernel<3>, Padding<1>>, BatchNorm2d<8>>, Shape<6, 5, 3>>(file,
                                                                                                "conv_bn_6x5x3_8");
    check_case<Sequential<Conv2d<3, 17, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<17>>, Shape<6, 5, 3>>(
        file, "conv_nobias_bn_6x5x3_17");
    check_case<Sequential<Conv2d<4, 16, Kernel<3>, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<16>, ReLU>,
               Shape<7, 6, 4>>(file, "conv_bn_relu_7x6x4_16_s2");
    check_case<Sequential<Conv2d<3, 8, Kernel<3>, Padding<1>>, BatchNorm2d<8, Eps<std::ratio<1, 100>>>, ReLU>,
               Shape<5, 5, 3>>(file, "conv_bn_relu_5x5x3_8_eps1e-2");
    check_case<Sequential<Conv2d<3, 8, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<8>>, Shape<5, 4, 3>>(
        file, "conv_bn_5x4x3_8_tiny_var");
    check_case<Sequential<Conv2d<8, 12, Kernel<3>, Padding<1>, Groups<4>, NoBias>, BatchNorm2d<12>>, Shape<5, 6, 8>>(
        file, "grouped_bn_5x6x8_12_g4");
    check_case<Sequential<Conv2d<9, 9, Kernel<3>, Padding<1>, Groups<9>, NoBias>, BatchNorm2d<9>>, Shape<6, 7, 9>>(
        file, "depthwise_bn_6x7x9");
    check_case<Sequential<Conv2d<24, 24, Kernel<3>, Stride<2>, Padding<1>, Groups<24>, NoBias>, BatchNorm2d<24>, ReLU6>,
               Shape<8, 7, 24>>(file, "depthwise_bn_relu6_8x7x24_s2");
}

TEST_CASE("batch norm folded into a linear layer", "[layers]") {
    const Fixtures file("norm");
    check_case<Sequential<Linear<12, 9>, BatchNorm1d<9>>, Shape<1, 12>>(file, "linear_bn_t1_12_9");
    check_case<Sequential<Linear<12, 9, NoBias>, BatchNorm1d<9>, SiLU>, Shape<6, 12>>(file,
                                                                                      "linear_nobias_bn_silu_t6_12_9");
}
