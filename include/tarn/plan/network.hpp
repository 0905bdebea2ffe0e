// SPDX-License-Identifier: MIT
// Network and Planned: a network type on an input shape as compile-time facts: steps, plan, bounds.
// Where the parts of planning meet; Model is built on it.
// Knows devices by their footprints only.
#pragma once

#include <tarn/plan/place.hpp>

#include <utility>

namespace tarn {

/// Policies: what a plan is chosen for.
struct Smallest {
    static constexpr bool keep_all = false; ///< the smallest arena
};
struct KeepAll {
    static constexpr bool keep_all = true; ///< every step's output kept, to compare layer by layer with a framework
};

/// A network type on an input Shape. Where a layer does not fit, `fault` says so and the rest are the facts of an empty
/// network, so that Model reports the one error and nothing after it.
template <class Net, class In> struct Network {
    static constexpr auto graph = flatten<Net>(In::extents);
    static constexpr Fault fault = graph.fault;
    static constexpr bool fits = fault.rule == Rule::none;

    static constexpr auto steps = [] {
        if constexpr (fits)
            return fuse(graph);
        else
            return fuse(flatten<Sequential<>>(In::extents));
    }();
    static constexpr int count = steps.count;
    static constexpr int parameter_count = graph.parameter_count;
    using Output = ShapeOf<graph.extents(graph.output)>;

    static constexpr std::size_t macs = [] {
        std::size_t total = 0;
        for (int i = 0; i < steps.count; ++i) total += macs_of(steps.steps[i].op);
        return total;
    }();
};

namespace detail {
/// One constant for each Op, however many steps share it: a long network must not work it out in one evaluation.
template <class Device, Op O> inline constexpr Footprint footprint_on = Device::template footprint<O>();
} // namespace detail

/// The plan of a network on a device.
template <class TheNetwork, class Device, bool KeepEverything, bool OwnsInput> struct Planned {
    static constexpr auto problem = []<int... I>(std::integer_sequence<int, I...>) {
        using Steps = std::remove_const_t<decltype(TheNetwork::steps)>;
        return []<int Capacity>(const tarn::Steps<Capacity>& steps) {
            Problem<Capacity> p;
            p.net = steps;
            p.owns_input = OwnsInput;
            p.keep_all = KeepEverything;
            ((p.footprint[I] = detail::footprint_on<Device, TheNetwork::steps.steps[I].op>), ...);
            return p;
        }(static_cast<const Steps&>(TheNetwork::steps));
    }
    (std::make_integer_sequence<int, TheNetwork::count>{});
    template <int Attempt> static constexpr auto attempted = place_attempt(problem, Attempt);
    /// As place(problem), every attempt a constant of its own: compilers limit what one may cost.
    template <int Attempt> static constexpr const auto& first_plan() noexcept {
        if constexpr (attempted<Attempt>.found)
            return attempted<Attempt>;
        else
            return first_plan<Attempt + 1>();
    }
    static constexpr auto plan = first_plan<0>();
    static constexpr Bounds bounds = bounds_of(problem.net, OwnsInput);
    static constexpr std::size_t arena_elems = plan.arena_elems;
};

} // namespace tarn
