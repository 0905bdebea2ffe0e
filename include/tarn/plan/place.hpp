// SPDX-License-Identifier: MIT
// Place: an address for every value and every scratch block in one arena, outputs overlapping inputs by the law.
// Last step of planning. On a chain the search ends in the pendulum: values alternate between the arena's two ends.
// Knows footprints and lifetimes; nothing of what the kernels compute.
#pragma once

#include <tarn/cpu/geometry.hpp>
#include <tarn/plan/bound.hpp>

#include <initializer_list>

namespace tarn {

/// Elements that addresses and sizes are multiples of: a cache line of floats.
inline constexpr std::size_t place_elems = 16;

constexpr std::size_t round_up(std::size_t elems) noexcept {
    return (elems + place_elems - 1) / place_elems * place_elems;
}

/// Where everything lies, in elements from the arena's start, and how each step runs.
template <int Capacity> struct Plan {
    static constexpr std::size_t outside = ~std::size_t{0}; ///< the caller's memory, or no scratch

    std::size_t arena_elems = 0;
    std::size_t value[Capacity + 1] = {};
    std::size_t scratch[Capacity > 0 ? Capacity : 1] = {};
    Schedule schedule[Capacity > 0 ? Capacity : 1] = {};
    bool owns_input = false;
    bool found = false;
};

/// What placement needs to know of a network beside its steps.
template <int Capacity> struct Problem {
    Steps<Capacity> net{};
    Footprint footprint[Capacity > 0 ? Capacity : 1]{};
    bool owns_input = false;
    bool keep_all = false;
};

namespace detail {

constexpr long as_long(std::size_t n) noexcept { return static_cast<long>(n); }

/// Whether [a, a + n) and [b, b + m) share an element.
constexpr bool meet(std::size_t a, std::size_t n, std::size_t b, std::size_t m) noexcept {
    return a < b + m && b < a + n;
}

template <int Capacity> class Placer {
  public:
    constexpr Placer(const Problem<Capacity>& problem, std::size_t arena) noexcept
        : p_(problem), lives_(lifetimes_of(problem.net, problem.keep_all)), arena_(arena) {
        plan_.owns_input = problem.owns_input;
        plan_.arena_elems = arena;
        for (std::size_t& at : plan_.value) at = outside;
        for (std::size_t& at : plan_.scratch) at = outside;
    }

    /// Depth first over the steps, each trying its places in order of preference; gives up after `budget` retreats.
    constexpr Plan<Capacity> search(int budget, bool input_high) noexcept {
        if (p_.owns_input) {
            const std::size_t size = round_up(p_.net.input.elems());
            if (size > arena_) return plan_;
            plan_.value[0] = input_high ? arena_ - size : 0;
        }
        int tried[Capacity + 1] = {};
        int s = 0;
        while (s < p_.net.count) {
            if (settle(s, tried[s], input_high)) {
                ++s;
                tried[s] = 0;
            } else {
                if (s == 0 || budget-- == 0) return plan_;
                --s;
                ++tried[s];
            }
        }
        plan_.found = true;
        return plan_;
    }

    /// A single step whose input lies at `at`; for tensors moved through modules one by one.
    constexpr Plan<Capacity> step_from(std::size_t at) noexcept {
        plan_.value[0] = at;
        plan_.found = settle(0, 0, false);
        return plan_;
    }

  private:
    static constexpr std::size_t outside = Plan<Capacity>::outside;

    /// Gives step s its nth place that works. False when there are fewer.
    constexpr bool settle(int s, int nth, bool high_first) noexcept {
        const Step& step = p_.net.steps[s];
        const std::size_t size = round_up(step.op.out.elems());
        const std::size_t in = plan_.value[step.input];
        if (size > arena_) return false;
        alive_count_ = 0;
        for (int v = 0; v <= s; ++v)
            if (lives_.live_at(v, s) && plan_.value[v] != outside) alive_[alive_count_++] = v;
        const std::size_t top = arena_ - size;
        const bool held = in != outside;
        const bool input_low = held && in < arena_ / 2;
        const std::size_t far_end = held ? (input_low ? top : 0) : (high_first ? top : 0);
        const std::size_t in_size = round_up(p_.net.elems(step.input));
        // Writing straight out is faster than through scratch, so that is tried everywhere first. In each round: the
        // input's own place, from below and from above; the far end, the near end; as close to the input as the law
        // allows, which leaves an end of the arena to scratch; then beside what is alive.
        int found = 0;
        const auto lands_at = [&](std::size_t at, bool staged) {
            return at + size <= arena_ && lands(s, at, size, staged, nth, found);
        };
        for (const bool staged : {false, true}) {
            if (staged && !p_.footprint[s].can_stage) break;
            if (held && lands_at(in, staged)) return true;
            if (held && size != in_size && in + in_size >= size && lands_at(in + in_size - size, staged)) return true;
            if (lands_at(far_end, staged) || lands_at(top - far_end, staged)) return true;
            if (held && staged && p_.footprint[s].scratch_elems > 0) {
                const Lead& lead = p_.footprint[s].staged;
                const std::size_t below = tight(lead.ascending);
                if (lands_at(in + tight(lead.descending), staged)) return true;
                if (in >= below && lands_at(in - below, staged)) return true;
            }
            for (int i = 0; i < alive_count_; ++i) {
                const std::size_t begin = plan_.value[alive_[i]], end = begin + round_up(p_.net.elems(alive_[i]));
                if (lands_at(end, staged) || (begin >= size && lands_at(begin - size, staged))) return true;
            }
        }
        return false;
    }

    static constexpr std::size_t tight(long lead) noexcept {
        return lead > 0 ? round_up(static_cast<std::size_t>(lead)) : 0;
    }

    /// Whether the output fits at `at`, upwards or downwards, scratch included; takes it when it is the nth to fit.
    constexpr bool lands(int s, std::size_t at, std::size_t size, bool staged, int nth, int& found) noexcept {
        const Step& step = p_.net.steps[s];
        for (int i = 0; i < alive_count_; ++i) {
            const int v = alive_[i];
            const bool may_share = lives_.dies_at(v, s) && (v == step.input || v == step.other);
            if (!may_share && meet(at, size, plan_.value[v], round_up(p_.net.elems(v)))) return false;
        }
        for (const bool descending : {false, true}) {
            const Schedule schedule{descending, staged};
            if (!allows(s, at, schedule)) continue;
            std::size_t scratch = outside;
            const std::size_t wanted = staged ? round_up(p_.footprint[s].scratch_elems) : 0;
            if (wanted > 0 && !scratch_place(at, size, wanted, scratch)) continue;
            if (found++ < nth) return false;
            plan_.value[s + 1] = at;
            plan_.schedule[s] = schedule;
            plan_.scratch[s] = scratch;
            return true;
        }
        return false;
    }

    constexpr bool allows(int s, std::size_t at, Schedule schedule) const noexcept {
        const Step& step = p_.net.steps[s];
        const Footprint& f = p_.footprint[s];
        const std::size_t size = step.op.out.elems();
        const std::size_t in = plan_.value[step.input];
        if (in != outside && meet(at, size, in, p_.net.elems(step.input))) {
            const bool exact = step.other == step.input && f.second_exact && at == in && !has_own_reads(step);
            Lead lead = schedule.staged ? f.staged : f.direct;
            if (step.other == step.input && has_own_reads(step)) {
                // Added element by element as well, and upwards within a tile whatever the schedule.
                const bool follows = schedule.staged && !schedule.descending;
                const long block = follows ? 0 : long{f.direct_pixels} * step.op.out.last();
                lead = {larger(lead.ascending, block), larger(lead.descending, block)};
            }
            const long apart = as_long(in) - as_long(at);
            const bool lawful = schedule.descending ? -apart >= lead.descending : apart >= lead.ascending;
            if (!exact && !lawful) return false;
        }
        if (step.other < 0 || step.other == step.input) return true;
        const std::size_t other = plan_.value[step.other];
        if (other == outside || !meet(at, size, other, p_.net.elems(step.other))) return true;
        return f.second_exact && at == other;
    }
    /// A weighted layer reads its first input again after writing; a plain sum does not.
    static constexpr bool has_own_reads(const Step& step) noexcept { return step.op.kind != OpKind::add; }

    /// The lowest free stretch for scratch beside everything alive and the output.
    constexpr bool scratch_place(std::size_t out, std::size_t size, std::size_t wanted,
                                 std::size_t& place) const noexcept {
        if (wanted > arena_) return false;
        if (scratch_free(0, wanted, out, size)) return place = 0, true;
        if (scratch_free(arena_ - wanted, wanted, out, size)) return place = arena_ - wanted, true;
        if (scratch_free(out + size, wanted, out, size)) return place = out + size, true;
        if (out >= wanted && scratch_free(out - wanted, wanted, out, size)) return place = out - wanted, true;
        for (int i = 0; i < alive_count_; ++i) {
            const std::size_t begin = plan_.value[alive_[i]], end = begin + round_up(p_.net.elems(alive_[i]));
            if (scratch_free(end, wanted, out, size)) return place = end, true;
            if (begin >= wanted && scratch_free(begin - wanted, wanted, out, size)) return place = begin - wanted, true;
        }
        return false;
    }
    constexpr bool scratch_free(std::size_t at, std::size_t wanted, std::size_t out, std::size_t size) const noexcept {
        if (at + wanted > arena_ || meet(at, wanted, out, size)) return false;
        for (int i = 0; i < alive_count_; ++i)
            if (meet(at, wanted, plan_.value[alive_[i]], round_up(p_.net.elems(alive_[i])))) return false;
        return true;
    }

    const Problem<Capacity>& p_;
    Lifetimes<Capacity> lives_;
    std::size_t arena_;
    Plan<Capacity> plan_{};
    int alive_[Capacity + 1] = {}; // values in the arena that the step being settled must mind
    int alive_count_ = 0;
};

/// Elements an input and an output need together under one of the kernel's schedules, scratch and rounding included.
constexpr std::size_t least_pair(std::size_t in, std::size_t out, const Footprint& f) noexcept {
    const auto rounded = [](Lead lead) {
        const auto up = [](long v) {
            return v > 0 && v < Lead::never ? as_long(round_up(static_cast<std::size_t>(v))) : v;
        };
        return Lead{up(lead.ascending), up(lead.descending)};
    };
    const std::size_t in_size = round_up(in), out_size = round_up(out);
    std::size_t least = overlapped_elems(in_size, out_size, rounded(f.direct));
    if (f.can_stage)
        least = smaller(least, overlapped_elems(in_size, out_size, rounded(f.staged)) + round_up(f.scratch_elems));
    return least;
}

/// The smallest arena that each step alone would be content with; where the search begins.
template <int Capacity> constexpr std::size_t least_arena(const Problem<Capacity>& p) noexcept {
    const Lifetimes<Capacity> lives = lifetimes_of(p.net, p.keep_all);
    std::size_t least = p.owns_input ? round_up(p.net.input.elems()) : 0;
    for (int s = 0; s < p.net.count; ++s) {
        const Step& step = p.net.steps[s];
        const Footprint& f = p.footprint[s];
        const auto held = [&](int v) { return v > 0 || (v == 0 && p.owns_input); };
        const std::size_t out = round_up(step.op.out.elems());
        const std::size_t in = held(step.input) ? round_up(p.net.elems(step.input)) : 0;
        const bool two = step.other >= 0 && step.other != step.input;
        const std::size_t other = two && held(step.other) ? round_up(p.net.elems(step.other)) : 0;
        std::size_t waiting = 0;
        for (int v = p.owns_input ? 0 : 1; v <= s; ++v)
            if (lives.live_at(v, s) && v != step.input && v != step.other) waiting += round_up(p.net.elems(v));
        std::size_t own = in + other + out;
        if (in > 0 && lives.dies_at(step.input, s))
            own = smaller(own, other + least_pair(p.net.elems(step.input), step.op.out.elems(), f));
        if (other > 0 && lives.dies_at(step.other, s) && f.second_exact) own = smaller(own, in + other);
        least = larger(least, waiting + own);
    }
    return least;
}

/// Everything side by side, kernels in their plain form: never small, always possible.
template <int Capacity> constexpr Plan<Capacity> lay_apart(const Problem<Capacity>& p) noexcept {
    Plan<Capacity> plan;
    plan.owns_input = p.owns_input;
    plan.found = true;
    for (std::size_t& at : plan.value) at = Plan<Capacity>::outside;
    for (std::size_t& at : plan.scratch) at = Plan<Capacity>::outside;
    for (int v = p.owns_input ? 0 : 1; v <= p.net.count; ++v) {
        plan.value[v] = plan.arena_elems;
        plan.arena_elems += round_up(p.net.elems(v));
    }
    return plan;
}

} // namespace detail

/// How many times place may try: two ends for the input in each of these arenas, then everything apart.
inline constexpr int place_attempts = 17;

/// One attempt: an arena of what the neediest step asks for, or more by its scratch, or by ever larger parts of it;
/// the input (or the first output) low, or high. Each is small enough for one constant evaluation.
template <int Capacity> constexpr Plan<Capacity> place_attempt(const Problem<Capacity>& p, int attempt) noexcept {
    if (attempt == place_attempts - 1) return detail::lay_apart(p);
    const std::size_t least = detail::least_arena(p);
    std::size_t scratch = 0;
    for (int s = 0; s < p.net.count; ++s) scratch = detail::larger(scratch, round_up(p.footprint[s].scratch_elems));
    std::size_t sizes[] = {least,
                           least + round_up(least / 64),
                           least + round_up(least / 32),
                           least + round_up(least / 16),
                           least + round_up(least / 8),
                           least + round_up(least / 4),
                           least + round_up(least / 2),
                           least + scratch};
    static_assert(2 * sizeof(sizes) / sizeof(sizes[0]) + 1 == place_attempts);
    for (int i = place_attempts / 2 - 1; i > 0 && sizes[i] < sizes[i - 1]; --i) {
        const std::size_t smaller = sizes[i];
        sizes[i] = sizes[i - 1];
        sizes[i - 1] = smaller;
    }
    return detail::Placer<Capacity>(p, sizes[attempt / 2]).search(64 + p.net.count, attempt % 2 == 1);
}

/// The plan with the smallest arena among the attempts. Network takes the same steps, each as a constant of its own.
template <int Capacity> constexpr Plan<Capacity> place(const Problem<Capacity>& p) noexcept {
    int attempt = 0;
    for (;; ++attempt) {
        const Plan<Capacity> plan = place_attempt(p, attempt);
        if (plan.found) return plan;
    }
}

} // namespace tarn
