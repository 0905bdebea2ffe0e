// SPDX-License-Identifier: MIT
// Segments: who waits for whom, rows that each ring holds, distances between input and output, worked out by hand; and
// every fault that a segment can have, planted in sound plans and refused by name.
// Knows plans; runs no kernel.
#include "support/catch.hpp"

#include <tarn/cpu/cpu.hpp>
#include <tarn/nn/graph.hpp>
#include <tarn/nn/join.hpp>
#include <tarn/nn/upsample.hpp>

#include "plan/faults.hpp"
#include "plan/nets.hpp"

using namespace tarn;
using tarn_test::after;
using tarn_test::refused;
namespace nets = tarn_test::nets;

namespace {

template <class Net, class In> constexpr auto& steps_of = Network<Net, In>::steps;

/// All steps of a network as one segment.
template <class Net, class In> constexpr Links links_of_all() {
    return links_of(RowTable(steps_of<Net, In>), 0, steps_of<Net, In>.count - 1);
}
template <class Net, class In> constexpr SegmentFacts facts_of_all() {
    constexpr auto& steps = steps_of<Net, In>;
    return segment_facts(steps, lifetimes_of(steps, false), links_of_all<Net, In>());
}
/// Rows of the ring that step s makes.
template <class Net, class In> constexpr int ring_of(int s) {
    constexpr SegmentFacts facts = facts_of_all<Net, In>();
    const int ring = facts.ring_of(steps_of<Net, In>.steps[s].out.storage);
    return ring < 0 ? 0 : facts.ring_rows[ring];
}

template <int I, int O, int K, class... Options> using Conv = Conv2d<I, O, Kernel<K>, Options...>;
using Pixel = Conv<4, 4, 1>;

} // namespace

TEST_CASE("a ring holds as many rows as its reader's window is high") {
    using In = Shape<12, 9, 4>;
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Conv<4, 4, 3, Padding<1>>>, In>(0) == 3);
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Conv<4, 4, 5>>, In>(0) == 5);
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Conv<4, 4, 3, Dilation<2>>>, In>(0) == 5);
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Conv<4, 4, 3, Stride<3>>>, In>(0) == 3);
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Pixel>, In>(0) == 1);
    // Pools that share no row take each as it comes; others wait for all of them.
    STATIC_REQUIRE(ring_of<Sequential<Pixel, MaxPool2d<3>>, In>(0) == 1);
    STATIC_REQUIRE(ring_of<Sequential<Pixel, GlobalAvgPool2d>, In>(0) == 1);
    STATIC_REQUIRE(ring_of<Sequential<Pixel, MaxPool2d<3, Stride<2>>>, In>(0) == 3);
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Upsample<2>>, In>(0) == 1);
    STATIC_REQUIRE(ring_of<Sequential<Pixel, ConvTranspose2d<4, 2, Kernel<3>, Stride<3>>>, In>(0) == 1);
    // Never more rows than there are.
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Conv<4, 4, 5, Padding<2>>>, Shape<2, 9, 4>>(0) == 2);
}

TEST_CASE("a skip waits in its ring until the branch beside it has caught up") {
    using In = Shape<12, 9, 4>;
    // x is read by a 3x3 with a row below the one whose sum wants x: rows y - 1 to y + 1.
    using Block = Residual<Sequential<Conv<4, 4, 3, Padding<1>>, ReLU>>;
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Block, Pixel>, In>(0) == 3);
    // Two of them run two rows ahead of the sum: y to y + 2, and the first's window from y + 1 - 2.
    using Deep = Residual<Sequential<Conv<4, 4, 3, Padding<1>>, ReLU, Conv<4, 4, 3, Padding<1>>>>;
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Deep, Pixel>, In>(0) == 3);
    using Late = Residual<Sequential<Conv<4, 4, 5, Padding<2>>, ReLU, Conv<4, 4, 5, Padding<2>>>>;
    STATIC_REQUIRE(ring_of<Sequential<Pixel, Late, Pixel>, In>(0) == 5);
    // Branches of a concat are slices of one ring, in step with each other.
    using Branches = Sequential<Pixel, Parallel<Conv<4, 3, 1>, Conv<4, 5, 3, Padding<1>>>, Concat, Conv<8, 2, 3>>;
    STATIC_REQUIRE(ring_of<Branches, In>(0) == 3);
    STATIC_REQUIRE(ring_of<Branches, In>(1) == 3);
    STATIC_REQUIRE(facts_of_all<Branches, In>().rings == 2);
}

