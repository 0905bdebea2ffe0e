// SPDX-License-Identifier: MIT
// Validate: judges a plan by replaying it, task by task, with no line in common with the planner.
// Beside planning: tests hold every plan to it, in static_asserts and, for thousands of networks, while running.
// Knows steps, plans and what kernels read and write in which order; not how places were found.
#pragma once

#include <tarn/plan/judge_rows.hpp>
#include <tarn/plan/judge_whole.hpp>
#include <tarn/plan/network.hpp>

namespace tarn {

/// What a task by rows is run by; nothing for a task that runs whole.
struct RowsOfTask {
    const Links* links = nullptr;
    const SegmentFacts* facts = nullptr;
    const int* needs = nullptr; ///< by row of the driver: the last row of a pushed input that it waits for
};

namespace detail::judge {

template <int Capacity>
constexpr PlanVerdict judge_task(const Problem<Capacity>& p, const Plan<Capacity>& plan, const Uses<Capacity>& uses,
                                 int number, const RowsOfTask& rows) noexcept {
    if (!p.tasks[number].rows) return judge_whole(p, plan, uses, number);
    return RowJudge<Capacity>(p, plan, uses, number, *rows.links, *rows.facts, rows.needs).verdict();
}

/// A planning's parts as constants of their own, since compilers limit what one may cost.
template <class Planning> inline constexpr Uses uses_in{Planning::problem.net, Planning::wish.keep_all};
template <class Planning> inline constexpr PlanVerdict verdict_on_steps = judge_steps(Planning::problem.net);
template <class Planning>
inline constexpr PlanVerdict verdict_on_places = judge_places(Planning::problem, Planning::plan, uses_in<Planning>);

template <class Planning>
inline constexpr RowNeeds<rows_of(Planning::steps.steps[Planning::template links<0>.driver].op.out)> needs_in{
    Planning::steps, Planning::lives, Planning::template links<0>};
template <class Planning, int T> constexpr RowsOfTask rows_of_task() noexcept {
    if constexpr (!Planning::problem.tasks[T].rows)
        return {};
    else if constexpr (Planning::wish.pushed && T == 0)
        return {&Planning::template links<T>, &Planning::template segment<T>, needs_in<Planning>.last};
    else
        return {&Planning::template links<T>, &Planning::template segment<T>};
}
template <class Planning, int T>
inline constexpr PlanVerdict verdict_on_task = judge_task(Planning::problem, Planning::plan, uses_in<Planning>, T,
                                                          rows_of_task<Planning, T>());

} // namespace detail::judge

/// Judges a plan. rows: of each task; keep_all: whether every storage is wanted at the end.
template <int Capacity>
constexpr PlanVerdict validate(const Problem<Capacity>& p, const Plan<Capacity>& plan, const RowsOfTask* rows,
                               bool keep_all = false) noexcept {
    const detail::judge::Uses<Capacity> uses(p.net, keep_all);
    if (const PlanVerdict v = detail::judge::judge_steps(p.net); !v) return v;
    if (const PlanVerdict v = detail::judge::judge_places(p, plan, uses); !v) return v;
    for (int t = 0; t < p.task_count; ++t)
        if (const PlanVerdict v = detail::judge::judge_task(p, plan, uses, t, rows[t]); !v) return v;
    return {};
}

/// Judges what a Planned has planned, each task in a constant of its own.
template <class Planning> constexpr PlanVerdict validate() noexcept {
    return []<int... T>(std::integer_sequence<int, T...>) {
        for (const PlanVerdict& v :
             {detail::judge::verdict_on_steps<Planning>, detail::judge::verdict_on_places<Planning>,
              detail::judge::verdict_on_task<Planning, T>...})
            if (!v) return v;
        return PlanVerdict{};
    }
    (std::make_integer_sequence<int, Planning::task_count>{});
}

} // namespace tarn
