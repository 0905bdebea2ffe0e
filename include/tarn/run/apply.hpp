// SPDX-License-Identifier: MIT
// apply: moves a Tensor through one module, overwriting it: Tensor<In> goes in, Tensor<Out> comes out, one storage.
// The original proposal's form, for those who write their network as code. Session is the convenient one.
// Knows tensors, single layers and their footprints; nothing of files.
#pragma once

#include <tarn/core/tensor.hpp>
#include <tarn/run/chosen.hpp>
#include <tarn/run/model.hpp>

namespace tarn {

/// Tensors as users write them: float on the processor.
template <class TheShape, class TheCapacity> using CpuTensor = Tensor<TheShape, TheCapacity, float, Cpu<>>;

namespace detail {

/// One module on one input as a problem of a single step.
template <class Module, class In, class Device> struct Single {
    using Facts = Network<Module, In>;
    using Weights =
        typename WeightsOf<Facts, Device, std::make_integer_sequence<int, Facts::steps.slot_count>>::Weights;

    static constexpr bool one = Facts::count <= 1;
    static constexpr bool views = Facts::count == 0; ///< a flatten: another shape of the same elements
    static constexpr auto problem = Planned<Facts, Device, WholeTensors<Smallest>, true>::problem;
    static constexpr Op op = Facts::count > 0 ? Facts::steps.steps[0].op : Op{};
    static constexpr int slot = Facts::count > 0 ? Facts::steps.steps[0].slot : -1;

    /// A plan from an input at element `at` of `capacity`.
    static constexpr auto plan_from(std::size_t at, std::size_t capacity) noexcept {
        return Placer(problem, capacity / place_elems * place_elems).task_from(at);
    }
    /// What check::Verdict prints when the capacity is too small.
    template <std::size_t At, std::size_t Elems> struct Room {
        static constexpr auto plan = plan_from(At, Elems);
        static constexpr Fault fault = [] {
            if (!Facts::fits || !one || views || plan.found) return Facts::fault;
            Fault f;
            f.rule = Rule::capacity;
            f.found = extents_of(static_cast<int>(Elems));
            // The least storage that would do, found by trying.
            std::size_t enough = Elems;
            do enough += place_elems;
            while (!plan_from(At, enough).found);
            f.wanted = extents_of(static_cast<int>(enough));
            return f;
        }();
        static constexpr std::size_t out_at = fault.rule == Rule::none ? (views ? At : plan.storage[1]) : 0;
        /// After a fault enough for the result, so that the fault is all that is reported.
        static constexpr std::size_t held =
            fault.rule == Rule::none && one ? Elems : out_at + Elems + Facts::Output::elems;
    };
};

/// The same for a row of Features in a slot of Pitch elements.
template <int Features, int Pitch> struct RowRoom {
    static constexpr Fault fault = [] {
        Fault f;
        if (Features > Pitch) f.rule = Rule::capacity, f.found = extents_of(Pitch), f.wanted = extents_of(Features);
        return f;
    }();
    static constexpr int held = Features > Pitch ? Features : Pitch;
};

} // namespace detail

/// Packed weights of one module on one input shape; fill them with pack_module.
template <class Module, class In, class Device = Cpu<>>
using ModuleWeights = typename detail::Single<Module, In, Device>::Weights;

/// Moves x through a module. The result lies in x's storage, wherever the overlap law lets it.
/// Shapes: In -> the module's output. Memory: x's storage and nothing else: scratch is taken from it too.
/// Errors: a shape that does not fit, or a storage too small for input, output and scratch, is one compile error.
template <class Module, class In, std::size_t N, std::size_t At, class Device>
auto apply(Tensor<In, Capacity<N, At>, float, Device>&& x, const ModuleWeights<Module, In, Device>& weights) noexcept {
    using Single = detail::Single<Module, In, Device>;
    using Room = typename Single::template Room<At, N>;
    static_assert(Single::one, "apply: one layer (with its epilogue) at a time; use Model for more");
    static_assert(sizeof(check::Verdict<Room>) > 0);
    using Out = Tensor<typename Single::Facts::Output, Capacity<Room::held, Room::out_at>, float, Device>;
    float* const storage = x.storage();
    if constexpr (Room::fault.rule == Rule::none && Single::one && !Single::views) {
        constexpr auto& plan = Room::plan;
        [[maybe_unused]] const typename Device::Scope scope;
        float* const scratch =
            plan.scratch[0] == std::remove_cvref_t<decltype(plan)>::outside ? nullptr : storage + plan.scratch[0];
        detail::with_kernels<Device>(Device::choose(), [&]<class Kernels>() {
            Kernels::template run<Single::op, plan.schedule[0]>(storage + At, nullptr, storage + Room::out_at, scratch,
                                                                detail::step_weights<Single::slot>(weights));
        });
    }
    [[maybe_unused]] const Tensor<In, Capacity<N, At>, float, Device> spent(std::move(x));
    return Out(storage);
}

/// Moves x, in rows of their own, through a linear layer, an activation, a norm or a softmax: every row's output
/// overwrites that row's input. Rows of scratch: a block of twelve of the output, on the stack.
/// Errors: an output wider than the pitch does not compile.
template <class Module, class In, int P, class Device>
auto apply(Tensor<In, PerRow<P>, float, Device>&& x, const ModuleWeights<Module, In, Device>& weights) noexcept {
    using Single = detail::Single<Module, In, Device>;
    using Facts = typename Single::Facts;
    static_assert(sizeof(check::Verdict<Facts>) > 0);
    using Output = typename Facts::Output;
    constexpr bool by_rows = Single::one && (Single::op.kind == OpKind::linear || detail::is_elementwise(Single::op));
    static_assert(by_rows || !Facts::fits,
                  "apply: rows with a pitch go through one linear, elementwise, norm or softmax layer at a time");
    using Room = detail::RowRoom<Output::extents.last(), P>;
    static_assert(sizeof(check::Verdict<Room>) > 0);
    using Out = Tensor<Output, PerRow<Room::held>, float, Device>;
    float* const storage = x.storage();
    if constexpr (by_rows && Facts::fits && Room::fault.rule == Rule::none) {
        [[maybe_unused]] const typename Device::Scope scope;
        detail::with_kernels<Device>(Device::choose(), [&]<class Kernels>() {
            if constexpr (Single::op.kind == OpKind::linear) {
                constexpr Op op = [] {
                    Op pitched = Single::op;
                    pitched.in_pitch = pitched.out_pitch = P;
                    return pitched;
                }();
                constexpr std::size_t scratch_elems = Device::template footprint<op>().scratch_elems;
                alignas(arena_alignment) float scratch[scratch_elems > 0 ? scratch_elems : 1];
                Kernels::template run<op, Schedule{false, true}>(storage, nullptr, storage, scratch,
                                                                 detail::step_weights<Single::slot>(weights));
            } else {
                constexpr Op op = [] {
                    Op row = Single::op;
                    row.in = row.out = extents_of(row.in.last());
                    return row;
                }();
                for (std::size_t i = 0; i < In::extents.rows(); ++i) {
                    float* const row = storage + i * static_cast<std::size_t>(P);
                    Kernels::template run<op, Schedule{}>(row, nullptr, row, nullptr,
                                                          detail::step_weights<Single::slot>(weights));
                }
            }
        });
    }
    [[maybe_unused]] const Tensor<In, PerRow<P>, float, Device> spent(std::move(x));
    return Out(storage);
}

} // namespace tarn