TEST_CASE("links: both makers of a concat, a skip, and the sink with the most rows drives") {
    using Branches = Sequential<Pixel, Parallel<Conv<4, 3, 1>, Conv<4, 5, 3, Padding<1>>>, Concat, Conv<8, 2, 3>>;
    constexpr Links links = links_of_all<Branches, Shape<12, 9, 4>>();
    STATIC_REQUIRE(links.valid);
    STATIC_REQUIRE((links.in_from[1] == 1 && links.in_from[2] == 1 && links.in_from[3] == 6));
    STATIC_REQUIRE((links.sinks == 8 && links.driver == 3));
    using Fork = Graph<Input<"x">, Layer<"a", Pixel, "x">, Layer<"big", Conv<4, 2, 3>, "a">,
                       Layer<"small", Conv<4, 2, 3, Stride<2>>, "a">, Output<"small">, Output<"big">>;
    constexpr Links two = links_of_all<Fork, Shape<12, 9, 4>>();
    STATIC_REQUIRE((two.sinks == 6 && two.driver == 1));
    using Sum = Sequential<Pixel, Residual<Sequential<Conv<4, 4, 3, Padding<1>>, Sigmoid>>, Pixel>;
    constexpr Links sum = links_of_all<Sum, Shape<12, 9, 4>>();
    STATIC_REQUIRE((sum.in_from[2] == 2 && sum.other_from[2] == 1));
}

TEST_CASE("what cannot go row by row ends a segment") {
    STATIC_REQUIRE_FALSE(links_of_all<Sequential<Pixel, Flatten, Softmax>, Shape<12, 9, 4>>().valid);
    // The same elements seen as rows of another length.
    STATIC_REQUIRE_FALSE(links_of_all<Sequential<Pixel, Reshape<Shape<6, 18, 4>>, Pixel>, Shape<12, 9, 4>>().valid);
    STATIC_REQUIRE(links_of_all<Sequential<Pixel, Pixel>, Shape<12, 9, 4>>().valid);
}

TEST_CASE("distance between input and output of a segment") {
    // 1x1 and 3x3: when output row y is written, rows up to y + 1 were read; row y + 2 of as many floats comes next.
    // The first output row ends one row before that.
    using Widen = Sequential<Pixel, Conv<4, 4, 3, Padding<1>>>;
    constexpr SegmentFacts facts = facts_of_all<Widen, Shape<12, 9, 4>>();
    STATIC_REQUIRE((facts.main_in == 0 && facts.main_out == 2));
    STATIC_REQUIRE((facts.lead.ascending == -9 * 4 && facts.lead.descending == -9 * 4));
    // Growing fourfold: the last output row but one must not reach what is still to be read. Downwards the second row
    // lies far above the one input row that is left.
    using Grow = Sequential<Pixel, Conv<4, 16, 1>>;
    constexpr SegmentFacts grown = facts_of_all<Grow, Shape<12, 9, 4>>();
    STATIC_REQUIRE(grown.lead.ascending == 11 * 9 * 16 - 11 * 9 * 4);
    STATIC_REQUIRE(grown.lead.descending == 9 * 4 - 9 * 16);
    // A residual sum may also write straight over its skip.
    using Inverted = nets::InvertedResiduals;
    constexpr SegmentFacts exact = facts_of_all<nets::Inverted<8, 48>, Inverted::Input>();
    STATIC_REQUIRE(exact.exact);
    STATIC_REQUIRE_FALSE(facts.exact);
}

