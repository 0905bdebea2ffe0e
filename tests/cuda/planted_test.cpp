// SPDX-License-Identifier: MIT
// The emulated grid finds planted mistakes: by what it says itself, by numbers, or by another order of threads. What
// only a sanitizer sees is left to sanitized.cpp.
// Knows the mistakes of planted.hpp.
#include "cuda/planted.hpp"
#include "support/catch.hpp"

using namespace tarn_test;

namespace {

const Execution forward{{Order::forward}}, reverse{{Order::reverse}}, drawn{{Order::drawn, 3}}, threads{{}, true};

} // namespace

TEST_CASE("what is right is found right in every order, by threads too") {
    for (const Execution& execution : {forward, reverse, drawn, threads}) {
        const Finding finding = run_bug(Bug::none, execution);
        CHECK(finding.fault == "");
        CHECK(finding.right);
    }
}

TEST_CASE("missing barriers and compact rows give wrong numbers") {
    for (const Bug bug : {Bug::no_block_barrier, Bug::no_grid_barrier, Bug::compact_pitch}) {
        INFO("bug " << static_cast<int>(bug));
        const Finding finding = run_bug(bug, forward);
        CHECK(finding.fault == "");
        CHECK(!finding.right);
    }
}

TEST_CASE("a divergent barrier is reported with its place") {
    for (const Execution& execution : {forward, reverse, drawn}) {
        const Finding finding = run_bug(Bug::divergent_barrier, execution);
        INFO(finding.fault);
        CHECK(finding.fault.find("threads of one group wait at different barriers: block") == 0);
        CHECK(finding.fault.find("planted.hpp:") != std::string::npos);
    }
    // A barrier that the rest of the group has returned from, and one that others never come to.
    const auto some_return = [](const auto& context) {
        if (context.thread() < 3) context.block_barrier();
    };
    CHECK(launch<32>(1, 0, forward, some_return).find("the rest has returned") != std::string::npos);
    const auto scopes_differ = [](const auto& context) {
        if (context.block() == 0)
            context.grid_barrier();
        else if (context.thread() == 0)
            context.block_barrier();
        else
            context.grid_barrier();
    };
    CHECK(launch<32>(2, 0, forward, scopes_differ).find("barriers of different scopes") != std::string::npos);
}

TEST_CASE("luck with the order ends when the order does") {
    CHECK(run_bug(Bug::lucky_order, forward).right);
    CHECK(!run_bug(Bug::lucky_order, reverse).right);
}

#if !defined(TARN_TEST_ADDRESS_SANITIZER) // which reports it at once, and ends the program
TEST_CASE("a write beyond shared memory is found at the end") {
    const Finding finding = run_bug(Bug::off_by_one, forward);
    CHECK(finding.fault.find("wrote outside its") != std::string::npos);
}
#endif

TEST_CASE("factors are rounded as tensor cores round them") {
    CHECK(rounded<Factor::bf16>(1.00390625F) == 1.F); // halfway, to even
    CHECK(rounded<Factor::bf16>(1.01171875F) == 1.015625F);
    CHECK(rounded<Factor::bf16>(1.0051F) == 1.0078125F);
    CHECK(rounded<Factor::tf32>(1.00048828125F) == 1.0009765625F); // halfway, away from zero
    CHECK(rounded<Factor::f16>(1.00048828125F) == 1.F);            // halfway, to even
    CHECK(rounded<Factor::f16>(70000.F) == std::numeric_limits<float>::infinity());
    CHECK(rounded<Factor::f16>(65519.F) == 65504.F);
    CHECK(rounded<Factor::f16>(-0x1.1p-24F) == -0x1p-24F); // subnormal
    CHECK(rounded<Factor::f16>(0x1p-26F) == 0.F);
}

TEST_CASE("a warp's product is a matrix product") {
    Random random(2);
    const auto a = random.reals(16 * 8), b = random.reals(8 * 8);
    std::vector<float> sums(16 * 8);
    const std::string fault = launch<32>(1, 0, drawn, [&](const auto& context) {
        const int g = context.thread() / 4, t = context.thread() % 4;
        const auto at = [&](int row, int column) { return static_cast<std::size_t>(row * 8 + column); };
        const float left[4] = {a[at(g, 2 * t)], a[at(g, 2 * t + 1)], a[at(g + 8, 2 * t)], a[at(g + 8, 2 * t + 1)]};
        const float right[2] = {b[at(2 * t, g)], b[at(2 * t + 1, g)]};
        float made[4] = {};
        context.template multiply_add<Factor::tf32>(made, left, right);
        for (int i = 0; i < 4; ++i) sums[at(g + i / 2 * 8, 2 * t + i % 2)] = made[i];
    });
    CHECK(fault == "");
    for (std::size_t row = 0; row < 16; ++row) {
        for (std::size_t column = 0; column < 8; ++column) {
            double want = 0.0;
            for (std::size_t k = 0; k < 8; ++k)
                want += double{rounded<Factor::tf32>(a[row * 8 + k])} * rounded<Factor::tf32>(b[k * 8 + column]);
            CHECK(std::abs(double{sums[row * 8 + column]} - want) < 1e-6);
        }
    }
}
