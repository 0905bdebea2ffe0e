// SPDX-License-Identifier: MIT
// Whole networks against the reference, every way they can run.
// The last word on flatten, fuse, plan and session together.
// Knows the public face only.
#include "support/model_check.hpp"

using namespace tarn;
using tarn_test::check_network;

TEST_CASE("the digits network") {
    using Net = Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>,
                           Conv2d<16, 32, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<32 * 2 * 2, 10>>;
    check_network<Net, Shape<8, 8, 1>>(1);
    STATIC_REQUIRE(Model<Net, Shape<8, 8, 1>>::arena_bytes == 1792);
}

TEST_CASE("a residual block whose skip survives") {
    using Block = Sequential<Conv2d<24, 24, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<24>, ReLU,
                             Conv2d<24, 24, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<24>>;
    check_network<Sequential<Residual<Block>, ReLU>, Shape<9, 7, 24>>(2);
    check_network<Sequential<Conv2d<3, 24, Kernel<3>>, Residual<Block>, ReLU, Residual<Block>, ReLU>, Shape<11, 9, 3>>(
        3);
}

TEST_CASE("a residual block with a projection") {
    using Block = Sequential<Conv2d<8, 20, Kernel<3>, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<20>, ReLU,
                             Conv2d<20, 20, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<20>>;
    using Shortcut = Sequential<Conv2d<8, 20, Kernel<1>, Stride<2>, NoBias>, BatchNorm2d<20>>;
    check_network<Sequential<Residual<Block, Shortcut>, ReLU, GlobalAvgPool2d, Flatten, Linear<20, 7>, Softmax>,
                  Shape<9, 12, 8>>(4);
}

TEST_CASE("a value with two readers where one could run in place") {
    // y = relu(x); z = x + y: x survives.
    check_network<Residual<ReLU>, Shape<5, 6, 3>>(5);
    check_network<Sequential<Conv2d<3, 3, Kernel<1>>, Residual<Sequential<ReLU, Tanh>>>, Shape<5, 6, 3>>(6);
    check_network<Residual<Residual<Sigmoid>>, Shape<13>>(7);
    check_network<Sequential<Linear<13, 13>, Residual<Sequential<>>>, Shape<13>>(8); // x + x
}

TEST_CASE("an inverted residual") {
    using Expand = Sequential<Conv2d<12, 72, Kernel<1>, NoBias>, BatchNorm2d<72>, ReLU6,
                              Conv2d<72, 72, Kernel<3>, Padding<1>, Groups<72>, NoBias>, BatchNorm2d<72>, ReLU6,
                              Conv2d<72, 12, Kernel<1>, NoBias>, BatchNorm2d<12>>;
    check_network<Sequential<Residual<Expand>, Residual<Expand>>, Shape<10, 7, 12>>(9);
}

TEST_CASE("perceptrons, rows and single") {
    using Mlp = Sequential<Linear<48, 32>, SiLU, Linear<32, 16>, GELU, Linear<16, 12>>;
    check_network<Mlp, Shape<48>>(10);
    check_network<Mlp, Shape<1, 48>>(11);
    check_network<Mlp, Shape<29, 48>>(12);
    check_network<Sequential<Linear<7, 300>, ReLU, BatchNorm1d<300>, Linear<300, 3>, Softmax>, Shape<5, 7>>(13);
}

TEST_CASE("networks that end where they began, and layers without a producer") {
    check_network<Sequential<BatchNorm2d<5>, ReLU>, Shape<4, 3, 5>>(14);
    check_network<Sequential<ReLU>, Shape<1>>(15);
    check_network<Sequential<MaxPool2d<2>, Flatten>, Shape<6, 4, 5>>(16);        // a permutation nobody absorbs
    check_network<Sequential<Flatten, ReLU, Linear<60, 4>>, Shape<3, 4, 5>>(17); // absorbed past an activation
    check_network<Sequential<Flatten, Softmax>, Shape<3, 4, 5>>(18);
    check_network<Sequential<FlattenChannelsLast, Linear<60, 4>>, Shape<3, 4, 5>>(19);
    check_network<Sequential<Flatten, Residual<Linear<60, 60>>>, Shape<3, 4, 5>>(20);
}
