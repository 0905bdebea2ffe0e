// SPDX-License-Identifier: MIT
// What Planned does for a network type, for nodes known while running: the same planner, one call after another.
// For tests that plan thousands of networks.
// Knows all of planning; nothing of kernels.
#pragma once

#include <tarn/plan/validate.hpp>

#include <string>
#include <vector>

namespace tarn_test {

/// A network's plan and all that judges want to see of it.
template <int Capacity> struct Planning {
    tarn::Problem<Capacity> problem{};
    tarn::Plan<Capacity> plan{};
    std::vector<tarn::Links> links{};        ///< by task; of whole ones nothing
    std::vector<tarn::SegmentFacts> facts{}; ///< likewise
    std::vector<int> needs{};                ///< by row of the first driver, where the input is pushed
    tarn::Bounds bounds{};
    bool keep_all = false;
    bool possible = true; ///< not where an input is to be pushed and the first layers cannot take it so
    std::size_t estimate = 0;

    bool streams() const {
        for (int t = 0; t < problem.task_count; ++t)
            if (problem.tasks[t].rows) return true;
        return false;
    }
    std::vector<tarn::RowsOfTask> rows() const {
        std::vector<tarn::RowsOfTask> all(links.size() + 1);
        for (std::size_t t = 0; t < links.size(); ++t) all[t] = {&links[t], &facts[t]};
        if (!needs.empty()) all[0].needs = needs.data();
        return all;
    }
    tarn::PlanVerdict verdict() const { return verdict(plan); }
    tarn::PlanVerdict verdict(const tarn::Plan<Capacity>& other) const {
        return tarn::validate(problem, other, rows().data(), keep_all);
    }
};

template <int N> auto plan_of(const tarn::Nodes<N>& nodes, const tarn::Wish& wish, bool owns_input) {
    using namespace tarn;
    const auto graph = ordered(nodes);
    auto steps = fuse(graph, wish.keep_all);
    if (!wish.keep_all) {
        Late late, before;
        do {
            before = late;
            steps = fuse(graph, false, late);
            late = one_more(graph, steps, late);
        } while (!(late == before));
    }
    if (wish.sums == Summation::winograd) { // wherever it can be, tiles of both sizes
        for (int s = 0; s < steps.count; ++s)
            if (cpu::takes_winograd(steps.steps[s].op)) steps.steps[s].op.winograd = s % 2 == 0 ? 4 : 2;
    }
    constexpr int capacity = decltype(steps)::room;
    Planning<capacity> made;
    Problem<capacity>& p = made.problem;
    p.net = steps;
    p.lives = lifetimes_of(steps, wish.keep_all);
    p.owns_input = owns_input;
    made.keep_all = wish.keep_all;
    for (int s = 0; s < steps.count; ++s) p.footprint[s] = cpu::footprint_of(steps.steps[s].op);

    std::vector<EstimateRow> estimates(static_cast<std::size_t>(steps.count));
    const std::size_t least = estimate_all(steps, p.lives, p.footprint, wish, owns_input, estimates.data());
    std::vector<const EstimateRow*> table;
    for (const EstimateRow& row : estimates) table.push_back(&row);
    table.push_back(nullptr);
    const auto choice = choose<capacity>(steps.count, table.data(), wish, least, p.lives.death[0]);

    const RowTable rows(steps);
    made.estimate = choice.estimate;
    made.possible = !wish.pushed || (choice.count > 0 && choice.rows[0] && p.lives.death[0] < choice.first[1] &&
                                     input_keeps_rows(steps));
    if (!made.possible) return made;
    p.task_count = choice.count;
    made.links.resize(static_cast<std::size_t>(choice.count));
    made.facts.resize(static_cast<std::size_t>(choice.count));
    for (int t = 0; t < choice.count; ++t) {
        const auto at = static_cast<std::size_t>(t);
        if (choice.rows[t]) {
            made.links[at] = links_of(rows, choice.first[t], choice.first[t + 1] - 1);
            const bool pushed = wish.pushed && t == 0;
            made.facts[at] = segment_facts(steps, p.lives, made.links[at], pushed);
            if (pushed) {
                const Op& driver = steps.steps[made.links[at].driver].op;
                made.needs.resize(static_cast<std::size_t>(row_count(driver.out)));
                row_needs(steps, p.lives, made.links[at], made.needs.data());
            }
            p.tasks[t] = rows_task(p, made.links[at], made.facts[at]);
        } else {
            p.tasks[t] = whole_task(p, choice.first[t]);
        }
    }
    p.find_oldest();
    made.plan = wish.keep_all ? place_attempt(p, place_attempts - 1) : place(p);
    made.bounds = bounds_of(steps, owns_input);
    return made;
}

inline const char* name_of(tarn::PlanFault fault) {
    constexpr const char* names[] = {"none",
                                     "not_found",
                                     "tasks_broken",
                                     "view_outside",
                                     "written_twice",
                                     "read_unwritten",
                                     "misplaced",
                                     "outside_arena",
                                     "misaligned",
                                     "overwrites_value",
                                     "overwrites_input",
                                     "scratch_taken",
                                     "scratch_missing",
                                     "schedule_unknown",
                                     "rows_differ",
                                     "ring_outlived",
                                     "ring_taken",
                                     "row_missing",
                                     "row_lost",
                                     "row_unmade"};
    return names[static_cast<int>(fault)];
}

} // namespace tarn_test
