// SPDX-License-Identifier: MIT
// Conv2d as PyTorch computes it: images smaller than the kernel, paddings that differ from side to side, SAME.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("kernels larger than the image, images of one pixel, one row, one column", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<4, 8, Kernel<5>, Padding<2>>, Shape<2, 3, 4>>(file, "conv_2x3x4_8_k5_p2");
    check_case<Conv2d<2, 3, Kernel<7, 5>, Padding<3, 2>>, Shape<3, 2, 2>>(file, "conv_3x2x2_3_k7x5_p3x2");
    check_case<Conv2d<8, 12, Kernel<1>>, Shape<1, 1, 8>>(file, "conv_1x1x8_12_k1");
    check_case<Conv2d<6, 10, Kernel<3>, Padding<1>>, Shape<1, 1, 6>>(file, "conv_1x1x6_10_k3_p1");
    check_case<Conv2d<3, 4, Kernel<1, 3>>, Shape<1, 9, 3>>(file, "conv_1x9x3_4_k1x3");
    check_case<Conv2d<3, 4, Kernel<3, 1>, Stride<2>>, Shape<9, 1, 3>>(file, "conv_9x1x3_4_k3x1_s2");
}

TEST_CASE("padding that differs from side to side", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<4, 8, Kernel<3>, Padding<1, 0, 0, 1>>, Shape<6, 6, 4>>(file, "conv_6x6x4_8_k3_p1x0x0x1");
    check_case<Conv2d<1, 1, Kernel<3>, Stride<2>, Padding<1, 1, 0, 0>, NoBias>, Shape<7, 5, 1>>(
        file, "conv_7x5x1_1_k3_s2_p1x1x0x0_nobias");
    check_case<Conv2d<3, 4, Kernel<3>, Stride<2>, Padding<0, 1, 0, 1>>, Shape<6, 5, 3>>(file,
                                                                                        "conv_6x5x3_4_k3_s2_p0x1x0x1");
    check_case<Conv2d<2, 3, Kernel<2>, Padding<0, 3, 2, 0>>, Shape<5, 4, 2>>(file, "conv_5x4x2_3_k2_p0x3x2x0");
}

TEST_CASE("SAME padding, the odd pixel at the end or at the start", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<1, 1, Kernel<3>, Stride<2>, SameUpper, NoBias>, Shape<2, 2, 1>>(
        file, "conv_2x2x1_1_k3_s2_sameupper_nobias");
    check_case<Conv2d<1, 1, Kernel<3>, Stride<2>, SameLower, NoBias>, Shape<2, 2, 1>>(
        file, "conv_2x2x1_1_k3_s2_samelower_nobias");
    check_case<Conv2d<3, 5, Kernel<3>, Stride<2>, SameUpper>, Shape<7, 8, 3>>(file, "conv_7x8x3_5_k3_s2_sameupper");
    check_case<Conv2d<3, 5, Kernel<3>, Stride<2>, SameLower>, Shape<7, 8, 3>>(file, "conv_7x8x3_5_k3_s2_samelower");
    check_case<Conv2d<4, 4, Kernel<4>, SameUpper, Groups<4>>, Shape<8, 8, 4>>(file, "conv_8x8x4_4_k4_sameupper_g4");
    check_case<Conv2d<2, 3, Kernel<3>, Stride<3>, SameLower, Dilation<2>>, Shape<8, 9, 2>>(
        file, "conv_8x9x2_3_k3_s3_d2_samelower");
}
