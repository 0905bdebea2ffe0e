// SPDX-License-Identifier: MIT
// Model: a network type, an input shape, a device and a policy as facts and types: arena, weights, sessions.
// What users name first. io/weights.hpp adds the bodies of load; run/session.hpp runs it.
// Knows plans and devices; nothing of files.
#pragma once

#include <tarn/cpu/cpu.hpp>
#include <tarn/plan/network.hpp>
#include <tarn/run/arena.hpp>
#include <tarn/run/raw_weights.hpp>

namespace tarn {

/// A device whose arenas and packed weights start at a multiple of Bytes, as in Model<Net, In, Aligned<huge_page>>.
/// Their sizes are rounded up to it, so that large pages hold nothing else.
template <std::size_t Bytes, class Device = Cpu<>> struct Aligned : Device {
    static constexpr std::size_t alignment = Bytes;
};

template <class TheModel, bool OwnsInput, class Memory> class BasicSession;
template <class TheModel> class RowSession;
template <class TheModel> class BasicStream;
template <class Weights> class Loaded;

namespace detail {

template <int Slot, class Packed> struct WeightSlot : Packed {};

/// The Op of the step that holds weight slot Slot.
template <class TheNetwork, int Slot>
inline constexpr Op slot_op = [] {
    Op op;
    for (int s = 0; s < TheNetwork::count; ++s)
        if (TheNetwork::steps.steps[s].slot == Slot) op = TheNetwork::steps.steps[s].op;
    return op;
}();

template <class TheNetwork, class Device, class Slots> struct WeightsOf;
template <class TheNetwork, class Device, int... Slot>
struct WeightsOf<TheNetwork, Device, std::integer_sequence<int, Slot...>> {
    /// Every parameter, packed for its kernel, step after step. One block: copy it, map it, keep it in flash.
    struct alignas(alignment_of<Device>()) Weights
        : WeightSlot<Slot, typename Device::template Packed<slot_op<TheNetwork, Slot>>>... {};
};

template <int Slot, class Packed> constexpr Packed& slot_of(WeightSlot<Slot, Packed>& slot) noexcept { return slot; }
template <int Slot, class Packed> constexpr const Packed& slot_of(const WeightSlot<Slot, Packed>& slot) noexcept {
    return slot;
}
/// Weights of a step with the given slot; of a step without any, nothing that every kernel takes as such.
template <int Slot, class Weights> constexpr decltype(auto) step_weights(Weights& weights) noexcept {
    if constexpr (Slot >= 0)
        return slot_of<Slot>(weights);
    else
        return cpu::NothingPacked{};
}

/// Arenas of a model, as types of their own so that naming one does not yet plan it.
template <class TheModel, bool OwnsInput>
struct ArenaOf : Arena<TheModel::template PlanOf<OwnsInput>::arena_elems * sizeof(float),
                       alignment_of<typename TheModel::Device>()> {};
template <class TheModel, bool OwnsInput>
using BorrowedArenaFor = BorrowedArena<TheModel::template PlanOf<OwnsInput>::arena_elems * sizeof(float),
                                       alignment_of<typename TheModel::Device>()>;
template <class TheModel, bool OwnsInput> struct BorrowedArenaOf : BorrowedArenaFor<TheModel, OwnsInput> {
    using Base = BorrowedArenaFor<TheModel, OwnsInput>;
    using Base::Base;
};

/// Asserted beside the Model, which stays whole, so that nothing else is reported.
template <std::size_t Budget, std::size_t Arena> struct BudgetRule {
    static_assert(Arena <= Budget, "Within: no plan was found whose arena fits the budget; allow more bytes");
};

} // namespace detail

/// A network on an input Shape.
/// Shapes: In, a Shape or Inputs<Shape, ..> -> Output, or several. Images are [H, W, C], channels last.
/// Memory: arena_bytes while the input stays in the caller's memory (Session); arena_bytes_in_place when it lies in the
/// arena and is overwritten (InPlaceSession). Both cover tensors, scratch and alignment: nothing else is ever used.
/// Errors: a layer that does not fit is one compile error with its position and both shapes.
template <class Net, class In, class TheDevice = Cpu<>, class ThePolicy = Smallest> class Model {
  public:
    using Module = Net;
    using Input = In;
    using Device = TheDevice;
    using Policy = ThePolicy;
    using Facts = NetworkUnder<Net, In, Policy>;
    static_assert(sizeof(typename detail::RuleOf<In>::type) > 0); // prints what is wrong with the input's Shape itself
    static_assert(sizeof(check::Verdict<Facts>) > 0); // prints the text of the first layer that does not fit
    using Output = typename Facts::Output;            ///< of the first, where there are several

    template <bool OwnsInput> using PlanOf = Planned<Facts, Device, Policy, OwnsInput>;

    static constexpr int step_count = Facts::count;
    static constexpr int parameter_count = Facts::parameter_count;
    static constexpr int input_count = Facts::input_count, output_count = Facts::output_count;
    static constexpr std::size_t arena_bytes = PlanOf<false>::arena_elems * sizeof(float);
    static constexpr std::size_t arena_bytes_in_place = PlanOf<true>::arena_elems * sizeof(float);
    static_assert(sizeof(detail::BudgetRule<PlanOf<false>::budget_bytes, arena_bytes>) > 0);
    static constexpr std::size_t state_bytes = 0; ///< what a session keeps from call to call; see Stream
    static constexpr std::size_t macs = Facts::macs;
    /// Elements; the input in the caller's memory, or counted as a tensor of the arena.
    static constexpr Bounds bounds = PlanOf<false>::bounds;
    static constexpr Bounds bounds_in_place = PlanOf<true>::bounds;

    using Weights =
        typename detail::WeightsOf<Facts, Device, std::make_integer_sequence<int, Facts::steps.slot_count>>::Weights;
    static constexpr std::size_t weight_bytes = sizeof(Weights);

    using Session = BasicSession<Model, false, detail::ArenaOf<Model, false>>;
    using InPlaceSession = BasicSession<Model, true, detail::ArenaOf<Model, true>>;
    /// The same in memory of the caller's.
    using BorrowedSession = BasicSession<Model, false, detail::BorrowedArenaOf<Model, false>>;
    using BorrowedInPlaceSession = BasicSession<Model, true, detail::BorrowedArenaOf<Model, true>>;

    /// The network on an endless time axis, frame by frame (run/stream.hpp); its state_bytes is its own.
    using Stream = BasicStream<Model>;

    /// Packs weights given as pointers to each parameter in PyTorch's layout, in the order of parameter_names
    /// (io/weights.hpp); ignored parameters may be null. No allocation; constexpr.
    static constexpr void pack(Weights& to, std::span<const float* const> parameters) noexcept {
        pack_steps(to, parameters, std::make_integer_sequence<int, step_count>{});
    }

    /// The packed weights of step I, as its kernel takes them.
    template <int I> static constexpr decltype(auto) step_weights(const Weights& weights) noexcept {
        return detail::step_weights<Facts::steps.steps[I].slot>(weights);
    }

    /// Reads and packs weights from a safetensors file. Allocates the one block of weights.
    /// Errors: every missing, unexpected, wrong-shape and wrong-dtype tensor, by name (io/weights.hpp).
    static Loaded<Weights> load(const char* path);
    /// The same from a safetensors file already in memory.
    static Loaded<Weights> load(std::span<const std::byte> file);

  private:
    template <int I> static constexpr void pack_step(Weights& to, std::span<const float* const> parameters) noexcept {
        constexpr int slot = Facts::steps.steps[I].slot;
        if constexpr (slot >= 0)
            Device::template pack<Facts::steps.steps[I].op>(detail::slot_of<slot>(to),
                                                            detail::raw_weights(Facts::steps.steps[I], parameters));
    }
    template <int... I>
    static constexpr void pack_steps([[maybe_unused]] Weights& to,
                                     [[maybe_unused]] std::span<const float* const> parameters,
                                     std::integer_sequence<int, I...>) noexcept {
        [[maybe_unused]] const int done[] = {0, (pack_step<I>(to, parameters), 0)...};
    }
};

} // namespace tarn
