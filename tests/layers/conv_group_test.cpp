// SPDX-License-Identifier: MIT
// Conv2d as PyTorch computes it: groups and depthwise convolution.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("groups", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<8, 8, Kernel<3>, Padding<1>, Groups<4>>, Shape<6, 6, 8>>(file, "conv_6x6x8_8_k3_p1_g4");
    check_case<Conv2d<12, 18, Kernel<3>, Padding<1>, Groups<3>>, Shape<5, 6, 12>>(file, "conv_5x6x12_18_k3_p1_g3");
    check_case<Conv2d<16, 32, Kernel<1>, Groups<2>>, Shape<4, 5, 16>>(file, "conv_4x5x16_32_k1_g2");
    check_case<Conv2d<6, 12, Kernel<3>, Padding<1>, Groups<6>>, Shape<6, 6, 6>>(file, "conv_6x6x6_12_k3_p1_g6");
}

TEST_CASE("depthwise convolution", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<16, 16, Kernel<3>, Padding<1>, Groups<16>>, Shape<8, 7, 16>>(file, "conv_8x7x16_16_k3_p1_g16");
    check_case<Conv2d<8, 8, Kernel<3>, Stride<2>, Padding<1>, Groups<8>, NoBias>, Shape<9, 8, 8>>(
        file, "conv_9x8x8_8_k3_s2_p1_g8_nobias");
    check_case<Conv2d<17, 17, Kernel<3>, Padding<1>, Groups<17>>, Shape<7, 7, 17>>(file, "conv_7x7x17_17_k3_p1_g17");
    check_case<Conv2d<24, 24, Kernel<5>, Stride<2>, Padding<2>, Groups<24>>, Shape<8, 8, 24>>(
        file, "conv_8x8x24_24_k5_s2_p2_g24");
    check_case<Conv2d<5, 5, Kernel<3>, Padding<2>, Dilation<2>, Groups<5>>, Shape<9, 9, 5>>(file,
                                                                                            "conv_9x9x5_5_k3_p2_d2_g5");
    check_case<Conv2d<4, 4, Kernel<2, 3>, Padding<0, 1, 1, 2>, Groups<4>>, Shape<6, 5, 4>>(
        file, "conv_6x5x4_4_k2x3_s1_p0x1x1x2_g4");
}
