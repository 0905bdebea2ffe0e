// SPDX-License-Identifier: MIT
// DevicePlan: where a network's tensors lie in a device's one arena, which steps overwrite their inputs and how, which
// are left to one block, and the cheapest barrier that is enough before each.
// Beside the CPU's plan: the same steps, whole; blocks run in any order, so that nothing may overlap in part.
// Knows steps, lifetimes and what a device says of its kernels; nothing of their code.
#pragma once

#include <tarn/cuda/device.hpp>
#include <tarn/plan/device_rows.hpp>
#include <tarn/plan/network.hpp>
#include <tarn/plan/pack.hpp>

namespace tarn {

/// Elements from the arena's start for every storage, inputs included: the caller's are copied there.
template <int Capacity> struct DevicePlan {
    std::size_t arena_elems = 0;
    std::size_t storage[Capacity + 1] = {};
    bool held[Capacity > 0 ? Capacity : 1] = {};          ///< by step: its outputs wait in registers
    bool owned[Capacity > 0 ? Capacity : 1] = {};         ///< by step: blocks overwrite rows of their own
    bool solo[Capacity > 0 ? Capacity : 1] = {};          ///< by step: one block does it all
    cuda::Scope before[Capacity > 0 ? Capacity : 1] = {}; ///< by step: who waits for whom before it
};

namespace detail {

/// A view as memory: floats [begin, begin + length) of the arena, of which `width` in each `pitch` are touched.
struct DeviceSpan {
    std::size_t begin = 0, length = 0;
    std::size_t width = 0, pitch = 0;
    bool writes = false;

