// SPDX-License-Identifier: MIT
// Runs a whole network in the emulated grid, as one launch and as one for each step, and compares it with the CPU.
// Used by the tests beside it, and by sanitized programs. Knows networks by their public face.
#pragma once

#include "emulated_grid/launch.hpp"

#include <tarn/run/network_launch.hpp>

#include <utility>

namespace tarn_test {

/// A model's arena and weights as a device would hold them.
template <class TheModel> class EmulatedDevice {
  public:
    using Weights = typename TheModel::Weights;
    static constexpr int threads = TheModel::Grid::threads;

    explicit EmulatedDevice(std::span<const float* const> parameters)
        : arena_(TheModel::device_arena_bytes / sizeof(float)), weights_(sizeof(Weights)) {
        TheModel::pack(*new (weights_.data()) Weights, parameters);
    }

    /// All in one grid of so many blocks. What went wrong, or an empty text.
    std::string one_launch(std::span<const float> inputs, int blocks, const Execution& execution) {
        using Work = tarn::NetworkLaunch<TheModel>;
        take(inputs, std::make_integer_sequence<int, TheModel::input_count>{});
        return launch<threads>(blocks, Work::shared_bytes, execution,
                               [&](const auto& context) { Work::run(context, arena_.data(), weights()); });
    }
    /// A grid for each step.
    std::string in_place(std::span<const float> inputs, int blocks, const Execution& execution) {
        take(inputs, std::make_integer_sequence<int, TheModel::input_count>{});
        return launch_steps(blocks, execution, std::make_integer_sequence<int, TheModel::step_count>{});
    }
    template <int I = 0> std::span<const float> output() const {
        return {arena_.data() + TheModel::template output_at<I>, TheModel::template output_elems<I>};
    }
    bool intact() const { return arena_.intact() && weights_.intact(); }

  private:
    const void* weights() const { return weights_.data(); }
    /// The inputs one after another, where the device expects them; everything else is as if never written.
    template <int... I> void take(std::span<const float> inputs, std::integer_sequence<int, I...>) {
        std::memset(arena_.data(), 0xFF, arena_.size() * sizeof(float));
        (take_one<I>(inputs), ...);
    }
    template <int I> void take_one(std::span<const float>& inputs) {
        constexpr std::size_t elems = TheModel::template input_elems<I>;
        std::copy_n(inputs.begin(), elems, arena_.data() + TheModel::template input_at<I>);
        inputs = inputs.subspan(elems);
    }
    template <int... S>
    std::string launch_steps(int blocks, const Execution& execution, std::integer_sequence<int, S...>) {
        std::string fault;
        (launch_step<S>(fault, blocks, execution), ...);
        return fault;
    }
    template <int S> void launch_step(std::string& fault, int blocks, const Execution& execution) {
        using Work = tarn::StepLaunch<TheModel, S>;
        if (fault != "") return;
        fault = launch<threads>(Work::one_block ? 1 : blocks, Work::shared_bytes, execution,
                                [&](const auto& context) { Work::run(context, arena_.data(), weights()); });
    }

    DeviceFloats arena_;
    GuardedBlock weights_;
};

} // namespace tarn_test
