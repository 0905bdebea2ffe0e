// SPDX-License-Identifier: MIT
// BatchNorm as PyTorch computes it: alone, and where no layer before it can take it.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("batch norm alone", "[layers]") {
    const Fixtures file("norm");
    check_case<Sequential<BatchNorm2d<7>>, Shape<5, 6, 7>>(file, "bn_5x6x7");
    check_case<Sequential<BatchNorm2d<17, Eps<std::ratio<1, 1000>>>>, Shape<4, 4, 17>>(file, "bn_4x4x17_eps1e-3");
    check_case<Sequential<BatchNorm2d<8>>, Shape<4, 3, 8>>(file, "bn_4x3x8_tiny_var");
    check_case<Sequential<BatchNorm1d<9>>, Shape<6, 9>>(file, "bn1d_t6_9");
}

TEST_CASE("batch norm that has no layer to be folded into", "[layers]") {
    const Fixtures file("norm");
    check_case<Sequential<BatchNorm2d<4>, ReLU, Conv2d<4, 8, Kernel<3>, Padding<1>>>, Shape<5, 6, 4>>(
        file, "bn_relu_conv_5x6x4_8");
    check_case<Sequential<BatchNorm2d<4>, Conv2d<4, 8, Kernel<3>, Padding<1>>>, Shape<5, 6, 4>>(file,
                                                                                                "bn_conv_5x6x4_8");
    check_case<Sequential<Conv2d<4, 8, Kernel<3>, Padding<1>>, ReLU, BatchNorm2d<8>>, Shape<5, 6, 4>>(
        file, "conv_relu_bn_5x6x4_8");
    check_case<Sequential<Conv2d<3, 8, Kernel<3>, Padding<1>>, MaxPool2d<2>, BatchNorm2d<8>>, Shape<6, 8, 3>>(
        file, "conv_maxpool_bn_6x8x3_8");
    check_case<Sequential<Conv2d<3, 6, Kernel<3>, Padding<1>>, BatchNorm2d<6>, BatchNorm2d<6>>, Shape<5, 4, 3>>(
        file, "conv_bn_bn_5x4x3_6");
}
