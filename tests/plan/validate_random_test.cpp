// SPDX-License-Identifier: MIT
// Planner, validator and a simulated arena against each other on random networks and on damaged plans.
// The planner's plans pass both; whatever plan the validator lets through, the simulation must survive.
// Networks are made as steps, without templates; the footprints are held against the kernels' own.
#include "support/catch.hpp"

#include <tarn/plan/validate.hpp>

#include "plan/simulate.hpp"

using namespace tarn;
using tarn_test::Random;

namespace {

constexpr int capacity = 12;
using RandomProblem = Problem<capacity>;
using RandomPlan = Plan<capacity>;

Op op_on(OpKind kind, Extents in, Extents out) {
    Op op;
    op.kind = kind;
    op.in = in;
    op.out = out;
    return op;
}

/// Any layer that takes an image or rows of features.
Op random_layer(Random& random, Extents in) {
    const int channels = random.pick({1, 3, 4, 8, 12, 16, 17, 20, 36});
    switch (random.between(0, in.rank == 3 ? 9 : 3)) {
    case 0:
        return op_on(OpKind::linear, in, in.with_last(channels));
    case 1:
        return op_on(OpKind::activation, in, in);
    case 2:
        return op_on(random.one_in(2) ? OpKind::softmax : OpKind::batch_norm, in, in);
    case 3:
        if (in.rank == 3 && random.one_in(3))
            return op_on(OpKind::flatten_pytorch, in, extents_of(static_cast<int>(in.elems())));
        return op_on(OpKind::linear, in, in.with_last(channels));
    case 4: { // same-padded
        const int k = random.pick({1, 3, 5});
        const Window w{k, k, 1, 1, k / 2, k / 2, k / 2, k / 2, 1, 1};
        Op op = tarn_test::windowed(OpKind::conv2d, in[0], in[1], in[2], random.one_in(2) ? in[2] : channels, w);
        if (random.one_in(4)) {
            op.out = op.out.with_last(in[2] * random.between(1, 3)); // grouped, or depthwise
            op.groups = random.one_in(2) ? in[2] : in[2] % 2 == 0 ? 2 : 1;
        }
        return op;
    }
    default:
        break;
    }
    for (;;) {
        Op op = tarn_test::random_windowed(random, 1, 1);
        const Window w = op.window;
        const int kind = random.between(0, 3);
        op = tarn_test::windowed(kind == 0 ? OpKind::max_pool2d : OpKind::conv2d, in[0], in[1], in[2],
                                 kind == 3 ? channels : in[2], w);
        if (kind == 1) op.groups = in[2];
        if (op.out[0] >= 1 && op.out[1] >= 1) return op;
    }
}

RandomProblem random_problem(Random& random) {
    RandomProblem p;
    Steps<capacity>& net = p.net;
    p.owns_input = random.one_in(2);
    p.keep_all = random.one_in(8);
    net.input = extents_of(random.between(1, 9), random.between(1, 9), random.pick({1, 3, 8, 16, 20}));
    const int layers = random.between(1, capacity);
    const auto extents = [&](int v) { return v == 0 ? net.input : net.steps[v - 1].op.out; };
    while (net.count < layers) {
        Step& step = net.steps[net.count];
        step.input = random.one_in(6) ? random.between(0, net.count) : net.count; // mostly a chain
        step.op = random_layer(random, extents(step.input));
        if (step.op.out.elems() > 6000) step.op = op_on(OpKind::activation, extents(step.input), extents(step.input));
        step.other = -1;
        // A residual: in the epilogue of a weighted layer, or a step of its own.
        const bool weighted = step.op.kind == OpKind::linear || step.op.kind == OpKind::conv2d;
        if ((weighted || step.op.kind == OpKind::activation) && random.one_in(2)) {
            for (int v = random.between(0, net.count); v >= 0; --v) {
                if (!(extents(v) == step.op.out)) continue;
                step.other = v;
                step.op.add = true;
                if (!weighted) step.op.kind = OpKind::add;
                break;
            }
        }
        p.footprint[net.count] = tarn_test::footprint_of(step.op);
        ++net.count;
    }
    net.output = net.count;
    net.output_extents = extents(net.output);
    return p;
}

/// One thing changed that a planner could get wrong.
RandomPlan damaged(const RandomProblem& p, RandomPlan plan, Random& random) {
    const int s = random.between(0, p.net.count - 1);
    const int v = random.between(p.owns_input ? 0 : 1, p.net.count);
    const auto by = static_cast<std::size_t>(16 * random.pick({1, 1, 2, 3, 5}));
    const auto anywhere = [&] {
        return 16 * static_cast<std::size_t>(random.between(0, static_cast<int>(plan.arena_elems / 16)));
    };
    switch (random.between(0, 6)) {
    case 0:
        plan.value[v] += by;
        break;
    case 1:
        if (plan.value[v] >= by) plan.value[v] -= by;
        break;
    case 2:
        plan.value[v] = anywhere();
        break;
    case 3:
        plan.schedule[s].descending = !plan.schedule[s].descending;
        break;
    case 4:
        plan.schedule[s].staged = !plan.schedule[s].staged;
        break;
    case 5:
        if (plan.scratch[s] != RandomPlan::outside) plan.scratch[s] = anywhere();
        break;
    default:
        plan.value[v] = plan.value[random.between(p.owns_input ? 0 : 1, p.net.count)];
        break;
    }
    return plan;
}

std::string told(const RandomProblem& p, const RandomPlan& plan) {
    std::ostringstream text;
    text << "arena " << plan.arena_elems << " input at " << static_cast<long>(plan.value[0]) << '\n';
    for (int s = 0; s < p.net.count; ++s)
        text << s << ": " << p.net.steps[s].op << " of " << p.net.steps[s].input << " + " << p.net.steps[s].other
             << " at " << plan.value[s + 1] << (plan.schedule[s].descending ? " down" : " up")
             << (plan.schedule[s].staged ? " staged" : "") << " scratch " << static_cast<long>(plan.scratch[s]) << '\n';
    return text.str();
}

template <Op O> void hold_against_kernel() {
    const Footprint own = cpu::Geometry<O>::footprint(), here = tarn_test::footprint_of(O);
    INFO(O);
    CHECK(own.direct == here.direct);
    CHECK(own.staged == here.staged);
    CHECK(own.scratch_elems == here.scratch_elems);
    CHECK(own.can_stage == here.can_stage);
    CHECK(own.direct_pixels == here.direct_pixels);
    CHECK(own.staged_pixels == here.staged_pixels);
    CHECK(own.second_exact == here.second_exact);
}

constexpr Op conv(int h, int w, int c, int k, int kernel, int stride, int groups, bool add) {
    Op op;
    op.kind = OpKind::conv2d;
    op.in = extents_of(h, w, c);
    op.window = {kernel, kernel, stride, stride, kernel / 2, kernel / 2, kernel / 2, kernel / 2, 1, 1};
    op.out = extents_of((h - 1) / stride + 1, (w - 1) / stride + 1, k);
    op.groups = groups;
    op.add = add;
    return op;
}
constexpr Op plain(OpKind kind, Extents in, Extents out) {
    Op op;
    op.kind = kind;
    op.in = in;
    op.out = out;
    op.add = kind == OpKind::add;
    return op;
}

} // namespace

