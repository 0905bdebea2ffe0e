// SPDX-License-Identifier: MIT
// Argmax in the emulated grid against the standard library, with equals, infinities and NaN.
// Knows the body; nothing of plans.
#include "emulated_grid/launch.hpp"

#include "support/catch.hpp"

#include <tarn/cuda/argmax.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace tarn_test;

namespace {

int expected_place(const float* row, int features) {
    for (int i = 0; i < features; ++i)
        if (std::isnan(row[i])) return i;
    return static_cast<int>(std::max_element(row, row + features) - row);
}

template <int Rows, int Features, int Pitch> void check_argmax(int blocks) {
    using Body = tarn::cuda::Argmax<Rows, Features, Pitch, 64>;
    std::mt19937 random(Rows * 100 + Features);
    std::uniform_int_distribution<int> values(-4, 4); // many equals
    constexpr float infinity = std::numeric_limits<float>::infinity();
    DeviceFloats in((Rows - 1) * Pitch + Features);
    for (int row = 0; row < Rows; ++row) {
        float* const x = in.data() + row * Pitch;
        for (int i = 0; i < Features; ++i) x[i] = row % 5 == 3 ? -infinity : static_cast<float>(values(random));
        if (row % 5 == 1) x[Features / 2] = infinity;
        if (row % 5 == 2) x[Features - 1] = x[Features / 2] = std::nanf("");
    }
    for (const Execution& execution : fibre_executions) {
        GuardedBlock out(Rows * sizeof(int));
        const auto* const places = static_cast<const int*>(out.data());
        REQUIRE(launch<64>(blocks, Body::shared_bytes, execution, [&](const auto& context) {
                    Body::run(context, in.data(), static_cast<int*>(out.data()));
                }) == "");
        for (int row = 0; row < Rows; ++row) CHECK(places[row] == expected_place(in.data() + row * Pitch, Features));
        CHECK(out.intact());
    }
}

} // namespace

TEST_CASE("the place of each row's largest value") {
    check_argmax<1, 10, 10>(1);
    check_argmax<1, 1, 1>(2);
    check_argmax<7, 100, 103>(2);
    check_argmax<33, 31, 32>(3);
    check_argmax<5, 1000, 1000>(1);
}
