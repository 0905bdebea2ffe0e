// SPDX-License-Identifier: MIT
// Tasks: a model's plan one task at a time, a step or a segment of rows each, for whoever asks where the time goes.
// Beside Session, which runs them all at once; a profile is these with a clock around each.
// Knows plans and devices; nothing of clocks.
#pragma once

#include <tarn/run/model.hpp>
#include <tarn/run/rows.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace tarn {

/// The tasks of TheModel's plan for inputs in the caller's memory, in the order that Session::forward runs them.
/// Memory: an arena of the caller's, arena_bytes on a cache line; a task finds there what those before it left.
template <class TheModel> class Tasks {
    using Planning = typename TheModel::template PlanOf<false>;
    using Weights = typename TheModel::Weights;
    using Kernels = typename TheModel::Device::Best;

  public:
    static constexpr int count = Planning::task_count;

    /// The Ops of task `task`, one for each step.
    static constexpr int step_count(int task) noexcept { return Planning::choice.first[task + 1] - first(task); }
    static constexpr const Op& op(int task, int step) noexcept { return Planning::steps.steps[first(task) + step].op; }

    /// Runs one on the device's best kernels, which the caller knows the processor to have.
    static void run(int task, const float* const* inputs, float* arena, const Weights& weights) noexcept {
        runs[static_cast<std::size_t>(task)](detail::Places{arena, inputs}, weights);
    }

  private:
    using Run = void (*)(const detail::Places&, const Weights&) noexcept;

    static constexpr int first(int task) noexcept { return Planning::choice.first[task]; }
    template <int T> TARN_NOINLINE static void run_one(const detail::Places& places, const Weights& weights) noexcept {
        detail::run_task<Planning, T, Kernels>(places, weights);
    }
    static constexpr auto runs = []<int... T>(std::integer_sequence<int, T...>) {
        return std::array<Run, static_cast<std::size_t>(count)>{run_one<T>...};
    }
    (std::make_integer_sequence<int, count>{});
};

} // namespace tarn
