// SPDX-License-Identifier: MIT
// Conv2d as PyTorch computes it: kernels of 3x3 and 1x1, and channels beside the kernel's block of channels.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("convolutions of 3x3", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<3, 16, Kernel<3>, Padding<1>>, Shape<8, 8, 3>>(file, "conv_8x8x3_16_k3_p1");
    check_case<Conv2d<1, 16, Kernel<3>, Padding<1>>, Shape<8, 8, 1>>(file, "conv_8x8x1_16_k3_p1");
    check_case<Conv2d<16, 32, Kernel<3>, Padding<1>>, Shape<6, 5, 16>>(file, "conv_6x5x16_32_k3_p1");
    check_case<Conv2d<4, 8, Kernel<3>>, Shape<7, 9, 4>>(file, "conv_7x9x4_8_k3");
}

TEST_CASE("convolutions of 1x1 are matrix products", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<5, 7, Kernel<1>>, Shape<6, 6, 5>>(file, "conv_6x6x5_7_k1");
    check_case<Conv2d<16, 24, Kernel<1>>, Shape<5, 7, 16>>(file, "conv_5x7x16_24_k1");
    check_case<Conv2d<24, 17, Kernel<1>>, Shape<4, 3, 24>>(file, "conv_4x3x24_17_k1");
    check_case<Conv2d<8, 33, Kernel<1>, NoBias>, Shape<3, 5, 8>>(file, "conv_3x5x8_33_k1_nobias");
    check_case<Conv2d<4, 6, Kernel<1>, Stride<2>>, Shape<7, 6, 4>>(file, "conv_7x6x4_6_k1_s2");
}

TEST_CASE("output channels beside a block of 16, one channel in, one channel out", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<9, 1, Kernel<3>, Padding<1>>, Shape<6, 6, 9>>(file, "conv_6x6x9_1_k3_p1");
    check_case<Conv2d<1, 1, Kernel<3>, Padding<1>, NoBias>, Shape<5, 5, 1>>(file, "conv_5x5x1_1_k3_p1_nobias");
    check_case<Conv2d<3, 17, Kernel<3>, Padding<1>>, Shape<6, 7, 3>>(file, "conv_6x7x3_17_k3_p1");
    check_case<Conv2d<4, 33, Kernel<3>, Padding<1>>, Shape<5, 6, 4>>(file, "conv_5x6x4_33_k3_p1");
}
