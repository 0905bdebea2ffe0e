// SPDX-License-Identifier: MIT
// Dense and grouped convolutions at the tightest overlap their footprints allow, bit for bit.
// One panel of outputs and several, growing and shrinking, windows of every kind.
// Knows kernels and footprints; nothing of plans.
#include <tarn/nn/conv.hpp>

#include "kernels/overlap_check.hpp"

using namespace tarn;
using namespace tarn_test;

TEST_CASE("convolutions at the tightest overlap") {
    OverlapTally tally;
    check_layer<Conv2d<1, 1, Kernel<3>, Padding<1>>, Shape<7, 5, 1>>(tally);
    check_layer<Conv2d<3, 8, Kernel<3>, Stride<2>, Padding<1>>, Shape<9, 11, 3>>(tally);
    check_layer<Conv2d<8, 8, Kernel<3>, Padding<1>>, Shape<6, 13, 8>>(tally);
    check_layer<Conv2d<8, 16, Kernel<5>, Padding<2>>, Shape<6, 7, 8>>(tally);
    check_layer<Conv2d<16, 17, Kernel<3>, Padding<1>>, Shape<4, 14, 16>>(tally);
    check_layer<Conv2d<5, 40, Kernel<3>>, Shape<6, 16, 5>>(tally);
    check_layer<Conv2d<24, 12, Kernel<3>, Padding<1>>, Shape<5, 9, 24>>(tally);
    check_layer<Conv2d<16, 16, Kernel<3>, Padding<2>, Dilation<2>>, Shape<7, 8, 16>>(tally);
    check_layer<Conv2d<4, 33, Kernel<1, 7>, Padding<0, 3>>, Shape<3, 13, 4>>(tally);
    check_layer<Conv2d<6, 9, Kernel<2>, Stride<3>>, Shape<11, 12, 6>>(tally);
    check_layer<Conv2d<6, 20, Kernel<3>, Padding<1, 0, 0, 2>>, Shape<6, 7, 6>>(tally);
    check_layer<Conv2d<3, 24, Kernel<7>, Padding<3>>, Shape<3, 4, 3>>(tally); // the kernel larger than the image
    check_layer<Conv2d<5, 20, Kernel<3>, Padding<1>>, Shape<9, 1, 5>>(tally);
    check_layer<Conv2d<7, 18, Kernel<3>, Padding<1>>, Shape<1, 1, 7>>(tally);
    check_layer<Conv2d<3, 4, Kernel<3>, Padding<1>>, Shape<3, 100, 3>>(tally); // rows longer than a block
    check_layer<Conv2d<20, 20, Kernel<3>, Padding<1>>, Shape<4, 37, 20>>(tally);
    check_fused<Conv2d<18, 18, Kernel<3>, Padding<1>>, Shape<5, 6, 18>, true, Activation::relu>(tally);
    check_fused<Conv2d<8, 8, Kernel<3>, Padding<1>>, Shape<5, 6, 8>, true, Activation::silu>(tally);
    report(tally, "convolutions");
}

TEST_CASE("convolutions of large weights at the tightest overlap") {
    OverlapTally tally;
    check_layer<Conv2d<96, 48, Kernel<3>, Padding<1>>, Shape<9, 7, 96>>(tally);   // whole rows together
    check_layer<Conv2d<80, 56, Kernel<3>, Padding<1>>, Shape<4, 90, 80>>(tally);  // a part of a row
    check_layer<Conv2d<288, 24, Kernel<3>, Padding<1>>, Shape<5, 6, 288>>(tally); // one kernel row after another
    check_layer<Conv2d<288, 19, Kernel<3>, Stride<2>, Padding<2, 1, 0, 0>>, Shape<6, 5, 288>>(tally);
    check_layer<Conv2d<320, 16, Kernel<3>, Padding<4, 4, 1, 1>>, Shape<2, 3, 320>>(tally); // rows that see no input
    check_layer<Conv2d<520, 70, Kernel<1>>, Shape<7, 9, 520>>(tally);
    check_layer<Conv2d<288, 400, Kernel<3>, Padding<1>>, Shape<21, 20, 288>>(tally); // two rows wait in scratch
    check_fused<Conv2d<288, 20, Kernel<3>, Padding<1>>, Shape<4, 6, 288>, true, Activation::relu>(tally);
    check_fused<Conv2d<96, 48, Kernel<3>, Padding<1>>, Shape<4, 6, 96>, true, Activation::relu>(tally);
    report(tally, "convolutions of large weights");
}

TEST_CASE("grouped convolutions at the tightest overlap") {
    OverlapTally tally;
    check_layer<Conv2d<8, 8, Kernel<3>, Padding<1>, Groups<2>>, Shape<5, 7, 8>>(tally);
    check_layer<Conv2d<12, 36, Kernel<3>, Groups<3>>, Shape<6, 8, 12>>(tally);
    check_layer<Conv2d<6, 12, Kernel<3>, Padding<1>, Groups<6>>, Shape<5, 6, 6>>(tally);
    check_layer<Conv2d<32, 64, Kernel<1>, Groups<2>>, Shape<4, 7, 32>>(tally);
    check_layer<Conv2d<36, 12, Kernel<3>, Stride<2>, Padding<1>, Groups<3>>, Shape<7, 9, 36>>(tally);
    report(tally, "grouped convolutions");
}
