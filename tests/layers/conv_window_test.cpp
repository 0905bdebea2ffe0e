// SPDX-License-Identifier: MIT
// Conv2d as PyTorch computes it: kernels, strides and dilations of all forms.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("kernels of 2x2, strides along one axis, strides beyond the kernel", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<3, 5, Kernel<2>>, Shape<6, 7, 3>>(file, "conv_6x7x3_5_k2");
    check_case<Conv2d<4, 8, Kernel<2>, Stride<2>>, Shape<8, 6, 4>>(file, "conv_8x6x4_8_k2_s2");
    check_case<Conv2d<3, 8, Kernel<3>, Stride<2>, Padding<1>>, Shape<7, 7, 3>>(file, "conv_7x7x3_8_k3_s2_p1");
    check_case<Conv2d<6, 24, Kernel<3>, Stride<1, 2>, Padding<1>>, Shape<8, 5, 6>>(file, "conv_8x5x6_24_k3_s1x2_p1");
    check_case<Conv2d<2, 5, Kernel<3>, Stride<3>>, Shape<9, 9, 2>>(file, "conv_9x9x2_5_k3_s3");
    check_case<Conv2d<3, 4, Kernel<2>, Stride<4>>, Shape<11, 10, 3>>(file, "conv_11x10x3_4_k2_s4");
    check_case<Conv2d<3, 4, Kernel<1>, Stride<3>>, Shape<10, 11, 3>>(file, "conv_10x11x3_4_k1_s3");
}

TEST_CASE("kernels of 5x5 and 7x7", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<3, 8, Kernel<5>, Padding<2>>, Shape<9, 8, 3>>(file, "conv_9x8x3_8_k5_p2");
    check_case<Conv2d<3, 16, Kernel<7>, Stride<2>, Padding<3>>, Shape<12, 11, 3>>(file, "conv_12x11x3_16_k7_s2_p3");
    check_case<Conv2d<2, 6, Kernel<5>, Stride<4>, Padding<1>>, Shape<9, 10, 2>>(file, "conv_9x10x2_6_k5_s4_p1");
}

TEST_CASE("kernels that are not square", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<4, 5, Kernel<3, 1>, Padding<1, 0>>, Shape<6, 8, 4>>(file, "conv_6x8x4_5_k3x1_p1x0");
    check_case<Conv2d<4, 5, Kernel<1, 3>, Padding<0, 1>>, Shape<8, 6, 4>>(file, "conv_8x6x4_5_k1x3_p0x1");
    check_case<Conv2d<3, 17, Kernel<1, 7>, Padding<0, 3>>, Shape<5, 9, 3>>(file, "conv_5x9x3_17_k1x7_p0x3");
}

TEST_CASE("dilations", "[layers]") {
    const Fixtures file("conv");
    check_case<Conv2d<4, 6, Kernel<3, 2>, Stride<2, 1>, Padding<1>, Dilation<1, 2>, Groups<2>, NoBias>, Shape<7, 5, 4>>(
        file, "conv_7x5x4_6_k3x2_s2x1_p1_d1x2_g2_nobias");
    check_case<Conv2d<3, 8, Kernel<3>, Padding<2>, Dilation<2>>, Shape<9, 9, 3>>(file, "conv_9x9x3_8_k3_p2_d2");
    check_case<Conv2d<2, 4, Kernel<3>, Padding<3>, Dilation<3>>, Shape<11, 8, 2>>(file, "conv_11x8x2_4_k3_p3_d3");
    check_case<Conv2d<4, 4, Kernel<2, 3>, Stride<2>, Dilation<3, 2>>, Shape<9, 12, 4>>(file,
                                                                                       "conv_9x12x4_4_k2x3_s2_d3x2");
}
