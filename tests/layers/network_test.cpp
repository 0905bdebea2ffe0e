// SPDX-License-Identifier: MIT
// Small networks as PyTorch computes them: residual blocks of every kind, a classifier, a perceptron.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

namespace {

template <int I, int O, int Step = 1>
using Block = Sequential<Conv2d<I, O, Kernel<3>, Stride<Step>, Padding<1>, NoBias>, BatchNorm2d<O>, ReLU,
                         Conv2d<O, O, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<O>>;

/// MobileNetV2's block of I, E and O channels.
template <int I, int E, int O, int Step = 1>
using Inverted = Sequential<Conv2d<I, E, Kernel<1>, NoBias>, BatchNorm2d<E>, ReLU6,
                            Conv2d<E, E, Kernel<3>, Stride<Step>, Padding<1>, Groups<E>, NoBias>, BatchNorm2d<E>, ReLU6,
                            Conv2d<E, O, Kernel<1>, NoBias>, BatchNorm2d<O>>;

} // namespace

TEST_CASE("residual blocks", "[layers]") {
    const Fixtures file("network");
    check_case<Sequential<Residual<Sequential<ReLU>>>, Shape<4, 3, 5>>(file, "residual_relu_4x3x5");
    check_case<Sequential<Residual<Block<8, 8>>, ReLU>, Shape<6, 7, 8>>(file, "resblock_6x7x8");
    check_case<Sequential<Conv2d<3, 8, Kernel<3>, Padding<1>>, ReLU, Residual<Block<8, 8>>, ReLU>, Shape<6, 5, 3>>(
        file, "stem_resblock_6x5x3_8");
    check_case<
        Sequential<Residual<Block<6, 12, 2>, Sequential<Conv2d<6, 12, Kernel<1>, Stride<2>, NoBias>, BatchNorm2d<12>>>,
                   ReLU>,
        Shape<8, 7, 6>>(file, "projection_8x7x6_12");
    check_case<Sequential<Residual<
                   Sequential<ReLU, Conv2d<8, 8, Kernel<3>, Padding<1>>, ReLU, Conv2d<8, 8, Kernel<3>, Padding<1>>>>>,
               Shape<5, 6, 8>>(file, "preactivation_5x6x8");
    check_case<Sequential<Conv2d<8, 8, Kernel<3>, Padding<1>>,
                          Residual<Sequential<BatchNorm2d<8>, ReLU, Conv2d<8, 8, Kernel<3>, Padding<1>, NoBias>,
                                              BatchNorm2d<8>, ReLU, Conv2d<8, 8, Kernel<3>, Padding<1>>>>>,
               Shape<5, 6, 8>>(file, "preactivation_bn_5x6x8");
    check_case<Sequential<Residual<Sequential<Conv2d<6, 6, Kernel<3>, Padding<1>>,
                                              Residual<Sequential<ReLU, Conv2d<6, 6, Kernel<3>, Padding<1>>>>, ReLU>>,
                          ReLU>,
               Shape<5, 5, 6>>(file, "nested_residual_5x5x6");
    check_case<Sequential<Residual<Sequential<Linear<12, 20>, GELU, Linear<20, 12>>>>, Shape<4, 12>>(
        file, "residual_linear_t4_12");
}

TEST_CASE("inverted residual blocks", "[layers]") {
    const Fixtures file("network");
    check_case<Sequential<Residual<Inverted<8, 48, 8>>>, Shape<8, 7, 8>>(file, "inverted_residual_8x7x8_48");
    check_case<Sequential<Inverted<6, 24, 12, 2>, Residual<Inverted<12, 48, 12>>>, Shape<8, 8, 6>>(
        file, "two_inverted_8x8x6_12");
}

TEST_CASE("a classifier of images and a perceptron", "[layers]") {
    const Fixtures file("network");
    check_case<Sequential<Conv2d<3, 8, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Conv2d<8, 16, Kernel<3>, Padding<1>>,
                          ReLU, MaxPool2d<2>, Flatten, Linear<96, 10>, Softmax>,
               Shape<12, 10, 3>>(file, "cnn_12x10x3");
    check_case<Sequential<Linear<48, 32>, SiLU, Linear<32, 16>, SiLU, Linear<16, 12>>, Shape<1, 48>>(
        file, "mlp_t1_48_32_16_12");
}
