// SPDX-License-Identifier: MIT
// DeviceModel: a network on an input shape and a device's grid as facts and types: plan, bytes, packed weights.
// Beside Model, for devices whose memory the host does not run in. run/network_launch.hpp walks it.
// Knows plans and devices; nothing of files, allocation or launches.
#pragma once

#include <tarn/plan/device_plan.hpp>
#include <tarn/run/model.hpp>
#include <tarn/run/raw_weights.hpp>

namespace tarn {

/// Device: a cuda::DeviceGrid. Smallest: outputs wait in registers where that makes the arena smaller.
/// Memory: one arena and one Weights on the device; the sizes are constants.
/// Errors: as Model's, at compile time.
template <class Net, class In, class Device, bool Smallest = true> struct DeviceModel {
    using Facts = Network<Net, In>;
    static_assert(sizeof(typename detail::RuleOf<In>::type) > 0); // as Model: the rules broken, in words
    static_assert(sizeof(check::Verdict<Facts>) > 0);
    using Module = Net;
    using Input = In;
    using Planning = DevicePlanned<Facts, Device, Smallest>;
    using Grid = Device;

    static constexpr auto& steps = Planning::steps;
    static constexpr int step_count = Facts::count, parameter_count = Facts::parameter_count;
    static constexpr int input_count = Facts::input_count, output_count = Facts::output_count;

    using Weights =
        typename detail::WeightsOf<Facts, Device, std::make_integer_sequence<int, steps.slot_count>>::Weights;

    /// Which steps a vendor's library does, where the device has modes (device/mode.hpp); none where it has not.
    template <int S>
    static constexpr bool by_library = [] {
        if constexpr (requires { typename Device::Mode; })
            return Device::template library<steps.steps[S].op>;
        else
            return false;
    }();
    static constexpr bool any_by_library = []<int... S>(std::integer_sequence<int, S...>) {
        return (false || ... || by_library<S>);
    }
    (std::make_integer_sequence<int, step_count>{});
    /// The library's workspace, a region behind the tensors; nothing where no step wants it.
    static constexpr std::size_t workspace_bytes = [] {
        if constexpr (any_by_library)
            return Device::Mode::workspace_bytes;
        else
            return std::size_t{0};
    }();
    static constexpr std::size_t workspace_at = Planning::arena_elems * sizeof(float); ///< bytes

    static constexpr std::size_t device_arena_bytes = workspace_at + workspace_bytes;
    static constexpr std::size_t device_weight_bytes = sizeof(Weights);
    /// The same without outputs that wait in registers; and two of the largest tensor, enough for chains alone.
    static constexpr std::size_t apart_arena_bytes = DevicePlanned<Facts, Device, false>::arena_elems * sizeof(float);
    static constexpr std::size_t ping_pong_bytes = [] {
        std::size_t largest = 0;
        for (int v = 0; v < steps.storage_count; ++v) largest = detail::larger(largest, steps.storage[v]);
        return 2 * largest * sizeof(float);
    }();

    /// Where input or output I lies in the arena, and how many floats it has.
    template <int I> static constexpr std::size_t input_at = Planning::plan.storage[steps.inputs[I].view.storage];
    template <int I> static constexpr std::size_t input_elems = steps.inputs[I].extents.elems();
    template <int I>
    static constexpr std::size_t output_at =
        Planning::plan.storage[steps.outputs[I].view.storage] + steps.outputs[I].view.offset;
    template <int I> static constexpr std::size_t output_elems = steps.outputs[I].extents.elems();

    /// Packs weights given as pointers to each parameter in PyTorch's layout, in the order of parameter_names
    /// (io/names.hpp). To be copied to the device as they are. No allocation; constexpr.
    static constexpr void pack(Weights& to, std::span<const float* const> parameters) noexcept {
        pack_steps(to, parameters, std::make_integer_sequence<int, step_count>{});
    }

  private:
    template <int I> static constexpr void pack_step(Weights& to, std::span<const float* const> parameters) noexcept {
        constexpr int slot = steps.steps[I].slot;
        if constexpr (slot >= 0)
            Device::template pack<steps.steps[I].op>(detail::slot_of<slot>(to),
                                                     detail::raw_weights(steps.steps[I], parameters));
    }
    template <int... I>
    static constexpr void pack_steps([[maybe_unused]] Weights& to,
                                     [[maybe_unused]] std::span<const float* const> parameters,
                                     std::integer_sequence<int, I...>) noexcept {
        [[maybe_unused]] const int done[] = {0, (pack_step<I>(to, parameters), 0)...};
    }
};

} // namespace tarn