    /// Whether the two touch one float, one of them writing it.
    constexpr bool conflicts(const DeviceSpan& b) const noexcept {
        if (!(writes || b.writes) || begin >= b.begin + b.length || b.begin >= begin + length) return false;
        if (pitch != b.pitch) return true;
        const std::size_t first = begin % pitch, other = b.begin % pitch; // features of the same rows
        if (first + width > pitch || other + b.width > pitch) return true;
        return first < other + b.width && other < first + width;
    }
    constexpr bool same_as(const DeviceSpan& b) const noexcept {
        return begin == b.begin && length == b.length && width == b.width && pitch == b.pitch;
    }
};

} // namespace detail

/// Plans steps for a card, one decision after another.
template <int Capacity> class DevicePlanner {
    using DeviceSpan = detail::DeviceSpan;

  public:
    /// facts: by step, what the device says of it.
    constexpr DevicePlanner(const OwnedRows<Capacity>& rows, const cuda::Footprint* facts, std::size_t alignment,
                            std::size_t solo_work) noexcept
        : net_(rows.steps), owned_(rows.owned), lives_(lifetimes_of(rows.steps, false)), facts_(facts),
          alignment_(alignment), solo_work_(solo_work) {}

    /// Which outputs wait in registers: those of the steps at which most is alive, one after another while they can;
    /// what was held since that last lowered the peak is given up again. Nothing is placed yet.
    constexpr DevicePlan<Capacity> holding() noexcept {
        DevicePlan<Capacity> best = apart(), tried = best;
        lay(best);
        Peak lowest = most_alive();
        for (Peak peak = lowest; peak.step >= 0 && !tried.held[peak.step] && can_hold(peak.step);) {
            tried.held[peak.step] = true;
            lay(tried);
            peak = most_alive();
            if (peak.elems < lowest.elems) {
                lowest = peak;
                best = tried;
            }
        }
        return best;
    }
    /// No step waits for the grid before it writes.
    constexpr DevicePlan<Capacity> apart() const noexcept {
        DevicePlan<Capacity> plan;
        for (int s = 0; s < net_.count; ++s) plan.owned[s] = owned_[s];
        return plan;
    }
    /// Addresses for a plan.
    constexpr void place(DevicePlan<Capacity>& plan) noexcept {
        lay(plan);
        const auto count = static_cast<std::size_t>(net_.storage_count);
        plan.arena_elems = pack(std::span<Buffer>(buffers_, count), alignment_ / sizeof(float), moves);
        for (int v = 0; v < net_.storage_count; ++v) plan.storage[v] = buffers_[first_[v]].at;
    }
    /// The barriers of a plan that is placed, and who works alone.
    constexpr void order(DevicePlan<Capacity>& plan) noexcept {
        lay(plan);
        const auto light = [&](int s) {
            return s >= 0 && s < net_.count && (facts_[s].one_block || facts_[s].work <= solo_work_);
        };
        for (int s = 0; s < net_.count; ++s)
            plan.solo[s] = !plan.held[s] && (facts_[s].one_block || (light(s) && (light(s - 1) || light(s + 1))));
        for (int s = 0; s < net_.count; ++s) {
            cuda::Scope since = cuda::Scope::none; // the widest barrier between the earlier step and this
            for (int p = s - 1; p >= 0 && since != cuda::Scope::grid && plan.before[s] != cuda::Scope::grid; --p) {
                if (p + 1 < s && plan.before[p + 1] > since) since = plan.before[p + 1];
                const cuda::Scope wanted = wanted_between(plan, p, s);
                if (wanted > since && wanted > plan.before[s]) plan.before[s] = wanted;
            }
        }
    }

  private:
    constexpr bool dies_at(const View& view, int s) const noexcept {
        return view && lives_.death[view.storage] == s && !net_.is_output(view.storage);
    }
    static constexpr std::size_t pitch_of(const Extents& extents, int pitch) noexcept {
        return static_cast<std::size_t>(pitch > 0 ? pitch : extents.last());
    }
    /// Whether a view is all of its storage, gaps between its rows included.
    constexpr bool whole(const View& view, const Extents& extents, int pitch) const noexcept {
        return view.offset == 0 && net_.storage[view.storage] == extents.rows() * pitch_of(extents, pitch);
    }
    constexpr bool begins_output(int s) const noexcept { return lives_.birth[net_.steps[s].out.storage] == s; }
    constexpr bool can_hold(int s) const noexcept {
        return facts_[s].held && !owned_[s] && begins_output(s) &&
               (dies_at(net_.steps[s].in, s) || dies_at(net_.steps[s].other, s));
    }

    /// The storage whose bytes step s may take over for its output, -1 for none.
    constexpr int taken_over(const DevicePlan<Capacity>& plan, int s) const noexcept {
        const Step& step = net_.steps[s];
        const Op& op = step.op;
        if (owned_[s]) return step.in.storage;
        if (plan.held[s] || !begins_output(s) || !whole(step.out, op.out, op.out_pitch)) return -1;
        const cuda::Footprint& f = facts_[s];
        // A recurrent layer has said itself whether its pitches allow it.
        const auto lies_alike = [&](const Extents& extents, int pitch) {
            return f.one_block || pitch_of(extents, pitch) == pitch_of(op.out, op.out_pitch);
        };
        const bool apart = !step.other || step.other.storage != step.in.storage;
        if (f.on_input && dies_at(step.in, s) && (apart || !op.broadcast) && whole(step.in, op.in, op.in_pitch) &&
            lies_alike(op.in, op.in_pitch))
            return step.in.storage;
        if (f.on_other && apart && dies_at(step.other, s) && whole(step.other, op.out, op.other_pitch) &&
            lies_alike(op.out, op.other_pitch))
            return step.other.storage;
        return -1;
    }

    /// Storages that take each other's bytes over are one buffer, from the first's birth to the last's death. Time goes
    /// in halves of a step: one whose outputs wait reads in the first half and writes in the second.
    constexpr void lay(const DevicePlan<Capacity>& plan) noexcept {
        for (int v = 0; v < net_.storage_count; ++v) {
            first_[v] = v;
            const int birth = lives_.birth[v], death = lives_.death[v];
            buffers_[v] = {2L * birth, 2L * death + 2, net_.storage[v]};
            if (birth >= 0 && birth < net_.count && plan.held[birth]) ++buffers_[v].begin;
            if (death >= 0 && death < net_.count && plan.held[death] && net_.steps[death].out.storage != v)
                --buffers_[v].end;
        }
        for (int s = 0; s < net_.count; ++s) {
            const int from = taken_over(plan, s);
            if (from < 0) continue;
            const int out = net_.steps[s].out.storage, into = first_[from];
            first_[out] = into;
            if (buffers_[into].end < buffers_[out].end) buffers_[into].end = buffers_[out].end;
            if (buffers_[into].size < buffers_[out].size) buffers_[into].size = buffers_[out].size;
            buffers_[out].end = buffers_[out].begin; // never alive itself
        }
    }
    static constexpr long moves = 64; // of single buffers, after first fit: few, for the sake of compilers

    /// The step at which most is alive, and how much.
    struct Peak {
        int step = -1;
        std::size_t elems = 0;
    };
    constexpr Peak most_alive() const noexcept {
        Peak peak;
        for (int time = 0; time < 2 * net_.count; ++time) {
            std::size_t alive = 0;
            for (int v = 0; v < net_.storage_count; ++v)
                if (buffers_[v].begin <= time && time < buffers_[v].end)
                    alive += detail::aligned(buffers_[v], alignment_ / sizeof(float));
            if (alive > peak.elems) peak = {time / 2, alive};
        }
        return peak;
    }

    static constexpr DeviceSpan span_of(const DevicePlan<Capacity>& plan, const View& view, const Extents& extents,
                                        int pitch, bool writes) noexcept {
        DeviceSpan span;
        span.width = static_cast<std::size_t>(extents.last());
        span.pitch = pitch > 0 ? static_cast<std::size_t>(pitch) : span.width;
        span.begin = plan.storage[view.storage] + view.offset;
        span.length = (extents.rows() - 1) * span.pitch + span.width;
        span.writes = writes;
        return span;
    }
    struct Touched {
        DeviceSpan at[3] = {};
        int count = 0;
    };
    constexpr Touched touched(const DevicePlan<Capacity>& plan, int s) const noexcept {
        const Step& step = net_.steps[s];
        Touched t;
        t.at[t.count++] = span_of(plan, step.out, step.op.out, step.op.out_pitch, true);
        t.at[t.count++] = span_of(plan, step.in, step.op.in, step.op.in_pitch, false);
        if (step.other)
            t.at[t.count++] =
                span_of(plan, step.other, step.op.broadcast ? extents_of(step.op.out.last()) : step.op.out,
                        step.op.broadcast ? 0 : step.op.other_pitch, false);
        return t;
    }
    /// Who must wait between step p and the later step s, were they alone.
    constexpr cuda::Scope wanted_between(const DevicePlan<Capacity>& plan, int p, int s) const noexcept {
        const Touched before = touched(plan, p), after = touched(plan, s);
        const bool both_solo = plan.solo[p] && plan.solo[s];
        // Blocks meet the rows they own, and every block has settled behind its last.
        if (plan.owned[p] && plan.owned[s] && plan.solo[p] == plan.solo[s] && facts_[p].owns == facts_[s].owns &&
            net_.steps[p].op.out.rows() == net_.steps[s].op.out.rows() &&
            first_[net_.steps[p].out.storage] == first_[net_.steps[s].out.storage])
            return cuda::Scope::none;
        if (both_solo && facts_[p].settles) return cuda::Scope::none;
        const Op &first = net_.steps[p].op, &second = net_.steps[s].op;
        // Each thread meets what it has made itself.
        const bool same_walk = facts_[p].elementwise && facts_[s].elementwise && plan.solo[p] == plan.solo[s] &&
                               first.out.elems() == second.out.elems() && first.out.last() == second.out.last();
        cuda::Scope wanted = cuda::Scope::none;
        for (int i = 0; i < before.count; ++i) {
            for (int j = 0; j < after.count; ++j) {
                if (!before.at[i].conflicts(after.at[j])) continue;
                if (same_walk && before.at[i].same_as(after.at[j])) continue;
                wanted = both_solo && wanted != cuda::Scope::grid ? cuda::Scope::block : cuda::Scope::grid;
            }
        }
        return wanted;
    }

    const Steps<Capacity>& net_;
    const bool* owned_;
    Lifetimes<Capacity> lives_;
    const cuda::Footprint* facts_;
    std::size_t alignment_, solo_work_;
    int first_[Capacity + 1] = {};      // by storage: whose buffer it lies in
    Buffer buffers_[Capacity + 1] = {}; // by storage
};

/// A plan of a network on a device's grid: with outputs that wait in registers where that makes the arena smaller
/// (Smallest), and with rows that products overwrite (ByRows).
template <class TheNetwork, class Device, bool Smallest, bool ByRows> struct DevicePlanOf {
    static constexpr int count = TheNetwork::steps.count;
    static constexpr int room = std::remove_cvref_t<decltype(TheNetwork::steps)>::room;
    using Planner = DevicePlanner<room>;

    static constexpr OwnedRows<room> rows = owned_rows(
        TheNetwork::steps, [](const Op& op) { return ByRows && Device::owns_rows(op); },
        [](const Op& op) { return ByRows && Device::keeps_rows(op); });
    static constexpr auto& steps = rows.steps;

    struct Facts {
        cuda::Footprint of[room > 0 ? room : 1] = {};
    };
    static constexpr Facts facts = []<int... S>(std::integer_sequence<int, S...>) {
        Facts made;
        [[maybe_unused]] const int done[] = {
            0, (made.of[S] = Device::template footprint<steps.steps[S].op, rows.owned[S]>(), 0)...};
        return made;
    }
    (std::make_integer_sequence<int, count>{});

    // One constant after another: compilers allow each so many operations.
    static constexpr DevicePlan<room> wanted = [] {
        Planner planner(rows, facts.of, Device::alignment, Device::solo_work);
        return Smallest ? planner.holding() : planner.apart();
    }();
    static constexpr bool holds = [] {
        for (int s = 0; s < count; ++s)
            if (wanted.held[s]) return true;
        return false;
    }();
    template <bool Holding>
    static constexpr DevicePlan<room> placed = [] {
        Planner planner(rows, facts.of, Device::alignment, Device::solo_work);
        DevicePlan<room> made = Holding ? wanted : planner.apart();
        planner.place(made);
        return made;
    }();
    static constexpr DevicePlan<room> plan = [] {
        DevicePlan<room> made = placed<holds>;
        if constexpr (holds)
            if (placed<true>.arena_elems >= placed<false>.arena_elems) made = placed<false>;
        Planner planner(rows, facts.of, Device::alignment, Device::solo_work);
        planner.order(made);
        return made;
    }();
    static constexpr std::size_t arena_elems = plan.arena_elems;
    static constexpr int held_count = [] {
        int held = 0;
        for (int s = 0; s < count; ++s) held += plan.held[s] ? 1 : 0;
        return held;
    }();
};

namespace detail {

template <class TheNetwork, class Device, bool Smallest> struct ToDevicePlan {
    using Apart = DevicePlanOf<TheNetwork, Device, Smallest, false>;
    using ByRows = DevicePlanOf<TheNetwork, Device, Smallest, true>;
    static constexpr bool by_rows = [] {
        if constexpr (Smallest) {
            if (ByRows::rows.count == 0 || ByRows::arena_elems > Apart::arena_elems) return false;
            return ByRows::arena_elems < Apart::arena_elems || ByRows::held_count < Apart::held_count;
        } else {
            return false;
        }
    }();
    using type = std::conditional_t<by_rows, ByRows, Apart>;
};

} // namespace detail

/// The plan of a network on a device's grid. Smallest: outputs wait in registers, or products overwrite rows of their
/// own, where that makes the arena smaller; rows, where both do as well, since they need no barrier of the grid.
template <class TheNetwork, class Device, bool Smallest = true>
using DevicePlanned = typename detail::ToDevicePlan<TheNetwork, Device, Smallest>::type;

} // namespace tarn
