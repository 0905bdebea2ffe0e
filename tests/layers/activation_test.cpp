// SPDX-License-Identifier: MIT
// Activations and softmax as PyTorch computes them.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;
using tarn_test::Tolerance;

namespace {

constexpr Tolerance activation{1e-6, 1e-5};
constexpr Tolerance softmax{1e-6, 0.0};

} // namespace

TEST_CASE("activations, from -1e30 to 1e30", "[layers]") {
    const Fixtures file("activation");
    check_case<ReLU, Shape<16, 17>>(file, "relu", activation);
    check_case<ReLU6, Shape<16, 17>>(file, "relu6", activation);
    check_case<LeakyReLU<>, Shape<16, 17>>(file, "leaky_relu_0.01", activation);
    check_case<LeakyReLU<std::ratio<1, 5>>, Shape<16, 17>>(file, "leaky_relu_0.2", activation);
    check_case<Sigmoid, Shape<16, 17>>(file, "sigmoid", activation);
    check_case<Tanh, Shape<16, 17>>(file, "tanh", activation);
    check_case<GELU, Shape<16, 17>>(file, "gelu", activation);
    check_case<GELUTanh, Shape<16, 17>>(file, "gelu_tanh", activation);
    check_case<SiLU, Shape<16, 17>>(file, "silu", activation);
    check_case<HardSwish, Shape<16, 17>>(file, "hardswish", activation);
    check_case<ELU<>, Shape<16, 17>>(file, "elu_1.0", activation);
    check_case<ELU<std::ratio<1, 2>>, Shape<16, 17>>(file, "elu_0.5", activation);
}

TEST_CASE("softmax of any finite logits", "[layers]") {
    const Fixtures file("softmax");
    check_case<Softmax, Shape<1, 6>>(file, "softmax_1x6_very_negative", softmax);
    check_case<Softmax, Shape<2, 4>>(file, "softmax_2x4_shifted", softmax);
    check_case<Softmax, Shape<2, 5>>(file, "softmax_2x5_large", softmax);
    check_case<Softmax, Shape<1, 3>>(file, "softmax_1x3_equal", softmax);
    check_case<Softmax, Shape<5, 7>>(file, "softmax_5x7", softmax);
    check_case<Softmax, Shape<3, 1>>(file, "softmax_3x1", softmax);
    check_case<Softmax, Shape<1, 10>>(file, "softmax_1x10", softmax);
    check_case<Softmax, Shape<4, 33>>(file, "softmax_4x33", softmax);
    check_case<Softmax, Shape<3, 2, 17>>(file, "softmax_3x2x17", softmax);
}
