// SPDX-License-Identifier: MIT
// The validator: plans of a dozen networks pass, and every kind of planted fault is refused by its name.
// Everything is judged at compile time; the test program itself has next to nothing left to do.
// Knows plans; runs no kernel.
#include "support/catch.hpp"

#include <tarn/cpu/cpu.hpp>
#include <tarn/plan/network.hpp>
#include <tarn/plan/validate.hpp>

#include "plan/nets.hpp"

using namespace tarn;
namespace nets = tarn_test::nets;

namespace {

template <class Case, bool OwnsInput, bool KeepEverything = false>
using PlannedCase = Planned<Network<typename Case::Net, typename Case::Input>, Cpu<>, KeepEverything, OwnsInput>;

template <class Case> constexpr bool sound() {
    using Outside = PlannedCase<Case, false>;
    using InPlace = PlannedCase<Case, true>;
    using Kept = PlannedCase<Case, false, true>;
    static_assert(validate(Outside::problem, Outside::plan));
    static_assert(validate(InPlace::problem, InPlace::plan));
    static_assert(validate(Kept::problem, Kept::plan));
    return true;
}

static_assert(sound<nets::Digits>());
static_assert(sound<nets::OneConv>());
static_assert(sound<nets::ConvChain>());
static_assert(sound<nets::WideChain>());
static_assert(sound<nets::Pointwise>());
static_assert(sound<nets::Skip>());
static_assert(sound<nets::Projection>());
static_assert(sound<nets::InvertedResiduals>());
static_assert(sound<nets::Depthwises>());
static_assert(sound<nets::Perceptron>());
static_assert(sound<nets::Rows>());
static_assert(sound<nets::Pools>());
static_assert(sound<nets::Pointless>());
static_assert(sound<nets::Nested>());
static_assert(sound<nets::Growing>());
static_assert(sound<nets::Grouped>());
static_assert(sound<nets::Permuted>());

/// The verdict on the plan of a case after `change` has been done to it.
template <class Planning, class Change> constexpr PlanVerdict after(Change change) {
    auto plan = Planning::plan;
    change(plan);
    return validate(Planning::problem, plan);
}

constexpr bool refused(PlanVerdict verdict, PlanFault fault, int step) {
    return verdict.fault == fault && verdict.step == step;
}

using One = PlannedCase<nets::OneConv, true>; // value 0 in, value 1 out, overlapped, staged, scratch beside them
static_assert(One::plan.schedule[0].staged && One::plan.scratch[0] != One::plan.outside);
constexpr bool down = One::plan.schedule[0].descending;

// Places.
static_assert(refused(after<One>([](auto& plan) { plan.found = false; }), PlanFault::not_found, -1));
static_assert(refused(after<One>([](auto& plan) { plan.value[1] = plan.arena_elems - place_elems; }),
                      PlanFault::outside_arena, 0));
static_assert(refused(after<One>([](auto& plan) {
                          const bool input_on_top = plan.value[0] > plan.value[1];
                          plan.arena_elems = plan.value[input_on_top ? 0 : 1] + One::problem.net.elems(1) - place_elems;
                      }),
                      PlanFault::outside_arena, One::plan.value[0] > One::plan.value[1] ? -1 : 0));
static_assert(refused(after<One>([](auto& plan) {
                          plan.arena_elems += place_elems;
                          plan.value[1] += place_elems / 2;
                      }),
                      PlanFault::misaligned, 0));
static_assert(refused(after<One>([](auto& plan) { plan.value[0] = plan.outside; }), PlanFault::misplaced, -1));
using OneOutside = PlannedCase<nets::OneConv, false>;
static_assert(refused(after<OneOutside>([](auto& plan) { plan.value[0] = 0; }), PlanFault::misplaced, -1));
static_assert(refused(after<OneOutside>([](auto& plan) { plan.value[1] = plan.outside; }), PlanFault::misplaced, 0));

// Overlap with the step's own input.
static_assert(refused(after<One>([](auto& plan) { plan.value[down ? 0 : 1] += place_elems; }),
                      PlanFault::overwrites_input, 0));
static_assert(refused(after<One>([](auto& plan) { plan.schedule[0].descending = !down; }), PlanFault::overwrites_input,
                      0));
static_assert(refused(after<One>([](auto& plan) { plan.schedule[0].staged = false; }), PlanFault::overwrites_input, 0));

// Scratch.
static_assert(refused(after<One>([](auto& plan) { plan.scratch[0] = plan.value[0]; }), PlanFault::scratch_taken, 0));
static_assert(refused(after<One>([](auto& plan) { plan.scratch[0] = plan.value[1]; }), PlanFault::scratch_taken, 0));
static_assert(refused(after<One>([](auto& plan) { plan.scratch[0] = plan.outside; }), PlanFault::scratch_missing, 0));
static_assert(refused(after<One>([](auto& plan) { plan.scratch[0] = plan.arena_elems - place_elems; }),
                      PlanFault::outside_arena, 0));
static_assert(refused(after<One>([](auto& plan) {
                          plan.arena_elems += place_elems;
                          plan.scratch[0] += 1;
                      }),
                      PlanFault::misaligned, 0));

// Values that somebody still needs: x of a residual while its body runs, everything under KeepAll.
using WithSkip =
    PlannedCase<nets::Skip, false>; // steps: stem, then two blocks of two convolutions, the sum in the second
static_assert(WithSkip::problem.net.count == 5 && WithSkip::problem.net.steps[2].other == 1);
static_assert(refused(after<WithSkip>([](auto& plan) { plan.value[2] = plan.value[1]; }), PlanFault::overwrites_value,
                      1));
static_assert(refused(after<PlannedCase<nets::Perceptron, false, true>>([](auto& plan) {
                          plan.value[2] = plan.value[1];
                      }),
                      PlanFault::overwrites_value, 1));
// The sum's other operand, hit beside its own place.
using Sum = PlannedCase<nets::Nested, false>;
constexpr int sum = Sum::problem.net.count - 1;
static_assert(Sum::problem.net.steps[sum].op.kind == OpKind::add);
static_assert(refused(after<Sum>([](auto& plan) {
                          plan.arena_elems *= 8; // room for all
                          for (int v = 1; v <= Sum::problem.net.count; ++v)
                              plan.value[v] = static_cast<std::size_t>(v) * 352; // side by side
                          plan.value[sum + 1] = plan.value[Sum::problem.net.steps[sum].other] + place_elems;
                      }),
                      PlanFault::overwrites_input, sum));

// Schedules that a kernel does not have.
using Pooled = PlannedCase<nets::Pools, true>;
static_assert(refused(after<Pooled>([](auto& plan) { plan.schedule[0].staged = true; }), PlanFault::schedule_unknown,
                      0));
using Upwards = PlannedCase<nets::Pointless, true>;
static_assert(refused(after<Upwards>([](auto& plan) { plan.schedule[0].descending = true; }),
                      PlanFault::schedule_unknown, 0));
using Moved = PlannedCase<nets::Permuted, true>; // the permutation may not share a byte
static_assert(refused(after<Moved>([](auto& plan) { plan.value[2] = plan.value[1]; }), PlanFault::overwrites_input, 1));

} // namespace

