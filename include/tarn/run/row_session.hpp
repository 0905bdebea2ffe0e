// SPDX-License-Identifier: MIT
// RowSession: a session whose input comes row by row, as from a camera, and is never whole in memory.
// Beside Session: the first segment of the plan takes its rows from a ring and runs as far as they reach.
// Knows plans, devices and arenas; nothing of files.
#pragma once

#include <tarn/run/arena.hpp>
#include <tarn/run/chosen.hpp>
#include <tarn/run/rows.hpp>

#include <span>

namespace tarn {

/// What one thread needs to run a model on rows; sizeof is all the memory it will ever use.
/// Shapes: one input [H, W, C] or [T, C], pushed as H rows of W * C floats (T of C); results as Session.
/// Memory: arena_bytes, in which the input is a ring of a few rows.
/// Errors: a network whose first layers do not work row by row does not compile.
template <class TheModel> class RowSession {
  public:
    using Weights = typename TheModel::Weights;
    using Device = typename TheModel::Device;
    using Planning = Planned<typename TheModel::Facts, Device, Pushed<typename TheModel::Policy>, false>;
    static_assert(TheModel::input_count == 1, "RowSession: the network must have one input");
    static_assert(Planning::plan_by_rows,
                  "RowSession: the network's first layers must all work row by row until none of them reads the input");
    static constexpr Extents input_extents = Planning::steps.inputs[0].extents;
    static constexpr int input_rows = row_count(input_extents);
    static constexpr std::size_t row_size = input_extents.elems() / static_cast<std::size_t>(input_rows);
    static constexpr std::size_t arena_bytes = Planning::arena_elems * sizeof(float);
    template <int I> static constexpr std::size_t output_size = Planning::steps.outputs[I].extents.elems();

    /// The weights must outlive the session.
    explicit RowSession(const Weights& weights) noexcept : weights_(&weights), chosen_(Device::choose()) {}
    explicit RowSession(const Weights&&) = delete;
    RowSession(const RowSession&) = delete;
    RowSession& operator=(const RowSession&) = delete;

    /// Takes the next row, which is copied, and computes all that it completes. True after the last row: the results
    /// are then in output() until the next push, which begins a new image. Errors: none. Allocates nothing, takes no
    /// lock, calls no operating system, throws nothing.
    bool push_row(std::span<const float, row_size> row) noexcept TARN_NONBLOCKING {
        [[maybe_unused]] const typename Device::Scope scope;
        return detail::with_kernels<Device>(chosen_, [&]<class Kernels>() { return push<Kernels>(row.data()); });
    }
    /// Forgets the rows of an image that was not finished.
    void restart() noexcept TARN_NONBLOCKING {
        rows_ = made_ = 0;
        for (int& rows : next_) rows = 0;
    }
    int rows_pushed() const noexcept TARN_NONBLOCKING { return rows_; }

    /// Result I of the last image.
    template <int I = 0> std::span<const float, output_size<I>> output() const noexcept TARN_NONBLOCKING {
        constexpr View view = Planning::steps.outputs[I].view;
        return std::span<const float, output_size<I>>{places().template whole<Planning, view.storage>() + view.offset,
                                                      output_size<I>};
    }

  private:
    template <class Kernels> using Runner = detail::RowRunner<Planning, 0, Kernels, Weights>;
    static constexpr Links links = Planning::template links<0>; // not a reference: nvcc 13 refuses it
    static constexpr int driver_rows = Planning::estimate_table.rows.steps[links.first + links.driver].out.rows;
    static constexpr RowNeeds<driver_rows> needs{Planning::steps, Planning::lives, links};

    template <class Kernels> bool push(const float* row) noexcept TARN_NONBLOCKING {
        Runner<Kernels> runner(places(), *weights_, next_);
        __builtin_memcpy(runner.pushed_row(rows_), row, row_size * sizeof(float));
        ++rows_;
        while (made_ < driver_rows && needs.last[made_] < rows_) runner.advance(made_++);
        if (rows_ < input_rows) return false;
        runner.finish();
        detail::run_tasks<Planning, 1, Kernels>(places(), *weights_,
                                                std::make_integer_sequence<int, Planning::task_count - 1>{});
        restart();
        return true;
    }
    detail::Places places() const noexcept TARN_NONBLOCKING { return {const_cast<float*>(memory_.data()), nullptr}; }

    Arena<arena_bytes> memory_;
    const Weights* weights_;
    int next_[static_cast<std::size_t>(links.count)] = {};
    int rows_ = 0, made_ = 0;
    int chosen_; // of the device's sets
};

} // namespace tarn
