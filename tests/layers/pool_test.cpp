// SPDX-License-Identifier: MIT
// Max, average and global pools as PyTorch computes them.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("max pools ignore padding", "[layers]") {
    const Fixtures file("pool");
    check_case<MaxPool2d<3, Stride<2>, Padding<1>>, Shape<3, 3, 1>>(file, "max_3x3x1_k3_s2_p1");
    check_case<MaxPool2d<2>, Shape<8, 8, 16>>(file, "max_8x8x16_k2_s2");
    check_case<MaxPool2d<3, Stride<2>, Padding<1>>, Shape<7, 9, 5>>(file, "max_7x9x5_k3_s2_p1");
    check_case<MaxPool2d<3, Stride<1>, Padding<1>>, Shape<6, 5, 4>>(file, "max_6x5x4_k3_s1_p1");
    check_case<Pool2d<PoolMode::max, Kernel<2, 3>>, Shape<8, 9, 3>>(file, "max_8x9x3_k2x3_s2x3");
    check_case<Pool2d<PoolMode::max, Kernel<2, 3>, Stride<1, 2>>, Shape<7, 8, 17>>(file, "max_7x8x17_k2x3_s1x2");
    check_case<MaxPool2d<2>, Shape<7, 6, 4>>(file, "max_7x6x4_k2_s2");
    check_case<MaxPool2d<2, CeilMode>, Shape<7, 5, 4>>(file, "max_7x5x4_k2_s2_ceil");
    check_case<MaxPool2d<3, Stride<2>, Padding<1>, CeilMode>, Shape<8, 9, 3>>(file, "max_8x9x3_k3_s2_p1_ceil");
    check_case<MaxPool2d<3, Stride<2>, CeilMode>, Shape<6, 7, 2>>(file, "max_6x7x2_k3_s2_ceil");
    check_case<MaxPool2d<2, Stride<4>, CeilMode>, Shape<2, 6, 3>>(file, "max_2x6x3_k2_s4_ceil");
    check_case<MaxPool2d<2, Padding<1>, CeilMode>, Shape<5, 7, 3>>(file, "max_5x7x3_k2_s2_p1_ceil");
    check_case<MaxPool2d<5, Stride<1>, Padding<2>>, Shape<5, 6, 33>>(file, "max_5x6x33_k5_s1_p2");
    check_case<MaxPool2d<3, Stride<2>, SameUpper>, Shape<7, 8, 3>>(file, "max_7x8x3_k3_s2_sameupper");
    check_case<MaxPool2d<2, SameLower>, Shape<7, 8, 3>>(file, "max_7x8x3_k2_s2_samelower");
    check_case<MaxPool2d<1>, Shape<1, 1, 3>>(file, "max_1x1x3_k1_s1");
}

TEST_CASE("average pools, with and without padding in the divisor", "[layers]") {
    const Fixtures file("pool");
    check_case<AvgPool2d<2>, Shape<8, 8, 16>>(file, "avg_8x8x16_k2_s2");
    check_case<AvgPool2d<3, Stride<1>>, Shape<7, 9, 5>>(file, "avg_7x9x5_k3_s1");
    check_case<AvgPool2d<3, Stride<2>, Padding<1>>, Shape<6, 7, 4>>(file, "avg_6x7x4_k3_s2_p1");
    check_case<AvgPool2d<3, Stride<2>, Padding<1>, ExcludePadding>, Shape<6, 7, 4>>(file, "avg_6x7x4_k3_s2_p1_exclude");
    check_case<Pool2d<PoolMode::average, Kernel<2, 3>, Stride<2, 1>, Padding<1, 0>>, Shape<7, 8, 3>>(
        file, "avg_7x8x3_k2x3_s2x1_p1x0");
    check_case<Pool2d<PoolMode::average, Kernel<2, 3>, Stride<2, 1>, Padding<1, 0>, ExcludePadding>, Shape<7, 8, 3>>(
        file, "avg_7x8x3_k2x3_s2x1_p1x0_exclude");
    check_case<AvgPool2d<2, CeilMode>, Shape<7, 6, 17>>(file, "avg_7x6x17_k2_s2_ceil");
    check_case<AvgPool2d<3, Stride<2>, Padding<1>, CeilMode>, Shape<8, 9, 3>>(file, "avg_8x9x3_k3_s2_p1_ceil");
    check_case<AvgPool2d<3, Stride<2>, Padding<1>, CeilMode, ExcludePadding>, Shape<8, 9, 3>>(
        file, "avg_8x9x3_k3_s2_p1_ceil_exclude");
    check_case<AvgPool2d<3, Stride<2>, CeilMode, ExcludePadding>, Shape<6, 8, 2>>(file, "avg_6x8x2_k3_s2_ceil_exclude");
    check_case<Pool2d<PoolMode::average, Kernel<2, 3>, Stride<2>, Padding<1>, CeilMode>, Shape<5, 8, 2>>(
        file, "avg_5x8x2_k2x3_s2_p1_ceil");
    check_case<Pool2d<PoolMode::average, Kernel<4, 3>, Stride<1>, Padding<2, 1>>, Shape<5, 4, 33>>(
        file, "avg_5x4x33_k4x3_s1_p2x1");
    check_case<AvgPool2d<3, Stride<2>, SameUpper, ExcludePadding>, Shape<7, 8, 3>>(file,
                                                                                   "avg_7x8x3_k3_s2_sameupper_exclude");
    check_case<AvgPool2d<2, SameLower, ExcludePadding>, Shape<7, 8, 3>>(file, "avg_7x8x3_k2_s2_samelower_exclude");
}

TEST_CASE("global average pools", "[layers]") {
    const Fixtures file("pool");
    check_case<GlobalAvgPool2d, Shape<6, 5, 7>>(file, "global_6x5x7");
    check_case<GlobalAvgPool2d, Shape<7, 7, 33>>(file, "global_7x7x33");
    check_case<GlobalAvgPool2d, Shape<1, 1, 4>>(file, "global_1x1x4");
}
