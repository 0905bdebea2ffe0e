// SPDX-License-Identifier: MIT
// Session: an arena and a reference to weights; forward runs the plan in it.
// Where data flows: the caller's span, step after step through one arena, a span back.
// Knows plans, devices and arenas; nothing of files.
#pragma once

#include <tarn/run/chosen.hpp>
#include <tarn/run/model.hpp>
#include <tarn/run/rows.hpp>

namespace tarn {

/// What one thread needs to run a model; sizeof is all the memory it will ever use. Several sessions may share one
/// Weights. Neither copies nor moves: results are spans into it.
template <class TheModel, bool OwnsInput, class Memory> class BasicSession {
  public:
    using Weights = typename TheModel::Weights;
    using Device = typename TheModel::Device;
    using Planning = typename TheModel::template PlanOf<OwnsInput>;
    static constexpr int input_count = TheModel::input_count, output_count = TheModel::output_count;
    template <int I> static constexpr std::size_t input_size = Planning::steps.inputs[I].extents.elems();
    template <int I> static constexpr std::size_t output_size = Planning::steps.outputs[I].extents.elems();
    static constexpr std::size_t input_elems = input_size<0>;
    static constexpr std::size_t output_elems = output_size<0>;

    /// The weights must outlive the session.
    explicit BasicSession(const Weights& weights) noexcept : weights_(&weights), chosen_(Device::choose()) {}
    /// The same in memory of the caller's, which must outlive it too and lie on a cache line.
    BasicSession(const Weights& weights, std::span<std::byte, Memory::bytes> memory) noexcept
        : memory_(memory), weights_(&weights), chosen_(Device::choose()) {}
    explicit BasicSession(const Weights&&) = delete;
    BasicSession(const BasicSession&) = delete;
    BasicSession& operator=(const BasicSession&) = delete;

    /// Runs the network on the caller's input, which is read in place and never written. The first result; it lies in
    /// the session until the next forward, as do the others: output<I>.
    /// Errors: none. Allocates nothing, takes no lock, calls no operating system, throws nothing.
    std::span<const float, output_elems> forward(std::span<const float, input_elems> input) noexcept TARN_NONBLOCKING
        requires(!OwnsInput && input_count == 1) {
        inputs_[0] = input.data();
        run();
        return output<0>();
    }
    /// The same for a network of several inputs, in the order of Inputs.
    template <class... Spans>
    std::span<const float, output_elems> forward(const Spans&... inputs) noexcept TARN_NONBLOCKING
        requires(!OwnsInput && input_count > 1 && sizeof...(Spans) == static_cast<std::size_t>(input_count)) {
        take(std::make_integer_sequence<int, input_count>{}, inputs...);
        run();
        return output<0>();
    }

    /// Where forward_in_place finds input I: fill it before each call, which overwrites it.
    template <int I = 0> std::span<float, input_size<I>> input() noexcept TARN_NONBLOCKING requires OwnsInput {
        return std::span<float, input_size<I>>{memory_.data() + Planning::plan.storage[I], input_size<I>};
    }
    /// Runs the network on what lies in input(), which does not survive.
    std::span<const float, output_elems> forward_in_place() noexcept TARN_NONBLOCKING requires OwnsInput {
        run();
        return output<0>();
    }

    /// Result I of the last forward.
    template <int I = 0> std::span<const float, output_size<I>> output() const noexcept TARN_NONBLOCKING {
        constexpr View view = Planning::steps.outputs[I].view;
        return std::span<const float, output_size<I>>{whole<view.storage>() + view.offset, output_size<I>};
    }

    /// With the KeepAll policy: the output of step I of the last forward; report.hpp tells which layers it covers.
    template <int I>
    std::span<const float, Planning::steps.steps[I].op.out.elems()> step_output() const noexcept TARN_NONBLOCKING
        requires(TheModel::Policy::wish.keep_all) {
        constexpr View view = Planning::steps.steps[I].out;
        constexpr std::size_t elems = Planning::steps.steps[I].op.out.elems();
        return std::span<const float, elems>{whole<view.storage>() + view.offset, elems};
    }

    /// The instruction set that forward runs on.
    const char* instruction_set() const noexcept { return detail::set_name<Device>(chosen_); }

  private:
    template <int... I, class... Spans>
    void take(std::integer_sequence<int, I...>, const Spans&... inputs) noexcept TARN_NONBLOCKING {
        ((inputs_[I] = std::span<const float, input_size<I>>(inputs).data()), ...);
    }

    void run() noexcept TARN_NONBLOCKING {
        [[maybe_unused]] const typename Device::Scope scope;
        constexpr auto all = std::make_integer_sequence<int, Planning::task_count>{};
        detail::with_kernels<Device>(
            chosen_, [&]<class Kernels>() { detail::run_tasks<Planning, 0, Kernels>(places(), *weights_, all); });
    }
    detail::Places places() const noexcept TARN_NONBLOCKING { return {const_cast<float*>(memory_.data()), inputs_}; }
    template <int Storage> float* whole() const noexcept TARN_NONBLOCKING {
        return places().template whole<Planning, Storage>();
    }

    Memory memory_;
    const Weights* weights_;
    const float* inputs_[OwnsInput ? 1 : input_count] = {}; // the caller's, of the last forward
    int chosen_;                                            // of the device's sets
};

} // namespace tarn
