// SPDX-License-Identifier: MIT
// Plants faults in plans that were found sound: the verdict on a Planned after something in it was changed.
// Used by the tests of the validator, in static_asserts.
// Knows plans; runs no kernel.
#pragma once

#include <tarn/plan/validate.hpp>

namespace tarn_test {

/// All that a verdict depends on, to be changed at will.
template <class Planning> struct Changed {
    static constexpr int tasks = Planning::task_count;

    std::remove_cvref_t<decltype(Planning::problem)> problem = Planning::problem;
    std::remove_cvref_t<decltype(Planning::plan)> plan = Planning::plan;
    tarn::Links links[tasks + 1]{};
    tarn::SegmentFacts facts[tasks + 1]{};
    int needs[128] = {}; ///< where the input is pushed: by row of the first driver, the input row that it waits for
    bool keep_all = Planning::wish.keep_all;

    constexpr Changed() { take(std::make_integer_sequence<int, tasks>{}); }
    constexpr tarn::PlanVerdict verdict() const {
        tarn::RowsOfTask rows[tasks + 1];
        for (int t = 0; t < tasks; ++t) rows[t] = {&links[t], &facts[t]};
        if (Planning::wish.pushed) rows[0].needs = needs;
        return tarn::validate(problem, plan, rows, keep_all);
    }

  private:
    template <int... T> constexpr void take(std::integer_sequence<int, T...>) { (take_one<T>(), ...); }
    template <int T> constexpr void take_one() {
        if constexpr (Planning::problem.tasks[T].rows) {
            links[T] = Planning::template links<T>;
            facts[T] = Planning::template segment<T>;
            if (Planning::wish.pushed && T == 0) tarn::row_needs(problem.net, problem.lives, links[T], needs);
        }
    }
};

/// The verdict after `change` has been done.
template <class Planning, class Change> constexpr tarn::PlanVerdict after(Change change) {
    Changed<Planning> changed;
    change(changed);
    return changed.verdict();
}
constexpr bool refused(tarn::PlanVerdict verdict, tarn::PlanFault fault, int step) {
    return verdict.fault == fault && verdict.step == step;
}

} // namespace tarn_test
