// SPDX-License-Identifier: MIT
// A forward and a packing inside static_asserts: what the reference kernels promise.
// Values worked out by hand. Knows the public face only.
#include "support/model_check.hpp"

using namespace tarn;

namespace {

// Exclusive or: two hidden units, x + y and x + y - 1, then h0 - 2 h1.
using Xor = Sequential<Linear<2, 2>, ReLU, Linear<2, 1>>;
constexpr float hidden_weight[] = {1.F, 1.F, 1.F, 1.F};
constexpr float hidden_bias[] = {0.F, -1.F};
constexpr float output_weight[] = {1.F, -2.F};
constexpr float output_bias[] = {0.F};
constexpr const float* parameters[] = {hidden_weight, hidden_bias, output_weight, output_bias};

constexpr double exclusive_or(float x, float y) {
    const float input[] = {x, y};
    return reference_forward<Xor, Shape<2>>(input, parameters)[0];
}
static_assert(exclusive_or(0.F, 0.F) == 0.0);
static_assert(exclusive_or(0.F, 1.F) == 1.0);
static_assert(exclusive_or(1.F, 0.F) == 1.0);
static_assert(exclusive_or(1.F, 1.F) == 0.0);

// A 2x2 image of ones through a 3x3 kernel of 0..8 with one pixel of padding, then its mean and a sigmoid of it.
using Tiny = Sequential<Conv2d<1, 1, Kernel<3>, Padding<1>, NoBias>, GlobalAvgPool2d, Flatten, Sigmoid>;
constexpr float kernel[] = {0.F, 1.F, 2.F, 3.F, 4.F, 5.F, 6.F, 7.F, 8.F};
constexpr const float* kernel_parameters[] = {kernel};
constexpr float ones[] = {1.F, 1.F, 1.F, 1.F};
constexpr double small = reference_forward<Tiny, Shape<2, 2, 1>>(ones, kernel_parameters)[0];
// (24 + 20 + 12 + 8) / 4 = 16
static_assert(small > 0.99999988 && small < 0.99999989);

constexpr Model<Xor, Shape<2>>::Weights packed_in_the_compiler = [] {
    Model<Xor, Shape<2>>::Weights weights{};
    Model<Xor, Shape<2>>::pack(weights, parameters);
    return weights;
}();

} // namespace

TEST_CASE("weights packed by the compiler run as they are, from read-only memory") {
    Model<Xor, Shape<2>>::Session session(packed_in_the_compiler);
    const float inputs[4][2] = {{0.F, 0.F}, {0.F, 1.F}, {1.F, 0.F}, {1.F, 1.F}};
    const float expected[4] = {0.F, 1.F, 1.F, 0.F};
    for (int i = 0; i < 4; ++i) CHECK(session.forward(inputs[i])[0] == expected[i]);
    CHECK(sizeof(Model<Xor, Shape<2>>::Weights) == sizeof(packed_in_the_compiler));
    STATIC_REQUIRE(std::is_trivially_copyable_v<Model<Xor, Shape<2>>::Weights>);
}
