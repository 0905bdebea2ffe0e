// SPDX-License-Identifier: MIT
// Place: an address for every value and every scratch block in one arena, outputs overlapping inputs by the law.
// Last step of planning. On a chain the search ends in the pendulum: values alternate between the arena's two ends.
// Knows footprints and lifetimes; nothing of what the kernels compute.
#pragma once

#include <tarn/plan/choose.hpp>

#include <initializer_list>

namespace tarn {

/// What is placed and run together: one step whole, or a segment by rows, upwards or downwards.
struct Task {
    int first = 0, last = 0;
    bool rows = false;
    int in = -1;           ///< a storage that ends here and that `out` may overlap, as far as the footprint says
    int exact = -1;        ///< a storage that ends here and whose bytes `out` may take over as they are
    int out = -1;          ///< a storage that begins here; others that do are placed apart from everything
    bool sums_in = false;  ///< whole: the epilogue adds `in` itself
    Footprint footprint{}; ///< by rows: direct is the segment's lead, direct_scratch its rings
};

/// Where everything lies, in elements from the arena's start, and how each task runs.
template <int Capacity> struct Plan {
    static constexpr std::size_t outside = ~std::size_t{0}; ///< the caller's memory, a ring, or no scratch

    std::size_t arena_elems = 0;
    std::size_t storage[Capacity + 1] = {};
    std::size_t scratch[Capacity > 0 ? Capacity : 1] = {}; ///< by task: scratch of a kernel, or a segment's rings
    Schedule schedule[Capacity > 0 ? Capacity : 1] = {};   ///< by task
    bool owns_input = false;
    bool found = false;
};

/// What placement needs to know of a network beside its steps.
template <int Capacity> struct Problem {
    Steps<Capacity> net{};
    Lifetimes<Capacity> lives{};
    Footprint footprint[Capacity > 0 ? Capacity : 1]{}; ///< by step, run whole
    Task tasks[Capacity > 0 ? Capacity : 1]{};
    int oldest[Capacity > 0 ? Capacity : 1] = {}; ///< by task: no storage of a lower number is alive when it begins
    int task_count = 0;
    bool owns_input = false;
    bool upwards = false; ///< no task by rows works downwards

    /// Calls f for every storage of the arena that is alive when a task begins. Storages are numbered by birth.
    template <class F> constexpr void for_alive(int task, const F& f) const noexcept {
        for (int v = oldest[task]; v < net.storage_count && lives.birth[v] < tasks[task].first; ++v)
            if (lives.death[v] >= tasks[task].first && held(v)) f(v);
    }
    /// Calls f for every whole storage that begins in a task.
    template <class F> constexpr void for_born(int task, const F& f) const noexcept {
        for (int s = tasks[task].first; s <= tasks[task].last; ++s) {
            const int v = net.steps[s].out.storage;
            if (lives.birth[v] == s && begins_in(v, tasks[task])) f(v);
        }
    }
    /// To be called when the tasks are set.
    constexpr void find_oldest() noexcept {
        int task_of[Capacity + 1] = {};
        for (int t = 0; t < task_count; ++t) {
            for (int s = tasks[t].first; s <= tasks[t].last; ++s) task_of[s] = t;
            oldest[t] = net.storage_count;
        }
        for (int v = 0; v < net.storage_count; ++v) {
            const int last = lives.death[v] >= net.count ? task_count - 1
                             : lives.death[v] < 0        ? -1
                                                         : task_of[lives.death[v]];
            const int first = lives.birth[v] < 0 ? 0 : task_of[lives.birth[v]];
            for (int t = first; t <= last; ++t)
                if (oldest[t] > v) oldest[t] = v;
        }
    }

    constexpr bool held(int storage) const noexcept { return owns_input || !net.is_input(storage); }
    /// Begins in a task and is needed after it, or is whole for another reason: not a ring.
    constexpr bool begins_in(int storage, const Task& task) const noexcept {
        return lives.birth[storage] >= task.first && lives.birth[storage] <= task.last &&
               (!task.rows || lives.death[storage] > task.last);
    }
    constexpr bool enters(int storage, const Task& task) const noexcept {
        return lives.birth[storage] < task.first && lives.death[storage] >= task.first;
    }
    constexpr bool ends_in(int storage, const Task& task) const noexcept {
        return enters(storage, task) && lives.death[storage] <= task.last;
    }
};

/// The task of one step, run whole.
template <int Capacity> constexpr Task whole_task(const Problem<Capacity>& p, int s) noexcept {
    const Step& step = p.net.steps[s];
    Task task;
    task.first = task.last = s;
    task.footprint = p.footprint[s];
    if (p.lives.birth[step.out.storage] == s) task.out = step.out.storage;
    const auto ends = [&](const View& view) { return view && p.held(view.storage) && p.ends_in(view.storage, task); };
    if (ends(step.in)) task.in = step.in.storage;
    task.sums_in = step.other && step.other.storage == step.in.storage;
    const bool follows = p.footprint[s].second_exact && (!task.sums_in || detail::is_elementwise(step.op));
    if (follows && ends(step.other)) task.exact = step.other.storage;
    return task;
}

/// The task of a segment.
template <int Capacity>
constexpr Task rows_task(const Problem<Capacity>& p, const Links& links, const SegmentFacts& facts) noexcept {
    Task task;
    task.first = links.first;
    task.last = links.first + links.count - 1;
    task.rows = true;
    task.footprint.direct = facts.lead;
    task.footprint.direct_scratch = facts.ring_elems;
    task.out = facts.main_out;
    if (facts.main_in >= 0 && p.held(facts.main_in)) task.in = facts.main_in;
    if (task.in >= 0 && facts.exact) task.exact = task.in;
    if (task.out < 0) { // nothing to overlap, but the largest has a choice of places all the same
        for (int v = 0; v < p.net.storage_count; ++v)
            if (p.lives.birth[v] >= task.first && p.lives.birth[v] <= task.last && p.lives.death[v] > task.last &&
                (task.out < 0 || p.net.storage[v] > p.net.storage[task.out]))
                task.out = v;
    }
    return task;
}

namespace detail {

/// Whether [a, a + n) and [b, b + m) share an element.
constexpr bool meet(std::size_t a, std::size_t n, std::size_t b, std::size_t m) noexcept {
    return a < b + m && b < a + n;
}

template <int Capacity> class Placer {
  public:
    constexpr Placer(const Problem<Capacity>& problem, std::size_t arena) noexcept : p_(problem), arena_(arena) {
        plan_.owns_input = problem.owns_input;
        plan_.arena_elems = arena;
        for (std::size_t& at : plan_.storage) at = outside;
        for (std::size_t& at : plan_.scratch) at = outside;
    }

    /// Depth first over the tasks, each trying its places in order of preference; gives up after `budget` retreats.
    constexpr Plan<Capacity> search(int budget, bool input_high) noexcept {
        if (p_.owns_input) {
            std::size_t below = 0;
            for (int i = 0; i < p_.net.input_count; ++i) {
                const std::size_t size = round_up(p_.net.storage[i]);
                if (below + size > arena_) return plan_;
                plan_.storage[i] = input_high ? arena_ - below - size : below;
                below += size;
            }
        }
        int tried[Capacity + 1] = {};
        int t = 0;
        while (t < p_.task_count) {
            if (settle(t, tried[t], input_high)) {
                ++t;
                tried[t] = 0;
            } else {
                if (t == 0 || budget-- == 0) return plan_;
                --t;
                ++tried[t];
            }
        }
        plan_.found = true;
        return plan_;
    }

    /// A single task whose input lies at `at`; for tensors moved through modules one by one.
    constexpr Plan<Capacity> task_from(std::size_t at) noexcept {
        plan_.storage[0] = at;
        plan_.found = p_.task_count == 0 || settle(0, 0, false);
        return plan_;
    }

  private:
    static constexpr std::size_t outside = Plan<Capacity>::outside;

    constexpr std::size_t size_of(int storage) const noexcept { return round_up(p_.net.storage[storage]); }

    /// Gives task t its nth set of places that works. False when there are fewer.
    constexpr bool settle(int t, int nth, bool high_first) noexcept {
        const Task& task = p_.tasks[t];
        alive_count_ = 0;
        p_.for_alive(t, [&](int v) { alive_[alive_count_++] = v; });
        bool room = true;
        p_.for_born(t, [&](int v) {
            if (v == task.out) return;
            room = room && free_place(size_of(v), plan_.storage[v]);
            alive_[alive_count_++] = v;
        });
        if (!room) return false;
        int found = 0;
        if (task.out < 0) { // everything is written into places that exist
            for (const bool staged : {false, true})
                for (const bool descending : {false, true})
                    if (lands(t, 0, 0, Schedule{descending, staged}, nth, found)) return true;
            return false;
        }
        const std::size_t size = size_of(task.out);
        if (size > arena_) return false;
        const bool held = task.in >= 0;
        const std::size_t in = held ? plan_.storage[task.in] : outside;
        const std::size_t in_size = held ? size_of(task.in) : 0;
        const std::size_t top = arena_ - size;
        const bool input_low = held && in < arena_ / 2;
        const std::size_t far_end = held ? (input_low ? top : 0) : (high_first ? top : 0);
        // Writing straight out is faster than through scratch, so that is tried everywhere first. In each round: the
        // input's own place, from below and from above; the far end, the near end; as close to the input as the law
        // allows, which leaves an end of the arena to scratch; then beside what is alive.
        const auto lands_at = [&](std::size_t at, bool staged) {
            if (at + size > arena_) return false;
            for (const bool descending : {false, true})
                if (lands(t, at, size, Schedule{descending, staged}, nth, found)) return true;
            return false;
        };
        for (const bool staged : {false, true}) {
            const Footprint& f = task.footprint;
            if (staged && !f.can_stage) break;
            if (task.exact >= 0 && task.exact != task.in && lands_at(plan_.storage[task.exact], staged)) return true;
            if (held && lands_at(in, staged)) return true;
            if (held && size != in_size && in + in_size >= size && lands_at(in + in_size - size, staged)) return true;
            if (lands_at(far_end, staged) || lands_at(top - far_end, staged)) return true;
            const std::size_t scratch = round_up(staged ? f.scratch_elems : f.direct_scratch);
            if (!held && scratch > 0 && scratch <= top &&
                (lands_at(scratch, staged) || lands_at(top - scratch, staged)))
                return true; // scratch at that end
            if (held && scratch > 0) {
                const Lead& lead = staged ? f.staged : f.direct;
                const std::size_t below = tight(lead.ascending), above = tight(lead.descending);
                if (above < arena_ && lands_at(in + above, staged)) return true;
                if (in >= below && lands_at(in - below, staged)) return true;
            }
            if (p_.upwards && held && scratch == 0) { // a step lower each time, where there is no way back up
                const std::size_t below = tight(f.direct.ascending);
                if (in >= below && lands_at(in - below, staged)) return true;
            }
            for (int i = 0; i < alive_count_; ++i) {
                const std::size_t begin = plan_.storage[alive_[i]], end = begin + size_of(alive_[i]);
                if (lands_at(end, staged) || (begin >= size && lands_at(begin - size, staged))) return true;
            }
        }
        return false;
    }

    static constexpr std::size_t tight(long lead) noexcept {
        return lead > 0 ? round_up(static_cast<std::size_t>(lead)) : 0;
    }

    /// Whether the output fits at `at` under a schedule, scratch included; takes it when it is the nth to fit.
    constexpr bool lands(int t, std::size_t at, std::size_t size, Schedule schedule, int nth, int& found) noexcept {
        const Task& task = p_.tasks[t];
        if (task.rows && schedule.descending && task.footprint.direct.descending == Lead::never) return false;
        if (schedule.staged && !task.footprint.can_stage) return false;
        for (int i = 0; i < alive_count_ && size > 0; ++i) {
            const int v = alive_[i];
            if (v != task.in && v != task.exact && meet(at, size, plan_.storage[v], size_of(v))) return false;
        }
        if (size > 0 && !allows(task, at, schedule)) return false;
        std::size_t scratch = outside;
        const std::size_t wanted =
            round_up(schedule.staged ? task.footprint.scratch_elems : task.footprint.direct_scratch);
        if (wanted > 0 && !scratch_place(at, size, wanted, scratch)) return false;
        if (found++ < nth) return false;
        if (task.out >= 0) plan_.storage[task.out] = at;
        plan_.schedule[t] = schedule;
        plan_.scratch[t] = scratch;
        return true;
    }

    constexpr bool allows(const Task& task, std::size_t at, Schedule schedule) const noexcept {
        const Footprint& f = task.footprint;
        const std::size_t out = p_.net.storage[task.out];
        const auto takes_over = [&](int v) {
            if (task.rows && schedule.descending) return false;
            const Step& step = p_.net.steps[task.first];
            if (!task.rows &&
                (step.other.offset != step.out.offset || (v == task.in && step.in.offset != step.out.offset)))
                return false;
            return task.exact == v && plan_.storage[v] == at && p_.net.storage[v] == out;
        };
        if (task.in >= 0 && meet(at, out, plan_.storage[task.in], p_.net.storage[task.in]) && !takes_over(task.in)) {
            Lead lead = schedule.staged ? f.staged : f.direct;
            if (task.sums_in && p_.net.steps[task.first].op.broadcast) return false; // read again for every pixel
            if (task.sums_in && !is_elementwise(p_.net.steps[task.first].op)) {
                // Added element by element as well, and upwards within a tile whatever the schedule.
                const bool follows = schedule.staged && !schedule.descending;
                const long pixels = follows           ? 0
                                    : schedule.staged ? long{f.staged_pixels} * f.staged_rows
                                                      : long{f.direct_pixels} * f.direct_rows;
                const long block = pixels * p_.net.steps[task.first].op.out.last();
                lead = {larger(lead.ascending, block), larger(lead.descending, block)};
            }
            long apart = as_long(plan_.storage[task.in]) - as_long(at);
            if (!task.rows) { // leads are between the first elements of the views
                const Step& step = p_.net.steps[task.first];
                std::size_t view = step.in.offset;
                if (task.sums_in)
                    view = schedule.descending ? larger(view, step.other.offset) : smaller(view, step.other.offset);
                apart += as_long(view) - as_long(step.out.offset);
            }
            if (schedule.descending ? -apart < lead.descending : apart < lead.ascending) return false;
        }
        if (task.exact < 0 || task.exact == task.in) return true;
        return takes_over(task.exact) || !meet(at, out, plan_.storage[task.exact], p_.net.storage[task.exact]);
    }

    /// The lowest free stretch beside everything alive.
    constexpr bool free_place(std::size_t wanted, std::size_t& place) const noexcept {
        return scratch_place(0, 0, wanted, place);
    }
    /// The same beside an output too: at an end of the arena, or next to something.
    constexpr bool scratch_place(std::size_t out, std::size_t size, std::size_t wanted,
                                 std::size_t& place) const noexcept {
        if (wanted > arena_) return false;
        if (scratch_free(0, wanted, out, size)) return place = 0, true;
        if (scratch_free(arena_ - wanted, wanted, out, size)) return place = arena_ - wanted, true;
        if (scratch_free(out + size, wanted, out, size)) return place = out + size, true;
        if (out >= wanted && scratch_free(out - wanted, wanted, out, size)) return place = out - wanted, true;
        for (int i = 0; i < alive_count_; ++i) {
            const std::size_t begin = plan_.storage[alive_[i]], end = begin + size_of(alive_[i]);
            if (scratch_free(end, wanted, out, size)) return place = end, true;
            if (begin >= wanted && scratch_free(begin - wanted, wanted, out, size)) return place = begin - wanted, true;
        }
        return false;
    }
    constexpr bool scratch_free(std::size_t at, std::size_t wanted, std::size_t out, std::size_t size) const noexcept {
        if (at + wanted > arena_ || (size > 0 && meet(at, wanted, out, size))) return false;
        for (int i = 0; i < alive_count_; ++i)
            if (meet(at, wanted, plan_.storage[alive_[i]], size_of(alive_[i]))) return false;
        return true;
    }

    const Problem<Capacity>& p_;
    std::size_t arena_;
    Plan<Capacity> plan_{};
    int alive_[Capacity + 1] = {}; // storages in the arena that the task being settled must mind
    int alive_count_ = 0;
};

/// The smallest arena that each task alone would be content with; where the search begins.
template <int Capacity> constexpr std::size_t least_arena(const Problem<Capacity>& p) noexcept {
    std::size_t least = 0;
    for (int i = 0; i < p.net.input_count && p.owns_input; ++i) least += round_up(p.net.storage[i]);
    for (int t = 0; t < p.task_count; ++t) {
        const Task& task = p.tasks[t];
        const auto size = [&](int v) { return round_up(p.net.storage[v]); };
        std::size_t all = 0;
        p.for_alive(t, [&](int v) { all += size(v); });
        p.for_born(t, [&](int v) { all += size(v); });
        std::size_t own = all + round_up(task.footprint.direct_scratch);
        if (task.out >= 0 && task.in >= 0 && !(task.sums_in && p.net.steps[task.first].op.broadcast))
            own = smaller(own, all - size(task.in) - size(task.out) +
                                   least_pair(p.net.storage[task.in], p.net.storage[task.out], task.footprint));
        if (task.out >= 0 && task.exact >= 0 && p.net.storage[task.exact] == p.net.storage[task.out])
            own = smaller(own, all - size(task.out) + round_up(task.footprint.direct_scratch));
        least = larger(least, own);
    }
    return least;
}

/// Everything side by side, kernels in their plain form: never small, always possible.
template <int Capacity> constexpr Plan<Capacity> lay_apart(const Problem<Capacity>& p) noexcept {
    Plan<Capacity> plan;
    plan.owns_input = p.owns_input;
    plan.found = true;
    for (std::size_t& at : plan.storage) at = Plan<Capacity>::outside;
    for (std::size_t& at : plan.scratch) at = Plan<Capacity>::outside;
    const auto take = [&](std::size_t& place, std::size_t size) {
        place = plan.arena_elems;
        plan.arena_elems += round_up(size);
    };
    for (int v = 0; v < p.net.input_count && p.owns_input; ++v) take(plan.storage[v], p.net.storage[v]);
    for (int t = 0; t < p.task_count; ++t) {
        p.for_born(t, [&](int v) { take(plan.storage[v], p.net.storage[v]); });
        if (p.tasks[t].footprint.direct_scratch > 0) take(plan.scratch[t], p.tasks[t].footprint.direct_scratch);
    }
    return plan;
}

} // namespace detail

/// How many times place may try: two ends for the input in each of these arenas, then everything apart.
inline constexpr int place_attempts = 21;

/// One attempt: an arena of what the neediest task asks for, or more by its scratch, or by ever larger parts of it;
/// the input (or the first output) low, or high. Each is small enough for one constant evaluation.
template <int Capacity> constexpr Plan<Capacity> place_attempt(const Problem<Capacity>& p, int attempt) noexcept {
    if (attempt == place_attempts - 1) return detail::lay_apart(p);
    const std::size_t least = detail::least_arena(p);
    std::size_t scratch = 0;
    for (int t = 0; t < p.task_count; ++t) {
        const Footprint& f = p.tasks[t].footprint;
        scratch = detail::larger(scratch, round_up(detail::larger(f.scratch_elems, f.direct_scratch)));
    }
    std::size_t sizes[] = {least,
                           least + round_up(least / 128),
                           least + round_up(least / 64),
                           least + round_up(least * 3 / 128),
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
    return detail::Placer<Capacity>(p, sizes[attempt / 2]).search(64 + p.task_count, attempt % 2 == 1);
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