TEST_CASE("the footprints of these tests are the kernels' own") {
    hold_against_kernel<conv(7, 9, 5, 40, 3, 1, 1, false)>();
    hold_against_kernel<conv(7, 200, 70, 8, 3, 2, 1, false)>();
    hold_against_kernel<conv(7, 9, 12, 12, 1, 1, 1, true)>();
    hold_against_kernel<conv(7, 9, 12, 24, 3, 1, 2, false)>();
    hold_against_kernel<conv(7, 9, 12, 12, 3, 2, 12, false)>();
    hold_against_kernel<conv(7, 3, 12, 12, 5, 1, 12, true)>();
    hold_against_kernel<plain(OpKind::linear, extents_of(29, 48), extents_of(29, 33))>();
    hold_against_kernel<plain(OpKind::linear, extents_of(500), extents_of(10))>();
    hold_against_kernel<plain(OpKind::softmax, extents_of(3, 4), extents_of(3, 4))>();
    hold_against_kernel<plain(OpKind::batch_norm, extents_of(3, 4), extents_of(3, 4))>();
    hold_against_kernel<plain(OpKind::add, extents_of(3, 4), extents_of(3, 4))>();
    hold_against_kernel<plain(OpKind::flatten_pytorch, extents_of(3, 4, 5), extents_of(60))>();
    hold_against_kernel<plain(OpKind::activation, extents_of(3, 4, 5), extents_of(3, 4, 5))>();
}

TEST_CASE("plans of random networks, and what the validator lets through of damaged ones") {
    Random random(19);
    int accepted = 0, rejected = 0, needlessly = 0;
    for (int i = 0; i < 200; ++i) {
        const RandomProblem p = random_problem(random);
        const RandomPlan plan = place(p);
        INFO("network " << i << '\n' << told(p, plan));
        const PlanVerdict verdict = validate(p, plan);
        INFO("fault " << static_cast<int>(verdict.fault) << " at step " << verdict.step);
        REQUIRE(verdict);
        REQUIRE(tarn_test::survives(p, plan));
        for (int j = 0; j < 60; ++j) {
            RandomPlan worse = damaged(p, plan, random);
            if (random.one_in(4)) worse = damaged(p, worse, random);
            if (validate(p, worse)) {
                ++accepted;
                INFO("damaged " << j << '\n' << told(p, worse));
                REQUIRE(tarn_test::survives(p, worse));
            } else {
                ++rejected;
                needlessly += tarn_test::survives(p, worse) ? 1 : 0;
            }
        }
    }
    WARN(accepted << " damaged plans accepted, all run right; " << rejected << " rejected, " << needlessly
                  << " of them would have run right");
    CHECK(accepted > 1000);
    CHECK(rejected > 4000);
    CHECK(needlessly < rejected / 3);
}
