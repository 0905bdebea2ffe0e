// SPDX-License-Identifier: MIT
// UpTo: a Model whose input has as many rows as a call brings, up to a maximum that everything is planned for.
// Beside Session: the plan for the maximum, run on the rows that there are.
// Knows plans, devices and arenas; nothing of files.
#pragma once

#include <tarn/plan/row_counts.hpp>
#include <tarn/run/checked.hpp>
#include <tarn/run/chosen.hpp>
#include <tarn/run/counted_rows.hpp>
#include <tarn/run/model.hpp>

namespace tarn {

/// An input of at most TheShape's rows: steps of a sequence, rows of features, lines of an image. How many, each call
/// says.
template <class TheShape> struct UpTo {};

/// What one thread needs to run a Model of UpTo; sizeof is all the memory it will ever use.
template <class TheModel, bool OwnsInput, class Memory> class UpToSession {
  public:
    using Weights = typename TheModel::Weights;
    using Device = typename TheModel::Device;
    using Planning = typename TheModel::template PlanOf<OwnsInput>;
    static constexpr int output_count = Planning::steps.output_count;
    static constexpr Extents largest_input = Planning::steps.inputs[0].extents;
    static constexpr int max_rows = row_count(largest_input);
    /// Floats of one row of the input, and of one of output I.
    static constexpr std::size_t row_size = largest_input.elems() / static_cast<std::size_t>(max_rows);
    template <int I>
    static constexpr std::size_t
        output_row_size = Planning::steps.outputs[I].extents.elems() /
                          static_cast<std::size_t>(row_count(Planning::steps.outputs[I].extents));

    /// The weights must outlive the session.
    explicit UpToSession(const Weights& weights) noexcept : weights_(&weights), chosen_(Device::choose()) {}
    /// The same in memory of the caller's, which must outlive it too and lie on a cache line.
    UpToSession(const Weights& weights, std::span<std::byte, Memory::bytes> memory) noexcept
        : memory_(memory), weights_(&weights), chosen_(Device::choose()) {}
    explicit UpToSession(const Weights&&) = delete;
    UpToSession(const UpToSession&) = delete;
    UpToSession& operator=(const UpToSession&) = delete;

    /// Runs the network on the caller's rows, which are read in place and never written. The rows of the first result,
    /// with the bits of a Model of just so many rows; they lie in the session until the next forward, as do the others:
    /// output<I>. Errors: a SizeError, and nothing has run. Allocates nothing, takes no lock, throws nothing.
    Checked<std::span<const float>> forward(std::span<const float> rows) noexcept TARN_NONBLOCKING
        requires(!OwnsInput) {
        if (rows.size() % row_size != 0) return SizeError::not_whole;
        if (rows.size() / row_size > static_cast<std::size_t>(max_rows)) return SizeError::too_large;
        input_[0] = rows.data();
        return run(static_cast<int>(rows.size() / row_size));
    }

    /// Where forward_in_place finds its rows, from the first float on: fill it before each call, which overwrites it.
    std::span<float> input() noexcept TARN_NONBLOCKING requires OwnsInput {
        return {memory_.data() + Planning::plan.storage[0], largest_input.elems()};
    }
    /// Runs the network on the first rows of input(), which do not survive.
    Checked<std::span<const float>> forward_in_place(int rows) noexcept TARN_NONBLOCKING requires OwnsInput {
        if (rows > max_rows) return SizeError::too_large;
        return run(rows);
    }

    /// The rows of result I of the last forward that had no error.
    template <int I = 0> std::span<const float> output() const noexcept TARN_NONBLOCKING {
        constexpr View view = Planning::steps.outputs[I].view;
        constexpr int rows = row_count(Planning::steps.outputs[I].extents);
        const auto made =
            static_cast<std::size_t>(Planning::counted_rows.storage[view.storage] ? rows_[view.storage] : rows);
        return {places().template whole<Planning, view.storage>() + view.offset,
                counted_ == 0 ? 0 : made * output_row_size<I>};
    }

    /// The instruction set that forward runs on.
    const char* instruction_set() const noexcept { return detail::set_name<Device>(chosen_); }

  private:
    static constexpr auto& steps = Planning::steps;

    Checked<std::span<const float>> run(int rows) noexcept TARN_NONBLOCKING {
        if (rows < 1) return SizeError::empty;
        if (rows != counted_)
            if (const SizeError wrong = count(rows); wrong != SizeError::none) return wrong;
        [[maybe_unused]] const typename Device::Scope scope;
        constexpr auto all = std::make_integer_sequence<int, Planning::task_count>{};
        detail::with_kernels<Device>(chosen_, [&]<class Kernels>() {
            detail::run_counted<Planning, Kernels>(places(), *weights_, counts_, all);
        });
        return output<0>();
    }

    /// What every step has to do on so many rows. Kept: calls of one size ask once.
    TARN_NOINLINE SizeError count(int rows) noexcept TARN_NONBLOCKING {
        typename TheModel::Counts made;
        const detail::CountFit fit = made.count(rows);
        if (fit != detail::CountFit::fits)
            return fit == detail::CountFit::uneven ? SizeError::uneven : SizeError::too_small;
        rows_[0] = counted_ = rows;
        for (int s = 0; s < Planning::count; ++s) {
            const Step& step = steps.steps[s];
            const auto& node = made.made[TheModel::Facts::graph.nodes[step.first_node].written];
            const bool counted = Planning::counted_rows.storage[step.in.storage];
            detail::StepCounts& to = counts_[s];
            to.in = counted ? rows_[step.in.storage] : row_count(step.op.in);
            to.out = !counted || ends_rows(step.op) ? row_count(step.op.out)
                     : is_windowed(step.op.kind)    ? node.rows
                     : is_enlarging(step.op.kind)   ? to.in * step.op.window.stride_h
                                                    : to.in;
            to.pad_bottom = is_windowed(step.op.kind) ? node.pad_bottom : 0;
            rows_[step.out.storage] = to.out;
        }
        return SizeError::none;
    }
    detail::Places places() const noexcept TARN_NONBLOCKING { return {const_cast<float*>(memory_.data()), input_}; }

    Memory memory_;
    const Weights* weights_;
    const float* input_[1] = {};                                                                 // the caller's
    detail::StepCounts counts_[Planning::count > 0 ? Planning::count : 1]{};                     // of counted_ rows
    int rows_[static_cast<std::size_t>(steps.storage_count > 0 ? steps.storage_count : 1)] = {}; // by storage
    int counted_ = 0;
    int chosen_; // of the device's sets
};

/// A network on up to so many rows. All constants are those of the maximum; the weights are those of Model on it.
/// Shapes: up to [T, F] or [H, W, C], the first extent as the call brings it. What follows a pool over all rows has a
/// shape of its own. Memory: arena_bytes, as Model.
/// Errors: a layer that mixes the first axis with others is one compile error with its position; an input of a wrong
/// size is a SizeError.
template <class Net, class TheShape, class TheDevice, class ThePolicy>
class Model<Net, UpTo<TheShape>, TheDevice, ThePolicy> : public Model<Net, TheShape, TheDevice, AnyCount<ThePolicy>> {
    using Largest = Model<Net, TheShape, TheDevice, AnyCount<ThePolicy>>;

  public:
    using Input = UpTo<TheShape>;
    using Counts = detail::RowCounts<Net, TheShape>;
    static_assert(sizeof(detail::CountVerdict<Net, Counts>) > 0);

    using Session = UpToSession<Model, false, detail::ArenaOf<Largest, false>>;
    using InPlaceSession = UpToSession<Model, true, detail::ArenaOf<Largest, true>>;
    /// The same in memory of the caller's.
    using BorrowedSession = UpToSession<Model, false, detail::BorrowedArenaOf<Largest, false>>;
    using BorrowedInPlaceSession = UpToSession<Model, true, detail::BorrowedArenaOf<Largest, true>>;
};

} // namespace tarn
