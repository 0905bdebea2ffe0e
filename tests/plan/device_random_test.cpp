// SPDX-License-Identifier: MIT
// Two thousand random networks planned for a card, apart, held in registers and by rows, each judged independently.
// What kernels can do is drawn at random too, within what the planner may be told. Plans only.
#include "plan/device_judge.hpp"
#include "plan/planning.hpp"
#include "plan/random_dag.hpp"
#include "support/catch.hpp"

#include <tarn/cuda/device.hpp>

#include <cstdlib>
#include <sstream>

using namespace tarn;
using namespace tarn_test;

namespace {

using Grid = cuda::DeviceGrid<>;

struct Tally {
    int plans = 0, held = 0, owned = 0, smaller = 0, without_barrier = 0;
};

template <int Capacity> void judge(const Steps<Capacity>& net, unsigned seed, bool by_rows, Tally& tally) {
    Random random(seed);
    const auto rows = owned_rows(
        net, [&](const Op& op) { return by_rows && Grid::owns_rows(op); },
        [&](const Op& op) { return by_rows && Grid::keeps_rows(op); });
    cuda::Footprint facts[Capacity > 0 ? Capacity : 1];
    for (int s = 0; s < net.count; ++s) {
        const Op& op = rows.steps.steps[s].op;
        facts[s].elementwise = Grid::elementwise(op);
        facts[s].on_input = Grid::keeps_rows(op);
        facts[s].on_other = facts[s].elementwise && cuda::reads_other(op) && !op.broadcast;
        facts[s].held = !facts[s].on_input && !random.one_in(3);
        facts[s].owns = rows.owned[s] ? Grid::panel_rows(op) : 0;
        facts[s].settles = rows.owned[s];
        facts[s].work = op.out.elems() * static_cast<std::size_t>(random.between(1, 40));
    }
    DevicePlanner<Capacity> planner(rows, facts, 256, 3000);
    DevicePlan<Capacity> apart = planner.apart(), held = planner.holding();
    planner.place(apart);
    planner.order(apart);
    planner.place(held);
    planner.order(held);
    for (const DevicePlan<Capacity>* plan : {&apart, &held}) {
        const std::string fault = DeviceJudge<Capacity>(rows.steps, *plan, facts).fault();
        if (!fault.empty()) {
            std::ostringstream text;
            for (int s = 0; s < net.count; ++s)
                text << "  " << s << ": " << rows.steps.steps[s].op << (plan->held[s] ? " held" : "")
                     << (plan->owned[s] ? " owned" : "") << (plan->solo[s] ? " solo" : "") << " before "
                     << static_cast<int>(plan->before[s]) << '\n';
            FAIL_CHECK("seed " << seed << (by_rows ? ", by rows: " : ": ") << fault << '\n' << text.str());
        }
        ++tally.plans;
        for (int s = 0; s < net.count; ++s) {
            tally.held += plan->held[s] ? 1 : 0;
            tally.owned += plan->owned[s] ? 1 : 0;
            tally.without_barrier += s > 0 && plan->before[s] != cuda::Scope::grid ? 1 : 0;
        }
    }
    tally.smaller += held.arena_elems < apart.arena_elems ? 1 : 0;
}

} // namespace

TEST_CASE("plans for a card of two thousand random networks lose nothing and race nowhere") {
    unsigned first = 1, last = 2000;
    if (const char* only = std::getenv("TARN_DAG_SEED")) first = last = static_cast<unsigned>(std::atoi(only));
    Tally tally;
    for (unsigned seed = first; seed <= last; ++seed) {
        const RandomDag dag(seed, seed % 2 == 0 ? 8 : 20, 700);
        const auto made = plan_of(dag.nodes(), Wish{false, false}, true);
        judge(made.problem.net, seed, false, tally);
        judge(made.problem.net, seed, true, tally);
    }
    WARN(tally.plans << " plans: " << tally.held << " steps held, " << tally.owned << " over their rows, "
                     << tally.without_barrier << " without a barrier of the grid before them, " << tally.smaller
                     << " smaller for holding");
    CHECK(tally.held > 500);
    CHECK(tally.owned > 500);
    CHECK(tally.without_barrier > 500);
}
