// SPDX-License-Identifier: MIT
// Network and Planned: a network type on an input shape as compile-time facts: steps, plan, bounds.
// Where the parts of planning meet; Model is built on it. What is long is worked out in many small constants, since
// compilers limit what one may cost.
// Knows devices by their footprints only.
#pragma once

#include <tarn/plan/counted.hpp>
#include <tarn/plan/flatten.hpp>
#include <tarn/plan/fuse.hpp>
#include <tarn/plan/order.hpp>
#include <tarn/plan/place.hpp>

#include <utility>

namespace tarn {

/// Policies: what a plan is chosen for. The smallest arena that is found; inside it the least time.
struct Smallest {
    static constexpr Wish wish{};
};
/// The least time, whatever the arena.
struct Fastest {
    static constexpr Wish wish{false, true, true};
};
/// The least time in an arena of at most Bytes. Errors: a model that does not fit does not compile.
template <std::size_t Bytes> struct Within { static constexpr Wish wish{false, true, true, Bytes}; };
/// Every step's output kept, to compare layer by layer with a framework.
struct KeepAll {
    static constexpr Wish wish{true, false, true};
};
/// Another policy with every tensor whole: nothing runs row by row.
template <class Policy> struct WholeTensors {
    static constexpr Wish wish = [] {
        Wish changed = Policy::wish;
        changed.rows = false;
        return changed;
    }();
};

/// Another policy for an input that comes row by row and is never whole in memory; see RowSession.
template <class Policy> struct Pushed {
    static constexpr Wish wish = [] {
        Wish changed = Policy::wish;
        changed.rows = changed.pushed = true;
        return changed;
    }();
};

/// Another policy for an input of any number of rows up to its Shape's; see UpTo. Exact: rows end anywhere in a tile.
template <class Policy> struct AnyCount {
    static constexpr Wish wish = [] {
        Wish changed = Policy::wish;
        changed.any_count = true;
        changed.sums = Summation::as_written;
        return changed;
    }();
};

/// Another policy under which 3x3 convolutions of stride 1 run by Winograd's F(4x4, 3x3) or F(2x2, 3x3) where that is
/// estimated to be faster.
/// Rounding: an output is a sum of other terms than written. At 256 channels of random data its largest error was
/// 2.3e-6 of the largest output by F(4x4, 3x3), 0.6e-6 by F(2x2, 3x3) and 1.3e-6 by direct sums (the test
/// kernels.winograd prints all three and allows 4e-6). Infinities and NaN spread over a tile.
/// Memory: such a layer's weights are 4 or 1.8 times as large; its transformed inputs are scratch in the arena.
template <class Policy> struct Winograd {
    static constexpr Wish wish = [] {
        Wish changed = Policy::wish;
        changed.sums = Summation::winograd;
        return changed;
    }();
};
/// Another policy with every sum taken as written, which is what all policies do without Winograd.
template <class Policy> struct Exact {
    static constexpr Wish wish = [] {
        Wish changed = Policy::wish;
        changed.sums = Summation::as_written;
        return changed;
    }();
};

/// A network type on an input Shape, or on Inputs. Where a layer does not fit, `fault` says so and the rest are the
/// facts of an empty network, so that Model reports the one error and nothing after it.
template <class Net, class In> struct Network {
    static constexpr auto graph = ordered(flatten<Net, In>());
    static constexpr Fault fault = graph.fault;
    static constexpr bool fits = fault.rule == Rule::none;

    /// Instead of a network that does not fit: no steps, and results of its shapes, so that nobody else complains.
    static constexpr auto nothing() noexcept {
        auto made = fuse(flatten<Sequential<>>(detail::InputShapes<In>::extents[0]), false);
        for (int i = 0; i < graph.output_count; ++i)
            made.outputs[i] = {made.outputs[0].view, graph.extents(graph.outputs[i])};
        if (graph.output_count > 0) made.output_count = graph.output_count;
        return made;
    }
    /// With these concats late.
    template <Late Concats>
    static constexpr auto fused_late = [] {
        if constexpr (fits)
            return fuse(graph, false, Concats);
        else
            return nothing();
    }();
    template <Late Concats> static constexpr Late later = one_more(graph, fused_late<Concats>, Concats);
    template <Late Concats = Late{}> static constexpr Late late_concats() noexcept {
        if constexpr (!fits || later<Concats> == Concats)
            return Concats;
        else
            return late_concats<later<Concats>>();
    }
    /// Apart: nothing is made straight into a concat.
    template <bool Apart>
    static constexpr auto fused = [] {
        if constexpr (Apart && fits)
            return fuse(graph, true);
        else
            return fused_late<late_concats()>;
    }();
    template <bool Apart>
    static constexpr auto steps_apart =
        trimmed<(fused<Apart>.storage_count > fused<Apart>.count ? fused<Apart>.storage_count : fused<Apart>.count)>(
            fused<Apart>);
    static constexpr auto& steps = steps_apart<false>;
    static constexpr int count = steps.count;
    static constexpr int parameter_count = graph.parameter_count;
    static constexpr int input_count = steps.input_count, output_count = steps.output_count;
    /// The shape of input or output I.
    template <int I> using InputShape = ShapeOf<steps.inputs[I].extents>;
    template <int I> using OutputShape = ShapeOf<steps.outputs[I].extents>;
    using Output = OutputShape<0>;

    static constexpr std::size_t macs = [] {
        std::size_t total = 0;
        for (int i = 0; i < steps.count; ++i) total += macs_of(steps.steps[i].op);
        return total;
    }();
};

namespace detail {
/// The same steps with convolutions by tiles where that is faster.
template <int Capacity> constexpr Steps<Capacity> with_winograd(Steps<Capacity> steps) noexcept {
    for (int s = 0; s < steps.count; ++s) steps.steps[s].op.winograd = cpu::winograd_choice(steps.steps[s].op);
    return steps;
}
} // namespace detail

/// The same network under Winograd.
template <class Net, class In> struct WinogradNetwork : Network<Net, In> {
    template <bool Apart>
    static constexpr auto steps_apart = detail::with_winograd(Network<Net, In>::template steps_apart<Apart>);
    static constexpr auto& steps = steps_apart<false>;
};
/// The network as a policy takes its sums.
template <class Net, class In, class Policy>
using NetworkUnder =
    std::conditional_t<Policy::wish.sums == Summation::winograd, WinogradNetwork<Net, In>, Network<Net, In>>;

namespace detail {
/// One constant for each Op, however many steps share it.
template <class Device, Op O> inline constexpr Footprint footprint_on = Device::template footprint<O>();
template <Op O> inline constexpr Lead ideal_lead_of = ideal_lead(O);
} // namespace detail

/// The plan of a network on a device under a Policy.
template <class TheNetwork, class Device, class Policy, bool OwnsInput> struct Planned {
    static constexpr Wish wish = Policy::wish;
    static constexpr auto& steps = TheNetwork::template steps_apart<wish.keep_all>;
    static constexpr int count = steps.count;
    static constexpr int room = std::remove_cvref_t<decltype(steps)>::room;
    static constexpr auto lives = lifetimes_of(steps, wish.keep_all);
    template <int S> static constexpr const Footprint& footprint = detail::footprint_on<Device, steps.steps[S].op>;

    static constexpr Counted<room> counted_rows{steps};
    static constexpr detail::EstimateTable<room> estimate_table{steps, lives, OwnsInput};
    template <int S>
    static constexpr Estimate
        whole_estimate = detail::Estimator(steps, lives, estimate_table, OwnsInput).whole(S, footprint<S>);
    static constexpr std::size_t whole_peak = []<int... S>(std::integer_sequence<int, S...>) {
        std::size_t peak = 0;
        for (const std::size_t elems : {std::size_t{0}, whole_estimate<S>.elems...}) peak = detail::larger(peak, elems);
        return peak;
    }
    (std::make_integer_sequence<int, count>{});
    /// What each step and each segment that begins with it would ask for.
    template <int S>
    static constexpr EstimateRow estimates = [] {
        EstimateRow row = detail::Estimator(steps, lives, estimate_table, OwnsInput, wish.pushed)
                              .row(S, footprint<S>, whole_peak, longest_segment(steps, lives, wish, S), wish.any_count);
        if (wish.any_count && counted_rows.step[S] && row.count > 0) row.whole = {~std::size_t{0}, 1e30F};
        return row;
    }();
    static constexpr auto choice = []<int... S>(std::integer_sequence<int, S...>) {
        const EstimateRow* const table[] = {&estimates<S>..., nullptr};
        return choose<room>(count, table, wish, estimate_table.alive[0], lives.death[0]);
    }
    (std::make_integer_sequence<int, count>{});
    static constexpr int task_count = choice.count;

    /// Task T by rows: who waits for whom, and what it needs.
    template <int T>
    static constexpr Links links = links_of(estimate_table.rows, choice.first[T], choice.first[T + 1] - 1);
    template <int T> static constexpr bool pushed = wish.pushed&& T == 0;
    template <int T, bool Downwards>
    static constexpr SegmentFacts counted = count_rows(steps, lives, links<T>, Downwards, pushed<T>);
    template <int T>
    static constexpr SegmentFacts segment = [] {
        if constexpr (!wish.any_count && works_downwards(steps, links<T>, counted<T, false>, pushed<T>))
            return join_counts(steps, links<T>, counted<T, false>, &counted<T, true>);
        else
            return join_counts(steps, links<T>, counted<T, false>, nullptr);
    }();

    template <int T> static constexpr Task task(const Problem<room>& p) noexcept {
        if constexpr (choice.rows[T])
            return rows_task(p, links<T>, segment<T>);
        else
            return whole_task(p, choice.first[T]);
    }

    static constexpr auto problem =
        []<int... S, int... T>(std::integer_sequence<int, S...>, std::integer_sequence<int, T...>) {
        Problem<room> p;
        p.net = steps;
        p.lives = lives;
        p.owns_input = OwnsInput;
        p.upwards = wish.any_count;
        // Arrays, not folds: folds nest as deep as the network is long.
        [[maybe_unused]] const int footprints[] = {0, (p.footprint[S] = footprint<S>, 0)...};
        p.task_count = task_count;
        [[maybe_unused]] const int tasks[] = {0, (p.tasks[T] = task<T>(p), 0)...};
        p.find_oldest();
        return p;
    }
    (std::make_integer_sequence<int, count>{}, std::make_integer_sequence<int, task_count>{});

    template <int Attempt> static constexpr auto attempted = place_attempt(problem, Attempt);
    /// As place(problem), every attempt a constant of its own.
    template <int Attempt> static constexpr const auto& first_plan() noexcept {
        if constexpr (attempted<Attempt>.found)
            return attempted<Attempt>;
        else
            return first_plan<Attempt + 1>();
    }
    static constexpr const auto& plan = first_plan < wish.keep_all ? place_attempts - 1 : 0 > ();
    static constexpr Bounds bounds = []<int... S>(std::integer_sequence<int, S...>) {
        const Lead ideal[] = {detail::ideal_lead_of<steps.steps[S].op>..., Lead{}};
        return bounds_of(steps, OwnsInput, ideal);
    }
    (std::make_integer_sequence<int, count>{});
    static constexpr std::size_t arena_elems = plan.arena_elems;
    static constexpr std::size_t budget_bytes = wish.bytes;
    /// Whether the first task runs by rows, and it alone reads the first input, in its own rows.
    static constexpr bool plan_by_rows = count > 0 && choice.rows[0] && lives.death[0] < choice.first[1] &&
                                         input_keeps_rows(steps);
};

} // namespace tarn
