// SPDX-License-Identifier: MIT
// Bounds worked out by hand, and arenas held against LB1: equal once rounded, or larger by what the neediest kernel
// needs for itself and no more.
// Knows plans; runs no kernel.
#include "support/catch.hpp"

#include <tarn/cpu/cpu.hpp>
#include <tarn/plan/network.hpp>

#include "plan/nets.hpp"

#include <iomanip>
#include <sstream>

using namespace tarn;
namespace nets = tarn_test::nets;

namespace {

/// Bounds are of whole tensors, and so are the arenas held against them.
template <class Case, bool OwnsInput>
using PlannedCase =
    Planned<Network<typename Case::Net, typename Case::Input>, Cpu<>, WholeTensors<Smallest>, OwnsInput>;

struct Expected {
    std::size_t sum, ping_pong, lb0, lb0i, lb1;
};
template <class Case, bool OwnsInput> void check_bounds(const Expected& e) {
    constexpr Bounds b = PlannedCase<Case, OwnsInput>::bounds;
    CHECK(b.sum == e.sum);
    CHECK(b.ping_pong == e.ping_pong);
    CHECK(b.lb0 == e.lb0);
    CHECK(b.lb0i == e.lb0i);
    CHECK(b.lb1 == e.lb1);
}

} // namespace

TEST_CASE("bounds worked out by hand") {
    {
        INFO("128, 128, 10 and 10: on one row a linear layer has read everything before it writes");
        check_bounds<nets::Perceptron, false>({128 + 128 + 10 + 10, 2 * 128, 128 + 128, 128 + 128, 128});
        check_bounds<nets::Perceptron, true>({64 + 276, 2 * 128, 128 + 128, 128 + 128, 128});
    }
    {
        INFO("8x8x16, 4x4x16, 4x4x32, 2x2x32, 10: pools run in place");
        check_bounds<nets::Digits, false>({1024 + 256 + 512 + 128 + 10, 2048, 1024 + 256, 1024 + 256, 1024});
    }
    {
        INFO("one same-padded 3x3: a row of 20 and a pixel more than the tensor");
        check_bounds<nets::OneConv, false>({2880, 5760, 2880, 2880, 2880});
        check_bounds<nets::OneConv, true>({5760, 5760, 5760, 5760, 2880 + (20 + 1) * 24});
    }
    {
        INFO("four elementwise layers: one tensor");
        check_bounds<nets::Pointless, false>({3 * 120, 240, 240, 120, 120});
        check_bounds<nets::Pointless, true>({4 * 120, 240, 240, 120, 120});
    }
    {
        INFO("1600 each; x waits while the first convolution of a block runs, the second sums into it");
        check_bounds<nets::Skip, false>({5 * 1600, 3200, 3 * 1600, 3 * 1600, 2 * 1600});
    }
    {
        INFO("stem 8x8x8, pool 4x4x8, block 4x4x8 twice, projection block 2x2x16 three times");
        check_bounds<nets::SmallResNet, false>({512 + 3 * 128 + 3 * 64, 1024, 512 + 128, 512 + 128, 512});
    }
    {
        // 9x11 pixels, 4 -> 8 by 3x3, then 8 -> 32 by 5x5, downwards: when the first pixel's 32 floats are all that is
        // left to write, the window still reaches two rows and two pixels of 8 floats ahead of it.
        INFO("a growing convolution needs its output, and what its window reaches ahead less one pixel's growth");
        check_bounds<nets::Growing, false>(
            {3 * 99 * 8 + 2 * 99 * 8, 2 * 99 * 32, 99 * 40, 99 * 40, 99 * 32 + (2 * 11 + 2) * 8 - (32 - 8)});
    }
}

namespace {

struct Line {
    const char* name;
    bool owns_input;
    std::size_t lb1, arena, allowed;
    const char* reason;
};

template <class Case, bool OwnsInput> Line line_of(const char* name) {
    using P = PlannedCase<Case, OwnsInput>;
    const auto& problem = P::problem;
    // What kernels need beside the law: a block in scratch, or a depthwise pass's own pixels.
    std::size_t scratch = 0, pass = 0;
    for (int s = 0; s < problem.net.count; ++s) {
        const Footprint& f = problem.footprint[s];
        scratch = std::max(scratch, round_up(f.scratch_elems));
        if (!f.can_stage)
            pass = std::max(pass, static_cast<std::size_t>(f.direct_pixels - 1) *
                                      static_cast<std::size_t>(problem.net.steps[s].op.out.last()));
    }
    // Up to three tensors alive and one distance between two, each rounded up to a cache line.
    const std::size_t rounding = 4 * place_elems, gap = P::arena_elems - P::bounds.lb1;
    Line line{name, OwnsInput, P::bounds.lb1, P::arena_elems, 0, ""};
    if (line.arena == round_up(line.lb1))
        line.reason = "none";
    else if (gap <= rounding)
        line.reason = "rounding to cache lines", line.allowed = rounding;
    else if (gap <= pass + rounding)
        line.reason = "a depthwise pass of four pixels", line.allowed = pass + rounding;
    else
        line.reason = "a block of outputs in scratch", line.allowed = scratch + rounding;
    return line;
}

template <class Case> void add_lines(std::vector<Line>& lines, const char* name) {
    lines.push_back(line_of<Case, false>(name));
    lines.push_back(line_of<Case, true>(name));
}

} // namespace

TEST_CASE("arenas equal LB1, or the gap has a reason") {
    std::vector<Line> lines;
    add_lines<nets::Digits>(lines, "digits");
    add_lines<nets::OneConv>(lines, "one convolution");
    add_lines<nets::ConvChain>(lines, "convolutions");
    add_lines<nets::WideChain>(lines, "wide convolutions");
    add_lines<nets::Pointwise>(lines, "1x1 convolutions");
    add_lines<nets::Skip>(lines, "residual blocks");
    add_lines<nets::Projection>(lines, "projection");
    add_lines<nets::SmallResNet>(lines, "small ResNet");
    add_lines<nets::InvertedResiduals>(lines, "inverted residuals");
    add_lines<nets::Depthwises>(lines, "depthwise separable");
    add_lines<nets::DepthwiseChain>(lines, "depthwise chain");
    add_lines<nets::Perceptron>(lines, "perceptron");
    add_lines<nets::Rows>(lines, "perceptron on rows");
    add_lines<nets::Pools>(lines, "pools");
    add_lines<nets::Pointless>(lines, "elementwise");
    add_lines<nets::Nested>(lines, "nested residuals");
    add_lines<nets::Growing>(lines, "growing");
    add_lines<nets::Grouped>(lines, "grouped");
    add_lines<nets::Permuted>(lines, "permutation");

    std::ostringstream table;
    table << std::left << std::setw(22) << "network" << std::setw(9) << "input" << std::right << std::setw(7) << "LB1"
          << std::setw(7) << "arena" << std::setw(6) << "gap"
          << "  reason\n";
    int equal = 0;
    for (const Line& line : lines) {
        table << std::left << std::setw(22) << line.name << std::setw(9) << (line.owns_input ? "arena" : "caller's")
              << std::right << std::setw(7) << line.lb1 << std::setw(7) << line.arena << std::setw(6)
              << line.arena - line.lb1 << "  " << line.reason << '\n';
        equal += line.arena == round_up(line.lb1) ? 1 : 0;
    }
    INFO(table.str());
    for (const Line& line : lines) {
        INFO(line.name);
        CHECK(line.arena >= line.lb1);
        CHECK((line.arena == round_up(line.lb1) || line.arena - line.lb1 <= line.allowed));
    }
    CHECK(equal >= 14);
}