TEST_CASE("an unchanged plan still passes where the faults were planted") {
    // The positive control of the faults above, at run time too.
    CHECK(validate(One::problem, One::plan));
    CHECK(validate(WithSkip::problem, WithSkip::plan));
    CHECK(validate(Sum::problem, Sum::plan));
    CHECK(validate(Pooled::problem, Pooled::plan));
    CHECK(validate(Upwards::problem, Upwards::plan));
    CHECK(validate(Moved::problem, Moved::plan));
}

TEST_CASE("a linear layer whose tiles, not blocks, must keep ahead") {
    // 16 -> 3 features of 64 rows from one panel: each tile is read and written before the next, so an output that only
    // the block of twelve would clear is refused.
    Problem<1> p;
    p.owns_input = true;
    p.net.count = p.net.output = 1;
    p.net.input = extents_of(64, 16);
    Step& step = p.net.steps[0];
    step.op.kind = OpKind::linear;
    step.op.in = p.net.input;
    step.op.out = extents_of(64, 3);
    p.footprint[0].can_stage = true;
    p.footprint[0].direct_pixels = p.footprint[0].staged_pixels = 12;
    Plan<1> plan;
    plan.found = plan.owns_input = true;
    plan.arena_elems = 1024;
    plan.scratch[0] = Plan<1>::outside;
    plan.schedule[0] = {false, true};
    plan.value[1] = 80;
    CHECK(validate(p, plan).fault == PlanFault::overwrites_input);
    plan.value[1] = 0;
    CHECK(validate(p, plan));
}
