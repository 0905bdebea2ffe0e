// SPDX-License-Identifier: MIT
// The reference's layers of places, and its recurrent ones against numbers worked out by hand.
// The other layers are held against PyTorch's in tests/layers.
// Knows reference kernels only.
#include "support/catch.hpp"

#include "kernels/some_ops.hpp"

#include <tarn/reference/layers.hpp>

#include <array>
#include <cmath>

using namespace tarn;
using namespace tarn_test;

namespace {

constexpr Op joined(Extents out, int axis) {
    Op op;
    op.kind = OpKind::concat;
    op.out = out;
    op.axis = axis;
    return op;
}

constexpr std::array<double, 12> side_by_side() {
    const double a[] = {1, 2, 3, 4}, b[] = {10, 20}, c[] = {5, 6, 7, 8, 9, 0};
    std::array<double, 12> y{};
    const Op op = joined(extents_of(2, 1, 6), 2);
    reference::place_in_concat(op, a, extents_of(2, 1, 2), 0, y.data());
    reference::place_in_concat(op, b, extents_of(2, 1, 1), 2, y.data());
    reference::place_in_concat(op, c, extents_of(2, 1, 3), 3, y.data());
    return y;
}
static_assert(side_by_side() == std::array<double, 12>{1, 2, 10, 5, 6, 7, 3, 4, 20, 8, 9, 0});

constexpr std::array<double, 6> one_below_the_other() {
    const double a[] = {1, 2}, b[] = {3, 4, 5, 6};
    std::array<double, 6> y{};
    const Op op = joined(extents_of(3, 2), 0);
    reference::place_in_concat(op, a, extents_of(1, 2), 0, y.data());
    reference::place_in_concat(op, b, extents_of(2, 2), 1, y.data());
    return y;
}
static_assert(one_below_the_other() == std::array<double, 6>{1, 2, 3, 4, 5, 6});

constexpr std::array<double, 4> middle() {
    Op op = pixel_op(OpKind::slice, extents_of(2, 4), 2);
    op.begin = 1;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::array<double, 4> y{};
    reference::layer(op, x, nullptr, y.data(), {});
    return y;
}
static_assert(middle() == std::array<double, 4>{2, 3, 6, 7});

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

} // namespace

TEST_CASE("two steps of a GRU of one unit") {
    const Op op = pixel_op(OpKind::gru, extents_of(2, 1), 1);
    const float weight[] = {0.5F, -0.25F, 1.5F}, hidden[] = {0.75F, 0.5F, -1.25F};
    const float bias[] = {0.125F, 0.25F, -0.5F}, bias_hh[] = {-0.375F, 0.5F, 0.625F};
    const double x[] = {0.5, -1.0};
    double y[2] = {}, h = 0.0;
    reference::layer(op, x, nullptr, y, {weight, bias, nullptr, nullptr, hidden, bias_hh});
    for (int t = 0; t < 2; ++t) {
        const double reset = sigmoid(0.5 * x[t] + 0.125 + 0.75 * h - 0.375);
        const double update = sigmoid(-0.25 * x[t] + 0.25 + 0.5 * h + 0.5);
        const double fresh = std::tanh(1.5 * x[t] - 0.5 + reset * (-1.25 * h + 0.625));
        h = (1.0 - update) * fresh + update * h;
        CHECK(y[t] == Approx(h).epsilon(1e-12));
    }
}

TEST_CASE("three steps of an LSTM of one unit") {
    const Op op = pixel_op(OpKind::lstm, extents_of(3, 1), 1);
    const float weight[] = {0.5F, -0.25F, 1.5F, 0.75F}, hidden[] = {0.75F, 0.5F, -1.25F, 0.25F};
    const float bias[] = {0.125F, 0.25F, -0.5F, 1.F}, bias_hh[] = {-0.375F, 0.5F, 0.625F, -0.75F};
    const double x[] = {0.5, -1.0, 2.0};
    double y[3] = {}, h = 0.0, c = 0.0;
    reference::layer(op, x, nullptr, y, {weight, bias, nullptr, nullptr, hidden, bias_hh});
    for (int t = 0; t < 3; ++t) {
        const double input = sigmoid(0.5 * x[t] + 0.125 + 0.75 * h - 0.375);
        const double forget = sigmoid(-0.25 * x[t] + 0.25 + 0.5 * h + 0.5);
        const double cell = std::tanh(1.5 * x[t] - 0.5 - 1.25 * h + 0.625);
        const double output = sigmoid(0.75 * x[t] + 1.0 + 0.25 * h - 0.75);
        c = forget * c + input * cell;
        h = output * std::tanh(c);
        CHECK(y[t] == Approx(h).epsilon(1e-12));
    }
}

TEST_CASE("the largest of a window with a NaN in it is NaN, wherever it stands") {
    for (std::size_t at = 0; at < 4; ++at) {
        double x[] = {1, 2, 3, 4}, y[1] = {0};
        x[at] = std::nan("");
        reference::pool2d(max_pool_op(extents_of(2, 2, 1), window_of(2, 2)), x, y);
        CHECK(std::isnan(y[0]));
    }
}
