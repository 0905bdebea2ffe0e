// SPDX-License-Identifier: MIT
// Model: a network type, an input shape, a device and a policy as facts and types: arena, weights, sessions.
// What users name first. io/weights.hpp adds the bodies of load; run/session.hpp runs it.
// Knows plans and devices; nothing of files.
#pragma once

#include <tarn/cpu/cpu.hpp>
#include <tarn/plan/network.hpp>
#include <tarn/run/arena.hpp>

namespace tarn {

template <class TheModel, bool OwnsInput, class Memory> class BasicSession;
template <class Weights> class Loaded;

namespace detail {

template <int Index, class Packed> struct WeightSlot : Packed {};

template <class TheNetwork, class Device, class Indices> struct WeightsOf;
template <class TheNetwork, class Device, int... I>
struct WeightsOf<TheNetwork, Device, std::integer_sequence<int, I...>> {
    /// Every parameter, packed for its kernel, step after step. One block: copy it, map it, keep it in flash.
    struct alignas(arena_alignment) Weights
        : WeightSlot<I, typename Device::template Packed<TheNetwork::steps.steps[I].op>>... {};
};

template <int Index, class Packed> constexpr Packed& weights_at(WeightSlot<Index, Packed>& slot) noexcept {
    return slot;
}
template <int Index, class Packed> constexpr const Packed& weights_at(const WeightSlot<Index, Packed>& slot) noexcept {
    return slot;
}

} // namespace detail

/// A network on an input Shape.
/// Shapes: In -> Output. Images are [H, W, C], channels last.
/// Memory: arena_bytes while the input stays in the caller's memory (Session); arena_bytes_in_place when it lies in the
/// arena and is overwritten (InPlaceSession). Both cover tensors, scratch and alignment: nothing else is ever used.
/// Errors: a layer that does not fit is one compile error with its position and both shapes.
template <class Net, class In, class TheDevice = Cpu<>, class ThePolicy = Smallest> class Model {
  public:
    using Module = Net;
    using Input = In;
    using Device = TheDevice;
    using Policy = ThePolicy;
    using Facts = Network<Net, In>;
    static_assert(sizeof(typename detail::RuleOf<In>::type) > 0); // prints what is wrong with the input's Shape itself
    static_assert(sizeof(check::Verdict<Facts>) > 0); // prints the text of the first layer that does not fit
    using Output = typename Facts::Output;

    template <bool OwnsInput> using PlanOf = Planned<Facts, Device, Policy::keep_all, OwnsInput>;

    static constexpr int step_count = Facts::count;
    static constexpr int parameter_count = Facts::parameter_count;
    static constexpr std::size_t arena_bytes = PlanOf<false>::arena_elems * sizeof(float);
    static constexpr std::size_t arena_bytes_in_place = PlanOf<true>::arena_elems * sizeof(float);
    static constexpr std::size_t state_bytes = 0; ///< what a session keeps from call to call; no layer has state yet
    static constexpr std::size_t macs = Facts::macs;
    /// Elements; the input in the caller's memory, or counted as a tensor of the arena.
    static constexpr Bounds bounds = PlanOf<false>::bounds;
    static constexpr Bounds bounds_in_place = PlanOf<true>::bounds;

    using Weights = typename detail::WeightsOf<Facts, Device, std::make_integer_sequence<int, step_count>>::Weights;
    static constexpr std::size_t weight_bytes = sizeof(Weights);

    using Session = BasicSession<Model, false, Arena<arena_bytes>>;
    using InPlaceSession = BasicSession<Model, true, Arena<arena_bytes_in_place>>;
    /// The same in memory of the caller's.
    using BorrowedSession = BasicSession<Model, false, BorrowedArena<arena_bytes>>;
    using BorrowedInPlaceSession = BasicSession<Model, true, BorrowedArena<arena_bytes_in_place>>;

    /// Packs weights given as pointers to each parameter in PyTorch's layout, in the order of parameter_names
    /// (io/weights.hpp); ignored parameters may be null. No allocation; constexpr.
    static constexpr void pack(Weights& to, std::span<const float* const> parameters) noexcept {
        pack_steps(to, parameters, std::make_integer_sequence<int, step_count>{});
    }

    /// The packed weights of step I, as its kernel takes them.
    template <int I> static constexpr const auto& step_weights(const Weights& weights) noexcept {
        return detail::weights_at<I>(weights);
    }

    /// Reads and packs weights from a safetensors file. Allocates the one block of weights.
    /// Errors: every missing, unexpected, wrong-shape and wrong-dtype tensor, by name (io/weights.hpp).
    static Loaded<Weights> load(const char* path);
    /// The same from a safetensors file already in memory.
    static Loaded<Weights> load(std::span<const std::byte> file);

  private:
    static constexpr RawWeights raw_of(const Step& step, std::span<const float* const> parameters) noexcept {
        RawWeights raw;
        const auto at = [&](int i) { return parameters[static_cast<std::size_t>(i)]; };
        if (step.parameters >= 0) {
            raw.weight = at(step.parameters);
            if (step.layer_bias) raw.bias = at(step.parameters + 1);
        }
        if (step.norm >= 0) {
            raw.norm_weight = at(step.norm);
            raw.norm_bias = at(step.norm + 1);
            raw.norm_mean = at(step.norm + 2);
            raw.norm_var = at(step.norm + 3);
            raw.eps = std::bit_cast<float>(step.eps_bits);
        }
        raw.permuted = step.permuted;
        return raw;
    }
    template <int... I>
    static constexpr void pack_steps([[maybe_unused]] Weights& to,
                                     [[maybe_unused]] std::span<const float* const> parameters,
                                     std::integer_sequence<int, I...>) noexcept {
        [[maybe_unused]] const int done[] = {
            0, (Device::template pack<Facts::steps.steps[I].op>(detail::weights_at<I>(to),
                                                                raw_of(Facts::steps.steps[I], parameters)),
                0)...};
    }
};

} // namespace tarn
