// SPDX-License-Identifier: MIT
// Planner, validator and a simulated arena against each other on random networks and on damaged plans.
// The planner's plans pass both; whatever plan the validator lets through, the simulation must survive.
// Networks are made as nodes, without templates; footprints are the kernels' own.
#include "support/catch.hpp"

#include "plan/random_dag.hpp"
#include "plan/simulate.hpp"

#include <sstream>

using namespace tarn;
using tarn_test::Random;
using tarn_test::RandomDag;

namespace {

using RandomPlanning = decltype(tarn_test::plan_of(std::declval<RandomDag::NodeList>(), Wish{}, true));

/// One thing changed that a planner could get wrong.
void damage(RandomPlanning& made, Random& random) {
    const auto& p = made.problem;
    auto& plan = made.plan;
    const std::size_t outside = std::remove_cvref_t<decltype(plan)>::outside;
    const int t = random.between(0, p.task_count - 1), v = random.between(0, p.net.storage_count - 1);
    const auto by = static_cast<std::size_t>(16 * random.pick({1, 1, 2, 3, 5}));
    const auto anywhere = [&] {
        return 16 * static_cast<std::size_t>(random.between(0, static_cast<int>(plan.arena_elems / 16)));
    };
    std::size_t& place = plan.storage[v];
    SegmentFacts& facts = made.facts[static_cast<std::size_t>(t)];
    const int ring = facts.rings > 0 ? random.between(0, facts.rings - 1) : 0;
    switch (random.between(0, 10)) {
    case 0:
        if (place != outside) place += by;
        break;
    case 1:
        if (place != outside && place >= by) place -= by;
        break;
    case 2:
        if (place != outside) place = anywhere();
        break;
    case 3:
        plan.schedule[t].descending = !plan.schedule[t].descending;
        break;
    case 4:
        plan.schedule[t].staged = !plan.schedule[t].staged;
        break;
    case 5:
        if (plan.scratch[t] != outside) plan.scratch[t] = anywhere();
        break;
    case 6:
    case 7:
        if (facts.rings > 0) facts.ring_rows[ring] -= facts.ring_rows[ring] > 1 ? 1 : 0;
        break;
    case 8:
        if (facts.rings > 0) facts.ring_at[ring] = by;
        break;
    case 9:
        if (p.tasks[t].rows)
            made.links[static_cast<std::size_t>(t)].driver = random.between(0, p.tasks[t].last - p.tasks[t].first);
        break;
    default:
        if (const std::size_t other = plan.storage[random.between(0, p.net.storage_count - 1)];
            place != outside && other != outside)
            place = other;
        break;
    }
}

std::string told(const RandomDag& dag, const RandomPlanning& made) {
    std::ostringstream text;
    const auto& net = made.problem.net;
    text << dag.graph() << " on " << dag.input() << "\narena " << made.plan.arena_elems << '\n';
    for (int v = 0; v < net.storage_count; ++v)
        text << "storage " << v << ": " << net.storage[v] << " at " << static_cast<long>(made.plan.storage[v]) << '\n';
    for (int t = 0; t < made.problem.task_count; ++t) {
        const Task& task = made.problem.tasks[t];
        text << (task.rows ? "by rows" : "whole") << (made.plan.schedule[t].descending ? " down" : " up")
             << (made.plan.schedule[t].staged ? " staged" : "") << " scratch "
             << static_cast<long>(made.plan.scratch[t]);
        const SegmentFacts& facts = made.facts[static_cast<std::size_t>(t)];
        for (int k = 0; k < facts.rings; ++k)
            text << ", ring of " << facts.storage[k] << ": " << facts.ring_rows[k] << " at " << facts.ring_at[k];
        text << '\n';
        for (int s = task.first; s <= task.last; ++s) {
            const Step& step = net.steps[s];
            text << "  " << s << ": " << step.op << " of " << step.in.storage << '+' << step.in.offset << " and "
                 << step.other.storage << '+' << step.other.offset << " to " << step.out.storage << '+'
                 << step.out.offset << '\n';
        }
    }
    return text.str();
}

} // namespace

TEST_CASE("plans of random networks, and what the validator lets through of damaged ones") {
    constexpr Wish smallest{}, whole{false, false}, fastest{false, true, true}, kept{true, false, true};
    constexpr Wish tiles = Winograd<Smallest>::wish, whole_tiles = Winograd<WholeTensors<Smallest>>::wish;
    constexpr Wish wishes[] = {smallest, smallest, tiles, whole, whole_tiles, fastest, kept};
    Random random(19);
    int accepted = 0, rejected = 0, needlessly = 0, streamed = 0;
    int by_name[32] = {};
    for (unsigned seed = 1; seed <= 1500; ++seed) {
        const RandomDag dag(200000 + seed, 10, 1200);
        const RandomPlanning made = tarn_test::plan_of(dag.nodes(), wishes[seed % std::size(wishes)], random.one_in(2));
        if (made.problem.task_count == 0) continue;                    // every output is an input
        if (seed % std::size(wishes) < 3 && !made.streams()) continue; // of whole steps there are enough
        INFO("network " << seed << '\n' << told(dag, made));
        const PlanVerdict verdict = made.verdict();
        INFO(tarn_test::name_of(verdict.fault) << " at step " << verdict.step);
        REQUIRE(verdict);
        REQUIRE(tarn_test::survives(made, made.plan));
        streamed += made.streams() ? 1 : 0;
        for (int j = 0; j < 40; ++j) {
            RandomPlanning worse = made;
            damage(worse, random);
            if (random.one_in(4)) damage(worse, random);
            if (const PlanVerdict v = worse.verdict()) {
                ++accepted;
                INFO("damaged " << j << '\n' << told(dag, worse));
                REQUIRE(tarn_test::survives(worse, worse.plan));
            } else {
                ++rejected;
                ++by_name[static_cast<int>(v.fault)];
                needlessly += tarn_test::survives(worse, worse.plan) ? 1 : 0;
            }
        }
    }
    std::ostringstream names;
    for (int f = 0; f < 20; ++f)
        if (by_name[f] > 0) names << ' ' << tarn_test::name_of(static_cast<PlanFault>(f)) << ' ' << by_name[f];
    WARN(accepted << " damaged plans accepted, all run right; " << rejected << " rejected, " << needlessly
                  << " of them would have run right;" << names.str());
    CHECK(streamed > 50);
    CHECK(accepted > 1000);
    CHECK(rejected > 4000);
    CHECK(needlessly < rejected / 3);
}
