// SPDX-License-Identifier: MIT
// The validator: plans of a dozen networks pass, and every kind of planted fault is refused by its name.
// Everything is judged at compile time; the test program itself has next to nothing left to do.
// Knows plans; runs no kernel.
#include "support/catch.hpp"

#include <tarn/cpu/cpu.hpp>
#include <tarn/nn/graph.hpp>
#include <tarn/nn/join.hpp>
#include <tarn/nn/recurrent.hpp>

#include "plan/faults.hpp"
#include "plan/nets.hpp"

using namespace tarn;
using tarn_test::after;
using tarn_test::refused;
namespace nets = tarn_test::nets;

namespace {

template <class Case, bool OwnsInput, class Policy = Smallest>
using PlannedCase = Planned<Network<typename Case::Net, typename Case::Input>, Cpu<>, Policy, OwnsInput>;
template <class Case, bool OwnsInput> using WholeCase = PlannedCase<Case, OwnsInput, WholeTensors<Smallest>>;

template <class Case> constexpr bool sound() {
    static_assert(validate<PlannedCase<Case, false>>());
    static_assert(validate<PlannedCase<Case, true>>());
    static_assert(validate<WholeCase<Case, false>>());
    static_assert(validate<WholeCase<Case, true>>());
    static_assert(validate<PlannedCase<Case, false, Fastest>>());
    static_assert(validate<PlannedCase<Case, false, KeepAll>>());
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

// Storage 0 in, storage 1 out, overlapped, staged, scratch beside them.
using One = WholeCase<nets::OneConv, true>;
static_assert(One::plan.schedule[0].staged && One::plan.scratch[0] != One::plan.outside);
constexpr bool down = One::plan.schedule[0].descending;

// Places.
static_assert(refused(after<One>([](auto& c) { c.plan.found = false; }), PlanFault::not_found, -1));
static_assert(refused(after<One>([](auto& c) { c.plan.storage[1] = c.plan.arena_elems - place_elems; }),
                      PlanFault::outside_arena, 0));
static_assert(refused(after<One>([](auto& c) {
                          const bool input_on_top = c.plan.storage[0] > c.plan.storage[1];
                          c.plan.arena_elems =
                              c.plan.storage[input_on_top ? 0 : 1] + c.problem.net.storage[1] - place_elems;
                      }),
                      PlanFault::outside_arena, One::plan.storage[0] > One::plan.storage[1] ? -1 : 0));
static_assert(refused(after<One>([](auto& c) {
                          c.plan.arena_elems += place_elems;
                          c.plan.storage[1] += place_elems / 2;
                      }),
                      PlanFault::misaligned, 0));
static_assert(refused(after<One>([](auto& c) { c.plan.storage[0] = c.plan.outside; }), PlanFault::misplaced, -1));
using OneOutside = WholeCase<nets::OneConv, false>;
static_assert(refused(after<OneOutside>([](auto& c) { c.plan.storage[0] = 0; }), PlanFault::misplaced, -1));
static_assert(refused(after<OneOutside>([](auto& c) { c.plan.storage[1] = c.plan.outside; }), PlanFault::misplaced, 0));

// Overlap with the step's own input.
static_assert(refused(after<One>([](auto& c) { c.plan.storage[down ? 0 : 1] += place_elems; }),
                      PlanFault::overwrites_input, 0));
static_assert(refused(after<One>([](auto& c) { c.plan.schedule[0].descending = !down; }), PlanFault::overwrites_input,
                      0));
static_assert(refused(after<One>([](auto& c) { c.plan.schedule[0].staged = false; }), PlanFault::overwrites_input, 0));

// Scratch.
static_assert(refused(after<One>([](auto& c) { c.plan.scratch[0] = c.plan.storage[0]; }), PlanFault::scratch_taken, 0));
static_assert(refused(after<One>([](auto& c) { c.plan.scratch[0] = c.plan.storage[1]; }), PlanFault::scratch_taken, 0));
static_assert(refused(after<One>([](auto& c) { c.plan.scratch[0] = c.plan.outside; }), PlanFault::scratch_missing, 0));
static_assert(refused(after<One>([](auto& c) { c.plan.scratch[0] = c.plan.arena_elems - place_elems; }),
                      PlanFault::outside_arena, 0));
static_assert(refused(after<One>([](auto& c) {
                          c.plan.arena_elems += place_elems;
                          c.plan.scratch[0] += 1;
                      }),
                      PlanFault::misaligned, 0));

// Storages that somebody still needs: x of a residual while its body runs, everything under KeepAll.
// Steps: stem, then two blocks of two convolutions, the sum in the second.
using WithSkip = WholeCase<nets::Skip, false>;
static_assert(WithSkip::problem.net.count == 5 && WithSkip::problem.net.steps[2].other.storage == 1);
static_assert(refused(after<WithSkip>([](auto& c) { c.plan.storage[2] = c.plan.storage[1]; }),
                      PlanFault::overwrites_value, 1));
static_assert(refused(after<PlannedCase<nets::Perceptron, false, KeepAll>>([](auto& c) {
                          c.plan.storage[2] = c.plan.storage[1];
                      }),
                      PlanFault::overwrites_value, 1));
// The sum's other operand, hit beside its own place.
using Sum = WholeCase<nets::Nested, false>;
constexpr int sum = Sum::problem.net.count - 1;
static_assert(Sum::problem.net.steps[sum].op.kind == OpKind::add);
static_assert(refused(after<Sum>([](auto& c) {
                          c.plan.arena_elems *= 8; // room for all
                          for (int v = 1; v <= sum + 1; ++v)
                              c.plan.storage[v] = static_cast<std::size_t>(v) * 352; // side by side
                          c.plan.storage[sum + 1] =
                              c.plan.storage[c.problem.net.steps[sum].other.storage] + place_elems;
                      }),
                      PlanFault::overwrites_input, sum));

// Schedules that a kernel does not have.
using Pooled = WholeCase<nets::Pools, true>;
static_assert(refused(after<Pooled>([](auto& c) { c.plan.schedule[0].staged = true; }), PlanFault::schedule_unknown,
                      0));
using Upwards = WholeCase<nets::Pointless, true>;
static_assert(refused(after<Upwards>([](auto& c) { c.plan.schedule[0].descending = true; }),
                      PlanFault::schedule_unknown, 0));
using Moved = WholeCase<nets::Permuted, true>; // the permutation may not share a byte
static_assert(refused(after<Moved>([](auto& c) { c.plan.storage[2] = c.plan.storage[1]; }), PlanFault::overwrites_input,
                      1));

// Steps and tasks themselves.
static_assert(refused(after<WithSkip>([](auto& c) { c.problem.tasks[1].last = 2; }), PlanFault::tasks_broken, 1));
static_assert(refused(after<WithSkip>([](auto& c) { --c.problem.task_count; }), PlanFault::tasks_broken, 4));
static_assert(refused(after<WithSkip>([](auto& c) { c.problem.net.steps[3].in.offset = 16; }), PlanFault::view_outside,
                      3));
static_assert(refused(after<WithSkip>([](auto& c) { c.problem.net.steps[1].in.storage = 3; }),
                      PlanFault::read_unwritten, 1));
static_assert(refused(after<WithSkip>([](auto& c) { c.problem.net.steps[2].op.add = false; }),
                      PlanFault::read_unwritten, 2));
static_assert(refused(after<WithSkip>([](auto& c) { c.problem.net.steps[2].out.storage = 0; }), PlanFault::view_outside,
                      2)); // and too small
static_assert(refused(after<Upwards>([](auto& c) { c.problem.net.steps[0].out.storage = 0; }), PlanFault::written_twice,
                      0));

// A concat of two branches: step 2 makes features 0..7 of storage 3, step 3 features 8..11.
struct Fork
    : nets::Case<
          Graph<Input<"x">, Layer<"a", Conv2d<4, 8, Kernel<3>, Padding<1>>, "x">,
                Layer<"b", Sequential<Conv2d<8, 24, Kernel<1>>, ReLU, Conv2d<24, 8, Kernel<3>, Padding<1>>>, "a">,
                Layer<"c", Conv2d<8, 4, Kernel<1>>, "a">, Layer<"d", Concat, "b", "c">,
                Layer<"e", Conv2d<12, 80, Kernel<3>, Padding<1>>, "d">, Output<"e">, Output<"c">>,
          Shape<12, 10, 4>> {};
static_assert(sound<Fork>());
using Forked = WholeCase<Fork, true>;
static_assert(Forked::problem.net.steps[2].out.storage == 3 && Forked::problem.net.steps[3].out.offset == 8);
static_assert(refused(after<Forked>([](auto& c) { c.problem.net.steps[3].out.offset = 7; }), PlanFault::written_twice,
                      3));
static_assert(refused(after<Forked>([](auto& c) { c.problem.net.steps[2].out.offset = 8; }), PlanFault::view_outside,
                      2));
static_assert(refused(after<Forked>([](auto& c) { c.problem.net.outputs[1].view.offset = 800; }),
                      PlanFault::view_outside, Forked::count));
// A slice at a pitch may not lie over its own input, which ends here, nor may another output on a storage that waits.
static_assert(refused(after<Forked>([](auto& c) { c.plan.storage[3] = c.plan.storage[2]; }),
                      PlanFault::overwrites_input, 2));
static_assert(refused(after<Forked>([](auto& c) {
                          c.plan.arena_elems *= 2;
                          c.plan.storage[3] = c.plan.storage[1];
                      }),
                      PlanFault::overwrites_value, 2));
static_assert(refused(after<Forked>([](auto& c) { c.plan.storage[5] = c.plan.storage[4]; }),
                      PlanFault::overwrites_value, 5));

// Two inputs that the caller fills together.
struct Gated : nets::Case<Graph<Input<"x">, Input<"gate">, Layer<"y", Mul, "x", "gate">, Output<"y">>,
                          Inputs<Shape<6, 5, 16>, Shape<1, 1, 16>>> {};
static_assert(sound<Gated>());
using Product = WholeCase<Gated, true>;
static_assert(refused(after<Product>([](auto& c) { c.plan.storage[1] = c.plan.storage[0]; }),
                      PlanFault::overwrites_value, -1));
// A factor of one pixel is read for every pixel: the product may not take its bytes.
static_assert(refused(after<Product>([](auto& c) {
                          c.plan.storage[0] = 0, c.plan.storage[1] = 1024, c.plan.storage[2] = 1024;
                          c.plan.arena_elems = 2048;
                      }),
                      PlanFault::overwrites_input, 0));

// Recurrent layers run upwards, with their state in scratch.
struct Recurring : nets::Case<Sequential<GRU<8, 16>, LSTM<16, 16>>, Shape<7, 8>> {};
static_assert(sound<Recurring>());
using Recurrent = WholeCase<Recurring, true>;
static_assert(refused(after<Recurrent>([](auto& c) { c.plan.scratch[1] = c.plan.outside; }), PlanFault::scratch_missing,
                      1));
static_assert(refused(after<Recurrent>([](auto& c) { c.plan.scratch[1] = c.plan.storage[1]; }),
                      PlanFault::scratch_taken, 1));
static_assert(refused(after<Recurrent>([](auto& c) {
                          c.plan.storage[2] = c.plan.storage[1];
                          c.plan.scratch[1] = c.plan.arena_elems, c.plan.arena_elems += 64;
                          c.plan.schedule[1].descending = true;
                      }),
                      PlanFault::schedule_unknown, 1));

// A concat that comes late: a step copies the first part to where its pixels lie further apart, over itself.
struct Dense
    : nets::Case<
          Sequential<Parallel<Sequential<Conv2d<2, 16, Kernel<1>>, Tanh>,
                              Sequential<Conv2d<2, 24, Kernel<3>, Padding<1>>, Conv2d<24, 8, Kernel<3>, Padding<1>>>>,
                     Concat, MaxPool2d<2>>,
          Shape<8, 8, 2>> {};
static_assert(sound<Dense>());
using Spread = WholeCase<Dense, false>;
constexpr int spread = [] {
    int first = 0;
    while (first < Spread::count && Spread::steps.steps[first].op.kind != OpKind::copy) ++first;
    return first;
}();
constexpr const Step& spreading = Spread::steps.steps[spread];
static_assert(spreading.op.in_pitch == 0 && spreading.op.out_pitch == 24 && spreading.out.offset == 0);
static_assert(refused(after<Spread>([](auto& c) {
                          c.plan.arena_elems += 8192;
                          c.plan.storage[spreading.in.storage] = c.plan.arena_elems - 1024 - place_elems;
                          c.plan.storage[spreading.out.storage] = c.plan.arena_elems - 1536;
                      }),
                      PlanFault::overwrites_input, spread));

} // namespace

TEST_CASE("an unchanged plan still passes where the faults were planted") {
    // The positive control of the faults above, at run time too.
    const auto unchanged = [](auto&) {};
    CHECK(after<One>(unchanged));
    CHECK(after<OneOutside>(unchanged));
    CHECK(after<WithSkip>(unchanged));
    CHECK(after<Sum>(unchanged));
    CHECK(after<Pooled>(unchanged));
    CHECK(after<Upwards>(unchanged));
    CHECK(after<Moved>(unchanged));
    CHECK(after<Forked>(unchanged));
    CHECK(after<Product>(unchanged));
    CHECK(after<Recurrent>(unchanged));
}

TEST_CASE("a linear layer whose tiles, not blocks, must keep ahead") {
    // 16 -> 3 features of 64 rows from one panel: each tile is read and written before the next, so an output that only
    // the block of twelve would clear is refused.
    Problem<2> p;
    p.owns_input = true;
    Steps<2>& net = p.net;
    net.count = net.input_count = net.output_count = 1;
    net.storage_count = 2;
    Step& step = net.steps[0];
    step.op.kind = OpKind::linear;
    step.op.in = extents_of(64, 16);
    step.op.out = extents_of(64, 3);
    step.in.storage = 0, step.out.storage = 1;
    net.storage[0] = step.op.in.elems(), net.storage[1] = step.op.out.elems();
    net.inputs[0] = {step.in, step.op.in};
    net.outputs[0] = {step.out, step.op.out};
    p.task_count = 1;
    p.footprint[0].can_stage = true;
    p.footprint[0].direct_pixels = p.footprint[0].staged_pixels = 12;
    Plan<2> plan;
    plan.found = plan.owns_input = true;
    plan.arena_elems = 1024;
    plan.scratch[0] = Plan<2>::outside;
    plan.schedule[0] = {false, true};
    plan.storage[1] = 80;
    const RowsOfTask rows[1];
    CHECK(validate(p, plan, rows).fault == PlanFault::overwrites_input);
    plan.storage[1] = 0;
    CHECK(validate(p, plan, rows));
}
