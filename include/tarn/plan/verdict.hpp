// SPDX-License-Identifier: MIT
// Verdict: what may be wrong with a plan, and what its judges look up: who needs a storage until when, and which
// elements a view has.
// Under validate.hpp. Knows steps and plans as data; shares no line with the code that makes them.
#pragma once

#include <tarn/plan/place.hpp>

#include <initializer_list>

namespace tarn {

/// Why a plan is refused.
enum class PlanFault : int {
    none,
    not_found,        ///< the search gave up
    tasks_broken,     ///< tasks do not follow each other from the first step to the last, or a whole one has several
    view_outside,     ///< a step's view reaches past its storage
    written_twice,    ///< a step writes onto a neighbour's elements, or into an input
    read_unwritten,   ///< a step reads, or the network returns, what nobody made before
    misplaced,        ///< a storage that should lie in the arena has no place, or the caller's has one
    outside_arena,    ///< a storage, scratch or rings reach past the arena's end
    misaligned,       ///< not on a cache line
    overwrites_value, ///< an output lands on a storage that somebody still needs after the task
    overwrites_input, ///< an output overtakes the reads of its own task
    scratch_taken,    ///< scratch or rings lie on the output or on a storage alive
    scratch_missing,  ///< a kernel that needs scratch, or a segment that needs rings, has none
    schedule_unknown, ///< staged, though the kernel has no such form; or downwards, though it only runs upwards
    rows_differ,      ///< two steps of a segment see the rows of one storage differently
    ring_outlived,    ///< a storage that is a ring in one task is touched by another, or returned
    ring_taken,       ///< two rings share an element, or a ring holds no row
    row_missing,      ///< a row is read before it is made
    row_lost,         ///< a row is read after its slot in a ring went to another row
    row_unmade,       ///< a row that is needed after the task is never made
};

/// The first fault found, with its step: -1 where it lies in an input or in no step at all.
struct PlanVerdict {
    PlanFault fault = PlanFault::none;
    int step = -1;

    constexpr explicit operator bool() const noexcept { return fault == PlanFault::none; }
};

namespace detail::judge {

/// Elements [begin, end).
struct Range {
    std::size_t begin = 0, end = 0;

    constexpr bool empty() const noexcept { return begin >= end; }
    constexpr bool hits(const Range& o) const noexcept {
        return !empty() && !o.empty() && begin < o.end && o.begin < end;
    }
};
constexpr Range hull(const Range& a, const Range& b) noexcept {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}
constexpr Range both(const Range& a, const Range& b) noexcept {
    return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}
constexpr Range moved(const Range& r, std::size_t by) noexcept {
    return r.empty() ? Range{} : Range{r.begin + by, r.end + by};
}

/// Stretches of `width` elements, `pitch` apart; what touches is one stretch.
struct Area {
    std::size_t begin, pitch, width, stretches;

