// SPDX-License-Identifier: MIT
// Ten thousand random networks through the whole planner, each under several policies, judged by the validator.
// Says how many stream, and how far whole-tensor arenas are from their bound.
// Plans only; dag_sources prints some of the same networks to be compiled and run.
#include "support/catch.hpp"

#include "plan/planning.hpp"
#include "plan/random_dag.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

using namespace tarn;
using tarn_test::RandomDag;

namespace {

struct Tally {
    int plans = 0, streamed = 0, below = 0, refused = 0;
    int faults[32] = {};
    std::vector<double> ratios; // arena over LB1, where cache lines are small against it

    void add(std::size_t arena, std::size_t bound, bool streams) {
        ++plans;
        streamed += streams ? 1 : 0;
        below += arena < bound ? 1 : 0;
        if (bound >= 1000) ratios.push_back(static_cast<double>(arena) / static_cast<double>(bound));
    }
    double ratio_at(double part) {
        if (ratios.empty()) return 1.0;
        std::sort(ratios.begin(), ratios.end());
        return ratios[static_cast<std::size_t>(part * static_cast<double>(ratios.size() - 1))];
    }
};

template <int Capacity> std::string told(const tarn_test::Planning<Capacity>& made) {
    std::ostringstream text;
    const auto& net = made.problem.net;
    const auto view = [](const View& v) { return std::to_string(v.storage) + "+" + std::to_string(v.offset); };
    text << "arena " << made.plan.arena_elems << "\n";
    for (int v = 0; v < net.storage_count; ++v)
        text << "storage " << v << " " << net.storage[v] << " at " << static_cast<long>(made.plan.storage[v])
             << " lives " << made.problem.lives.birth[v] << ".." << made.problem.lives.death[v] << "\n";
    for (int t = 0; t < made.problem.task_count; ++t) {
        const Task& task = made.problem.tasks[t];
        text << "task " << t << (task.rows ? " rows" : " whole") << " scratch "
             << static_cast<long>(made.plan.scratch[t]) << (made.plan.schedule[t].descending ? " down" : "")
             << (made.plan.schedule[t].staged ? " staged" : "") << " in " << task.in << " exact " << task.exact
             << " out " << task.out << "\n";
        for (int s = task.first; s <= task.last; ++s) {
            const Step& step = net.steps[s];
            text << "  " << s << ": " << step.op << " rank " << step.op.in.rank << " pitch " << step.op.in_pitch << " "
                 << step.op.out_pitch << " " << step.op.other_pitch << " reads " << view(step.in) << " and "
                 << view(step.other) << " makes " << view(step.out) << "\n";
        }
        if (!task.rows) continue;
        const SegmentFacts& facts = made.facts[static_cast<std::size_t>(t)];
        text << "  lead " << facts.lead.ascending << (facts.exact ? " exact" : "") << " driver "
             << made.links[static_cast<std::size_t>(t)].driver;
        for (int k = 0; k < facts.rings; ++k) text << " ring " << facts.storage[k] << " x" << facts.ring_rows[k];
        text << "\n";
    }
    return text.str();
}

void judge(const RandomDag& dag, unsigned seed, const Wish& wish, bool owns_input, Tally& tally, int& printed) {
    const auto made = tarn_test::plan_of(dag.nodes(), wish, owns_input);
    if (!made.possible) return;
    const PlanVerdict verdict = made.verdict();
    if (!verdict) {
        ++tally.refused;
        ++tally.faults[static_cast<int>(verdict.fault)];
        if (tally.faults[static_cast<int>(verdict.fault)] <= 1 && printed++ < 12) {
            FAIL_CHECK("seed " << seed << (owns_input ? ", input owned" : "") << (wish.rows ? ", rows" : ", whole")
                               << (wish.fastest ? ", fastest" : "") << ": " << tarn_test::name_of(verdict.fault)
                               << " at step " << verdict.step << "\n"
                               << dag.graph() << " on " << dag.input() << "\n"
                               << (std::getenv("TARN_DAG_SEED") != nullptr ? told(made) : std::string()));
        }
        return;
    }
    tally.add(made.plan.arena_elems, made.bounds.lb1, made.streams());
}

} // namespace

TEST_CASE("the planner's plans of ten thousand random networks pass the validator") {
    constexpr Wish smallest{}, whole{false, false}, fastest{false, true, true}, kept{true, false, true};
    constexpr Wish pushed = Pushed<Smallest>::wish;
    constexpr Wish tiles = Winograd<Smallest>::wish, whole_tiles = Winograd<WholeTensors<Fastest>>::wish;
    constexpr Wish pushed_tiles = Pushed<Winograd<Smallest>>::wish;
    Tally tiled, tiled_whole, tiled_by_row;
    Tally streamed, in_place, by_row, whole_external, whole_owned, fast, all_kept;
    int printed = 0;
    unsigned first = 1, last = 10000;
    if (const char* only = std::getenv("TARN_DAG_SEED")) first = last = static_cast<unsigned>(std::atoi(only));
    for (unsigned seed = first; seed <= last; ++seed) {
        const RandomDag dag(seed, seed % 2 == 0 ? 8 : 20, 6000);
        judge(dag, seed, smallest, false, streamed, printed);
        judge(dag, seed, smallest, true, in_place, printed);
        if (dag.input_count() == 1) judge(dag, seed, pushed, false, by_row, printed);
        judge(dag, seed, whole, false, whole_external, printed);
        judge(dag, seed, whole, true, whole_owned, printed);
        judge(dag, seed, fastest, seed % 2 == 0, fast, printed);
        judge(dag, seed, kept, false, all_kept, printed);
        judge(dag, seed, tiles, seed % 4 < 2, tiled, printed);
        judge(dag, seed, whole_tiles, seed % 4 < 2, tiled_whole, printed);
        if (dag.input_count() == 1 && seed % 2 == 0) judge(dag, seed, pushed_tiles, false, tiled_by_row, printed);
    }
    std::ostringstream text;
    const auto line = [&](const char* name, Tally& t) {
        text << name << ": " << t.plans << " accepted, " << t.refused << " refused, " << t.streamed << " stream, "
             << t.below << " below LB1; arena over LB1 (of 1000 or more) median " << t.ratio_at(0.5) << ", 99 % "
             << t.ratio_at(0.99) << ", worst " << t.ratio_at(1.0) << '\n';
        for (int f = 0; f < 20; ++f)
            if (t.faults[f] > 0)
                text << "    " << tarn_test::name_of(static_cast<PlanFault>(f)) << " " << t.faults[f] << '\n';
    };
    line("Smallest, input outside", streamed);
    line("Smallest, input owned  ", in_place);
    line("Smallest, input pushed ", by_row);
    line("whole, input outside   ", whole_external);
    line("whole, input owned     ", whole_owned);
    line("Fastest                ", fast);
    line("KeepAll                ", all_kept);
    line("Winograd, by rows      ", tiled);
    line("Winograd, whole        ", tiled_whole);
    line("Winograd, input pushed ", tiled_by_row);
    WARN(text.str());
    CHECK(streamed.streamed > 2000);
    CHECK(by_row.plans > 2000);
}
