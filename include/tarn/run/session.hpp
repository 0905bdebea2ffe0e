// SPDX-License-Identifier: MIT
// Session: an arena and a reference to weights; forward runs the plan in it.
// Where data flows: the caller's span, step after step through one arena, a span back.
// Knows plans, devices and arenas; nothing of files.
#pragma once

#include <tarn/run/model.hpp>

namespace tarn {

/// What one thread needs to run a model; sizeof is all the memory it will ever use. Several sessions may share one
/// Weights. Neither copies nor moves: results are spans into it.
template <class TheModel, bool OwnsInput, class Memory> class BasicSession {
  public:
    using Weights = typename TheModel::Weights;
    using Device = typename TheModel::Device;
    using Planning = typename TheModel::template PlanOf<OwnsInput>;
    static constexpr std::size_t input_elems = TheModel::Input::elems;
    static constexpr std::size_t output_elems = TheModel::Output::elems;

    /// The weights must outlive the session.
    explicit BasicSession(const Weights& weights) noexcept : weights_(&weights), best_(Device::takes_best()) {}
    /// The same in memory of the caller's, which must outlive it too and lie on a cache line.
    BasicSession(const Weights& weights, std::span<std::byte, Memory::bytes> memory) noexcept
        : memory_(memory), weights_(&weights), best_(Device::takes_best()) {}
    explicit BasicSession(const Weights&&) = delete;
    BasicSession(const BasicSession&) = delete;
    BasicSession& operator=(const BasicSession&) = delete;

    /// Runs the network on the caller's input, which is read in place and never written. The result lies in the
    /// session until the next forward.
    /// Errors: none. Allocates nothing, takes no lock, calls no operating system, throws nothing.
    std::span<const float, output_elems> forward(std::span<const float, input_elems> input) noexcept TARN_NONBLOCKING
        requires(!OwnsInput) {
        run(input.data());
        return output(input.data());
    }

    /// Where forward_in_place finds its input: fill it before each call, which overwrites it.
    std::span<float, input_elems> input() noexcept TARN_NONBLOCKING requires OwnsInput {
        return std::span<float, input_elems>{memory_.data() + Planning::plan.value[0], input_elems};
    }
    /// Runs the network on what lies in input(), which does not survive.
    std::span<const float, output_elems> forward_in_place() noexcept TARN_NONBLOCKING requires OwnsInput {
        run(nullptr);
        return output(nullptr);
    }

    /// With the KeepAll policy: the output of step I of the last forward; report.hpp tells which layers it covers.
    template <int I>
    std::span<const float, TheModel::Facts::steps.elems(I + 1)>
    step_output() const noexcept TARN_NONBLOCKING requires TheModel::Policy::keep_all {
        return std::span<const float, TheModel::Facts::steps.elems(I + 1)>{memory_.data() + Planning::plan.value[I + 1],
                                                                           TheModel::Facts::steps.elems(I + 1)};
    }

    /// The instruction set that forward runs on.
    const char* instruction_set() const noexcept { return best_ ? Device::Best::name : Device::Base::name; }

  private:
    static constexpr auto& steps = TheModel::Facts::steps;

    void run(const float* input) noexcept TARN_NONBLOCKING {
        [[maybe_unused]] const typename Device::Scope scope;
        constexpr auto all = std::make_integer_sequence<int, TheModel::step_count>{};
        if (best_)
            run_steps<typename Device::Best>(input, all);
        else
            run_steps<typename Device::Base>(input, all);
    }
    template <class Kernels, int... I>
    void run_steps([[maybe_unused]] const float* input, std::integer_sequence<int, I...>) noexcept TARN_NONBLOCKING {
        [[maybe_unused]] const int done[] = {0, (run_step<Kernels, I>(input), 0)...};
    }
    template <class Kernels, int I> TARN_ALWAYS_INLINE void run_step(const float* input) noexcept TARN_NONBLOCKING {
        constexpr Step step = steps.steps[I];
        const float* other = nullptr;
        if constexpr (step.other >= 0) other = place<step.other>(input);
        float* scratch = nullptr;
        if constexpr (Planning::plan.scratch[I] != decltype(Planning::plan)::outside)
            scratch = memory_.data() + Planning::plan.scratch[I];
        Kernels::template run<step.op, Planning::plan.schedule[I]>(place<step.input>(input), other,
                                                                   memory_.data() + Planning::plan.value[I + 1],
                                                                   scratch, detail::weights_at<I>(*weights_));
    }
    template <int Value> const float* place(const float* input) const noexcept TARN_NONBLOCKING {
        if constexpr (Value == 0 && !OwnsInput)
            return input;
        else
            return memory_.data() + Planning::plan.value[Value];
    }
    std::span<const float, output_elems> output(const float* input) const noexcept TARN_NONBLOCKING {
        return std::span<const float, output_elems>{place<steps.output>(input), output_elems};
    }

    Memory memory_;
    const Weights* weights_;
    bool best_;
};

} // namespace tarn