namespace {

template <class Net, class In, bool OwnsInput = true>
using PlanOf = Planned<Network<Net, In>, Cpu<>, Smallest, OwnsInput>;

/// One segment of three convolutions: storage 0 in, rings of storages 1 and 2, storage 3 out over 0.
using Chain =
    PlanOf<Sequential<Conv<4, 16, 3, Padding<1>>, ReLU, Conv<16, 24, 3, Padding<1>>, ReLU, Conv<24, 4, 3, Padding<1>>>,
           Shape<12, 12, 4>>;
static_assert(validate<Chain>() && Chain::task_count == 1 && Chain::problem.tasks[0].rows);
static_assert(Chain::plan.storage[0] == Chain::plan.storage[3] && !Chain::plan.schedule[0].descending);

// Rings: a row short, on each other, without a row, without memory, on what is alive, past the end, beside a cache
// line.
static_assert(refused(after<Chain>([](auto& c) { --c.facts[0].ring_rows[0]; }), PlanFault::row_lost, 1));
static_assert(refused(after<Chain>([](auto& c) { --c.facts[0].ring_rows[1]; }), PlanFault::row_lost, 2));
static_assert(refused(after<Chain>([](auto& c) { c.facts[0].ring_at[1] -= place_elems; }), PlanFault::ring_taken, 0));
static_assert(refused(after<Chain>([](auto& c) { c.facts[0].ring_rows[1] = 0; }), PlanFault::ring_taken, 0));
static_assert(refused(after<Chain>([](auto& c) { c.plan.scratch[0] = c.plan.outside; }), PlanFault::scratch_missing,
                      0));
static_assert(refused(after<Chain>([](auto& c) { c.plan.scratch[0] -= place_elems; }), PlanFault::scratch_taken, 0));
static_assert(refused(after<Chain>([](auto& c) { c.plan.scratch[0] += place_elems; }), PlanFault::outside_arena, 0));
static_assert(refused(after<Chain>([](auto& c) {
                          c.plan.arena_elems += place_elems;
                          c.plan.scratch[0] += 1;
                      }),
                      PlanFault::misaligned, 0));
// A storage that is not a ring and has no place; rings that are wanted afterwards, or by every reader at the end.
static_assert(refused(after<Chain>([](auto& c) { c.facts[0].rings = 1; }), PlanFault::misplaced, 1));
static_assert(refused(after<Chain>([](auto& c) {
                          c.problem.net.outputs[1] = {View{1, 0}, extents_of(12, 12, 16)};
                          c.problem.net.output_count = 2;
                      }),
                      PlanFault::misplaced, 0));
static_assert(refused(after<Chain>([](auto& c) {
                          c.plan.arena_elems = 4 * 4096;
                          for (int v = 0; v < 4; ++v) c.plan.storage[v] = static_cast<std::size_t>(v) * 3456;
                          c.plan.scratch[0] = 4 * 3456;
                          c.keep_all = true;
                      }),
                      PlanFault::ring_outlived, 0));

// The output over the input it is made from: as near as the law allows, no nearer; upwards and downwards.
constexpr auto shifted = [](auto& c, std::size_t up) {
    c.plan.arena_elems += 8 * 48;
    c.plan.scratch[0] += 8 * 48;
    c.plan.storage[0] = 4 * 48;
    c.plan.storage[3] = up;
};
static_assert(Chain::segment<0>.lead == Lead{-48, -48}); // one row
static_assert(after<Chain>([](auto& c) { shifted(c, 5 * 48); }));
static_assert(refused(after<Chain>([](auto& c) { shifted(c, 5 * 48 + place_elems); }), PlanFault::overwrites_input, 0));
static_assert(after<Chain>([](auto& c) { shifted(c, 3 * 48), c.plan.schedule[0].descending = true; }));
static_assert(refused(after<Chain>([](auto& c) {
                          shifted(c, 3 * 48 - place_elems);
                          c.plan.schedule[0].descending = true;
                      }),
                      PlanFault::overwrites_input, 0));
static_assert(refused(after<Chain>([](auto& c) { c.plan.schedule[0].staged = true; }), PlanFault::schedule_unknown, 0));

// Order: a row read before it is made, a maker asked for rows it does not have, tasks other than their links.
static_assert(refused(after<Chain>([](auto& c) { c.links[0].in_from[2] = 0; }), PlanFault::row_missing, 2));
static_assert(refused(after<Chain>([](auto& c) { c.links[0].count = 2; }), PlanFault::tasks_broken, 0));
using Enlarged =
    PlanOf<Sequential<MaxPool2d<2>, Conv<4, 24, 1>, Upsample<2>, Conv<24, 4, 3, Padding<1>>>, Shape<12, 12, 4>>;
static_assert(validate<Enlarged>() && Enlarged::task_count == 2 && Enlarged::problem.tasks[1].rows);
static_assert(refused(after<Enlarged>([](auto& c) {
                          c.links[1].in_from[2] |= 1; // the third step also asks the first, which has half the rows
                          c.facts[1].ring_rows[0] = 6;
                          c.facts[1].ring_at[0] = 4096;
                          c.plan.arena_elems = 8192;
                      }),
                      PlanFault::row_unmade, 1));

// Two blocks: each sum takes over the bytes of its skip, row by row. Beside them, it may not; nor may a convolution.
using Blocks = PlanOf<nets::InvertedResiduals::Net, nets::InvertedResiduals::Input>;
static_assert(validate<Blocks>() && Blocks::segment<0>.exact && Blocks::plan.storage[0] == Blocks::plan.storage[3]);
static_assert(Blocks::segment<0>.lead.ascending == 72);
static_assert(refused(after<Blocks>([](auto& c) {
                          c.plan.arena_elems += 64;
                          c.plan.scratch[0] += 64;
                          c.plan.storage[0] += 64; // under a row further up
                      }),
                      PlanFault::overwrites_input, 2));
using Pair = PlanOf<Sequential<Conv<4, 16, 1>, ReLU, Conv<16, 4, 1>>, Shape<12, 12, 4>>;
static_assert(validate<Pair>() && Pair::problem.tasks[0].rows && Pair::plan.storage[0] == Pair::plan.storage[2]);

// A storage that waits for a later task: the first block's output is the second's skip.
static_assert(refused(after<Blocks>([](auto& c) { c.plan.scratch[1] = 0; }), PlanFault::scratch_taken, 3));

// Two outputs of one segment, and a concat made in it by two steps: neither may lie on the other or on what waits.
template <class Net, class In> struct EarlyConcats : Network<Net, In> { // as where they do not set the peak
    static constexpr auto fused_early = fuse(Network<Net, In>::graph, false);
    template <bool> static constexpr auto steps_apart = trimmed<fused_early.count>(fused_early);
};
using Fork = Planned<EarlyConcats<Graph<Input<"x">, Layer<"a", Conv<4, 8, 3, Padding<1>>, "x">,
                                        Layer<"b", Sequential<Conv<8, 24, 1>, ReLU, Conv<24, 8, 3, Padding<1>>>, "a">,
                                        Layer<"c", Conv<8, 4, 1>, "a">, Layer<"d", Concat, "b", "c">,
                                        Layer<"e", Conv<12, 6, 3, Padding<1>>, "d">, Output<"e">, Output<"c">>,
                                  Shape<12, 10, 4>>,
                     Cpu<>, Smallest, true>;
static_assert(validate<Fork>() && Fork::task_count == 3 && Fork::problem.tasks[1].rows && Fork::problem.tasks[2].rows);
static_assert(refused(after<Fork>([](auto& c) { c.plan.storage[5] = c.plan.storage[4]; }), PlanFault::overwrites_value,
                      4));
static_assert(Fork::plan.storage[3] == 0 && Fork::segment<2>.lead.ascending == 120);
static_assert(refused(after<Fork>([](auto& c) { c.plan.storage[4] -= place_elems; }), PlanFault::overwrites_input, 4));
static_assert(refused(after<Fork>([](auto& c) { c.links[1].in_from[1] = 0; }), PlanFault::row_missing, 2));

// An input pushed row by row, which is a ring as well: a row short, awaited too early or too late, read again later.
using Camera =
    Planned<Network<Sequential<Conv<4, 16, 3, Padding<1>>, ReLU, Conv<16, 24, 3, Stride<2>>>, Shape<12, 9, 4>>, Cpu<>,
            Pushed<Smallest>, false>;
static_assert(Camera::plan_by_rows && validate<Camera>() && Camera::task_count == 1);
constexpr int camera_ring = Camera::segment<0>.ring_of(0);
static_assert(Camera::segment<0>.ring_rows[camera_ring] == 4); // the window, and what the stride takes at once
static_assert(refused(after<Camera>([](auto& c) { --c.facts[0].ring_rows[camera_ring]; }), PlanFault::row_lost, 0));
static_assert(refused(after<Camera>([](auto& c) { --c.needs[2]; }), PlanFault::row_missing, 0));
static_assert(refused(after<Camera>([](auto& c) { ++c.needs[2], ++c.needs[3]; }), PlanFault::row_lost, 0));
static_assert(refused(after<Camera>([](auto& c) { --c.facts[0].rings; }), PlanFault::misplaced, 0));
static_assert(refused(after<Camera>([](auto& c) {
                          c.problem.net.outputs[1] = {View{0, 0}, extents_of(12, 9, 4)};
                          c.problem.net.output_count = 2;
                      }),
                      PlanFault::ring_outlived, 0));
using Flat =
    Planned<Network<Sequential<FlattenChannelsLast, Linear<48, 8>>, Shape<4, 3, 4>>, Cpu<>, Pushed<Smallest>, false>;
static_assert(!Flat::plan_by_rows); // read as one row

// Rows of other lengths through one ring: no two steps of a segment may do that.
using Other = Planned<Network<Sequential<Pixel, Reshape<Shape<6, 18, 4>>, Pixel>, Shape<12, 9, 4>>, Cpu<>,
                      WholeTensors<Smallest>, true>;
constexpr auto as_one_segment = [](auto& c) {
    c.problem.task_count = 1;
    c.problem.tasks[0].last = 1;
    c.problem.tasks[0].rows = true;
    c.plan.schedule[0] = {};
    c.links[0].count = 2;
    c.links[0].driver = 1;
    c.links[0].sinks = 2;
    c.links[0].in_from[1] = 1;
};
static_assert(refused(after<Other>(as_one_segment), PlanFault::rows_differ, 1));

} // namespace

TEST_CASE("unchanged segments still pass where the faults were planted") {
    const auto unchanged = [](auto&) {};
    CHECK(after<Chain>(unchanged));
    CHECK(after<Enlarged>(unchanged));
    CHECK(after<Blocks>(unchanged));
    CHECK(after<Pair>(unchanged));
    CHECK(after<Fork>(unchanged));
    CHECK(after<Camera>(unchanged));
}