    constexpr std::size_t elems() const noexcept { return width * stretches; }
    constexpr Range range() const noexcept { return {begin, begin + pitch * (stretches - 1) + width}; }
    /// How many of its elements lie before an address.
    constexpr std::size_t before(std::size_t address) const noexcept {
        if (address <= begin) return 0;
        const std::size_t full = (address - begin) / pitch, rest = (address - begin) % pitch;
        if (full >= stretches) return elems();
        return full * width + (rest < width ? rest : width);
    }
};
constexpr Area area_of(std::size_t offset, std::size_t rows, std::size_t width, int pitch) noexcept {
    const std::size_t apart = pitch > 0 ? static_cast<std::size_t>(pitch) : width;
    if (apart == width || rows == 1) return {offset, rows * width, rows * width, 1};
    return {offset, apart, width, rows};
}
constexpr Area area_of(const View& view, const Extents& e, int pitch) noexcept {
    const auto width = static_cast<std::size_t>(e.last());
    return area_of(view.offset, e.elems() / width, width, pitch);
}
/// How many elements two areas share.
constexpr std::size_t shared(const Area& a, const Area& b) noexcept {
    if (a.stretches > b.stretches) return shared(b, a);
    if (!a.range().hits(b.range())) return 0;
    const std::size_t a_column = a.begin % b.pitch, b_column = b.begin % b.pitch;
    if (a.stretches > 1 && a.pitch == b.pitch && a_column + a.width <= a.pitch && b_column + b.width <= b.pitch) {
        const auto common = [](std::size_t x, std::size_t n, std::size_t y, std::size_t m) {
            const Range r = both({x, x + n}, {y, y + m});
            return r.empty() ? std::size_t{0} : r.end - r.begin;
        };
        return common(a_column, a.width, b_column, b.width) *
               common(a.begin / a.pitch, a.stretches, b.begin / b.pitch, b.stretches);
    }
    std::size_t total = 0;
    for (std::size_t i = 0; i < a.stretches; ++i) {
        const std::size_t at = a.begin + i * a.pitch;
        total += b.before(at + a.width) - b.before(at);
    }
    return total;
}

constexpr Area in_area(const Step& s) noexcept { return area_of(s.in, s.op.in, s.op.in_pitch); }
constexpr Area out_area(const Step& s) noexcept { return area_of(s.out, s.op.out, s.op.out_pitch); }
constexpr Area other_area(const Step& s) noexcept {
    if (s.op.broadcast) return area_of(s.other.offset, 1, static_cast<std::size_t>(s.op.out.last()), 0);
    return area_of(s.other, s.op.out, s.op.other_pitch);
}

/// From which step to which a storage is touched, of what the steps themselves say.
template <int Capacity> struct Uses {
    int begin[Capacity + 1] = {}; ///< the first step that writes it; -1: an input; the count of steps: nobody
    int end[Capacity + 1] = {};   ///< the last step that reads or writes it; the count: needed at the end; -1: never

    constexpr explicit Uses(const Steps<Capacity>& net, bool keep_all) noexcept {
        for (int v = 0; v < net.storage_count; ++v) {
            begin[v] = v < net.input_count ? -1 : net.count;
            end[v] = keep_all ? net.count : -1;
        }
        for (int i = 0; i < net.output_count; ++i) end[net.outputs[i].view.storage] = net.count;
        for (int s = 0; s < net.count; ++s) {
            const Step& step = net.steps[s];
            if (begin[step.out.storage] > s) begin[step.out.storage] = s;
            for (const int v : {step.in.storage, step.other.storage, step.out.storage})
                if (v >= 0 && end[v] < s) end[v] = s;
        }
    }
};

/// Where a storage lies in the arena; empty where it does not.
template <int Capacity>
constexpr Range place_of(const Problem<Capacity>& p, const Plan<Capacity>& plan, int storage) noexcept {
    if (plan.storage[storage] == Plan<Capacity>::outside) return {};
    return {plan.storage[storage], plan.storage[storage] + p.net.storage[storage]};
}

/// Whether steps make sense by themselves: every element is written once, and before it is read.
template <int Capacity> constexpr PlanVerdict judge_steps(const Steps<Capacity>& net) noexcept {
    int latest[Capacity + 1] = {}, earlier[Capacity + 1] = {}; // by storage its last writer, by step the one before
    for (int& s : latest) s = -1;
    const auto complete = [&](int storage, const Area& area) {
        if (storage < 0 || storage >= net.storage_count || area.range().end > net.storage[storage])
            return PlanFault::view_outside;
        if (storage < net.input_count) return PlanFault::none;
        std::size_t made = 0;
        for (int w = latest[storage]; w >= 0; w = earlier[w]) made += shared(area, out_area(net.steps[w]));
        return made == area.elems() ? PlanFault::none : PlanFault::read_unwritten;
    };
    for (int s = 0; s < net.count; ++s) {
        const Step& step = net.steps[s];
        if (const PlanFault f = complete(step.in.storage, in_area(step)); f != PlanFault::none) return {f, s};
        const bool reads_two = step.op.add || step.op.kind == OpKind::mul;
        if (reads_two != (step.other.storage >= 0)) return {PlanFault::read_unwritten, s};
        if (reads_two)
            if (const PlanFault f = complete(step.other.storage, other_area(step)); f != PlanFault::none) return {f, s};
        const int out = step.out.storage;
        const Area made = out_area(step);
        if (out < 0 || out >= net.storage_count || made.range().end > net.storage[out])
            return {PlanFault::view_outside, s};
        if (out < net.input_count) return {PlanFault::written_twice, s};
        for (int w = latest[out]; w >= 0; w = earlier[w])
            if (shared(made, out_area(net.steps[w])) > 0) return {PlanFault::written_twice, s};
        earlier[s] = latest[out];
        latest[out] = s;
    }
    for (int i = 0; i < net.output_count; ++i) {
        const Port& port = net.outputs[i];
        if (const PlanFault f = complete(port.view.storage, area_of(port.view, port.extents, 0)); f != PlanFault::none)
            return {f, net.count};
    }
    return {};
}

/// Whether tasks cover the steps, and storages lie where they may.
template <int Capacity>
constexpr PlanVerdict judge_places(const Problem<Capacity>& p, const Plan<Capacity>& plan,
                                   const Uses<Capacity>& uses) noexcept {
    if (!plan.found) return {PlanFault::not_found, -1};
    const Steps<Capacity>& net = p.net;
    int next = 0;
    int rows_until[Capacity + 1] = {}; // by step that begins a task by rows: its last step
    int begin_of[Capacity + 1] = {};   // by step: the first of its task
    for (int t = 0; t < p.task_count; ++t) {
        const int first = p.tasks[t].first, last = p.tasks[t].last;
        if (first != next || last < first || last >= net.count || (!p.tasks[t].rows && first != last))
            return {PlanFault::tasks_broken, first};
        rows_until[first] = p.tasks[t].rows ? last : -1;
        for (next = first; next <= last; ++next) begin_of[next] = first;
    }
    if (next != net.count) return {PlanFault::tasks_broken, next};
    for (int v = 0; v < net.storage_count; ++v) {
        const bool caller_has_it = v < net.input_count && !p.owns_input;
        const Range place = place_of(p, plan, v);
        const int s = uses.begin[v] >= net.count ? -1 : uses.begin[v];
        if (place.empty()) {
            const bool may_be_ring = s >= 0 && uses.end[v] <= rows_until[begin_of[s]];
            if (!caller_has_it && !may_be_ring) return {PlanFault::misplaced, s};
            continue;
        }
        if (caller_has_it) return {PlanFault::misplaced, s};
        if (place.end > plan.arena_elems) return {PlanFault::outside_arena, s};
        if (place.begin % place_elems != 0) return {PlanFault::misaligned, s};
        for (int u = 0; u < v && v < net.input_count; ++u) // all of them are there at once
            if (place.hits(place_of(p, plan, u))) return {PlanFault::overwrites_value, -1};
    }
    return {};
}

/// Holds the storage that a task writes against all that somebody needs while it runs or after. `hazard`: called for
/// those that end in the task, which replays must look at.
template <int Capacity, class F>
constexpr PlanVerdict judge_output(const Problem<Capacity>& p, const Plan<Capacity>& plan, const Uses<Capacity>& uses,
                                   const Task& task, int step, const F& hazard) noexcept {
    const int out = p.net.steps[step].out.storage;
    if (uses.begin[out] < task.first) return {}; // was held against all older ones then; younger ones are against it
    const Range place = place_of(p, plan, out);
    for (int v = 0; v < p.net.storage_count; ++v) {
        if (v == out || uses.begin[v] > task.last || uses.end[v] < task.first) continue;
        if (!place.hits(place_of(p, plan, v))) continue;
        if (uses.end[v] > task.last || uses.begin[v] >= task.first) return {PlanFault::overwrites_value, step};
        hazard(v);
    }
    return {};
}

/// Rows of tiles that a convolution by tiles transforms together where it runs whole.
constexpr int tile_rows(const Op& op) noexcept {
    const int m = op.winograd, across = (op.out[1] + m - 1) / m, down = (op.out[0] + m - 1) / m;
    const long weights = long{m + 2} * (m + 2) * op.in.last() * op.out.last();
    const int tiles = weights > 2000000 ? 64 : weights > 120000 ? 24 : 14;
    int rows = 1;
    while (rows < down && rows * across < tiles) ++rows;
    int blocks = 1;
    while (blocks * rows < down) ++blocks;
    while ((rows - 1) * blocks >= down) --rows; // no more than as many blocks need
    return rows;
}
/// Its scratch: inputs and one panel of products, at each position of the tiles of so many rows.
constexpr std::size_t tile_scratch(const Op& op, int rows) noexcept {
    const int m = op.winograd, across = (op.out[1] + m - 1) / m;
    const long channels = (op.in.last() + 15) / 16 * 16, panel = op.out.last() <= 8 ? 8 : 16;
    return static_cast<std::size_t>(long{m + 2} * (m + 2) * (rows * across * (channels + panel) + 32));
}

/// Holds scratch, or a block of rings, against all that is touched while the task runs or needed after it.
template <int Capacity>
constexpr PlanVerdict judge_scratch(const Problem<Capacity>& p, const Plan<Capacity>& plan, const Uses<Capacity>& uses,
                                    const Task& task, int number, std::size_t wanted) noexcept {
    if (wanted == 0) return {};
    if (plan.scratch[number] == Plan<Capacity>::outside) return {PlanFault::scratch_missing, task.first};
    const Range scratch{plan.scratch[number], plan.scratch[number] + wanted};
    if (scratch.end > plan.arena_elems) return {PlanFault::outside_arena, task.first};
    if (scratch.begin % place_elems != 0) return {PlanFault::misaligned, task.first};
    for (int v = 0; v < p.net.storage_count; ++v)
        if (uses.begin[v] <= task.last && uses.end[v] >= task.first && scratch.hits(place_of(p, plan, v)))
            return {PlanFault::scratch_taken, task.first};
    return {};
}

} // namespace detail::judge
} // namespace tarn
