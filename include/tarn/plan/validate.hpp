// SPDX-License-Identifier: MIT
// Validate: judges a plan by replaying it, block by block, with no line in common with the planner.
// Beside planning: tests hold every plan to it, in static_asserts.
// Knows steps, plans and what kernels read and write in which order; not how places were found.
#pragma once

#include <tarn/plan/place.hpp>

namespace tarn {

/// Why a plan is refused, and at which step.
enum class PlanFault : int {
    none,
    not_found,        ///< the search gave up
    misplaced,        ///< a value that should be in the arena has no place, or a caller's value has one
    outside_arena,    ///< a value or scratch reaches past the arena's end
    misaligned,       ///< not on a cache line
    overwrites_value, ///< an output lands on a value somebody still needs
    overwrites_input, ///< an output overtakes the reads of its own step
    scratch_taken,    ///< scratch lies on the output or on a value alive
    scratch_missing,  ///< a staged step that needs scratch has none
    schedule_unknown, ///< staged, though the kernel has no such form; or downwards, though it only runs upwards
};

struct PlanVerdict {
    PlanFault fault = PlanFault::none;
    int step = -1;

    constexpr explicit operator bool() const noexcept { return fault == PlanFault::none; }
};

namespace detail::judge {

struct Range {
    std::size_t begin, end;

    constexpr bool hits(const Range& o) const noexcept { return begin < o.end && o.begin < end; }
};

/// Pixels of a step's output in the order its kernel writes them, in blocks: what each block reads and writes.
struct Replay {
    const Op& op;
    bool image;
    int in_w, out_w, out_h, in_c, out_c;
    int block; ///< pixels read before the first of them is written

    constexpr int blocks_per_row() const noexcept { return (out_w + block - 1) / block; }
    constexpr int blocks() const noexcept { return out_h * blocks_per_row(); }

    /// Input elements [begin, end) that block b reads, by trying every tap of its first and last pixel.
    constexpr Range reads(int b) const noexcept {
        const int y = b / blocks_per_row(), x0 = b % blocks_per_row() * block;
        const int x1 = (x0 + block < out_w ? x0 + block : out_w) - 1;
        const auto element = [&](int row, int column) {
            return (static_cast<std::size_t>(row) * static_cast<std::size_t>(in_w) + static_cast<std::size_t>(column)) *
                   static_cast<std::size_t>(in_c);
        };
        if (!image) return {element(0, x0), element(0, x1 + 1)};
        const Window& w = op.window;
        int top = -1, bottom = -1;
        for (int ty = 0; ty < w.kernel_h; ++ty) {
            const int row = y * w.stride_h + ty * w.dilation_h - w.pad_top;
            if (row < 0 || row >= op.in[0]) continue;
            if (top < 0) top = row;
            bottom = row;
        }
        // Within a row the leftmost tap inside the image is the lowest address, the rightmost the highest.
        int left = x0 * w.stride_w - w.pad_left;
        while (left < 0) ++left;
        int right = x1 * w.stride_w - w.pad_left + (w.kernel_w - 1) * w.dilation_w;
        while (right >= in_w) --right;
        if (top < 0 || left > right) return {0, 0};
        return {element(top, left), element(bottom, right + 1)};
    }
    constexpr Range writes(int b) const noexcept {
        const int y = b / blocks_per_row(), x0 = b % blocks_per_row() * block;
        const int x1 = x0 + block < out_w ? x0 + block : out_w;
        const std::size_t row = static_cast<std::size_t>(y) * static_cast<std::size_t>(out_w);
        return {(row + static_cast<std::size_t>(x0)) * static_cast<std::size_t>(out_c),
                (row + static_cast<std::size_t>(x1)) * static_cast<std::size_t>(out_c)};
    }
};

constexpr Replay replay_of(const Op& op, int block) noexcept {
    const bool dense_pixels = op.window == Window{};
    const bool image =
        (op.kind == OpKind::conv2d || op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d) && !dense_pixels;
    Replay r{op, image, 0, 0, 0, 0, 0, block};
    r.in_c = op.in.last();
    r.out_c = op.out.last();
    r.in_w = image ? op.in[1] : static_cast<int>(op.in.rows());
    r.out_w = image ? op.out[1] : static_cast<int>(op.out.rows());
    r.out_h = image ? op.out[0] : 1;
    return r;
}

constexpr Range hull(Range a, Range b) noexcept {
    if (a.begin >= a.end) return b;
    if (b.begin >= b.end) return a;
    return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

/// Replays a step whose output lies over its input: no write may touch what a later read wants. `sums_input`: the
/// epilogue adds the input itself, element by element.
constexpr bool keeps_ahead(const Op& op, const Footprint& kernel, Schedule schedule, std::size_t in, std::size_t out,
                           bool sums_input) noexcept {
    const bool weighted = op.kind == OpKind::linear || op.kind == OpKind::conv2d;
    const bool channelwise = !weighted || (op.groups == op.in.last() && op.groups == op.out.last() && op.groups > 1);
    // How a dense kernel cuts its rows differs between instruction sets: a block may begin at any pixel.
    const Replay r = replay_of(op, channelwise ? kernel.direct_pixels : 1);
    const int n = r.blocks();
    Range later{0, 0}; // what the blocks still to come read, from the last one back
    for (int i = n; i-- > 0;) {
        const int b = schedule.descending ? n - 1 - i : i;
        Range own = r.reads(b), writes = r.writes(b);
        if (sums_input) own = hull(own, writes);
        if (own.begin < own.end) own = {own.begin + in, own.end + in};
        if (!channelwise && !schedule.staged) {
            // All of a block's pixels get their first channels before the last channels are computed.
            const int row = b / r.out_w * r.out_w;
            const int far = schedule.descending ? b - kernel.direct_pixels + 1 : b + kernel.direct_pixels - 1;
            writes = hull(writes, r.writes(far < row ? row : far >= row + r.out_w ? row + r.out_w - 1 : far));
        }
        writes = {writes.begin + out, writes.end + out};
        if (channelwise) {
            // The kernel reads other channels after writing the first: its last write must not pass the first pixel
            // it reads (upwards), its first write not fall below the last one (downwards).
            const auto c = static_cast<std::size_t>(r.in_c);
            if (own.begin < own.end && writes.hits(own) &&
                (schedule.descending ? writes.begin + c < own.end : writes.end > own.begin + c))
                return false;
        } else if (!schedule.staged) {
            later = hull(later, own);
        }
        if (later.begin < later.end && writes.hits(later)) return false;
        later = hull(later, own);
    }
    return true;
}

} // namespace detail::judge

/// Judges a plan; the first fault found, with its step.
template <int Capacity>
constexpr PlanVerdict validate(const Problem<Capacity>& p, const Plan<Capacity>& plan) noexcept {
    using detail::judge::Range;
    if (!plan.found) return {PlanFault::not_found, -1};
    const Steps<Capacity>& net = p.net;
    for (int v = 0; v <= net.count; ++v) {
        const bool inside = v > 0 || p.owns_input;
        if (inside != (plan.value[v] != Plan<Capacity>::outside)) return {PlanFault::misplaced, v - 1};
        if (!inside) continue;
        if (plan.value[v] + net.elems(v) > plan.arena_elems) return {PlanFault::outside_arena, v - 1};
        if (plan.value[v] % place_elems != 0) return {PlanFault::misaligned, v - 1};
    }
    for (int s = 0; s < net.count; ++s) {
        const Step& step = net.steps[s];
        const Schedule schedule = plan.schedule[s];
        const bool weighted = step.op.kind == OpKind::linear || step.op.kind == OpKind::conv2d;
        const bool upward_only = !weighted && step.op.kind != OpKind::max_pool2d && step.op.kind != OpKind::avg_pool2d;
        const Range out{plan.value[s + 1], plan.value[s + 1] + step.op.out.elems()};
        const bool depthwise = weighted && step.op.groups > 1 && step.op.groups == step.op.in.last() &&
                               step.op.groups == step.op.out.last();
        if (schedule.staged && (!weighted || depthwise)) return {PlanFault::schedule_unknown, s};
        Range scratch{0, 0};
        if (schedule.staged) {
            const int outputs = step.op.out.last() / step.op.groups;
            const bool registers_hold_it = step.op.groups == 1 && outputs <= 16;
            const std::size_t width = step.op.kind == OpKind::conv2d && !(step.op.window == Window{})
                                          ? static_cast<std::size_t>(step.op.out[1])
                                          : step.op.out.rows();
            const std::size_t wanted =
                registers_hold_it ? 0 : (width < 12 ? width : 12) * static_cast<std::size_t>(step.op.out.last());
            if (wanted > 0) {
                if (plan.scratch[s] == Plan<Capacity>::outside) return {PlanFault::scratch_missing, s};
                scratch = {plan.scratch[s], plan.scratch[s] + wanted};
                if (scratch.end > plan.arena_elems) return {PlanFault::outside_arena, s};
                if (scratch.begin % place_elems != 0) return {PlanFault::misaligned, s};
                if (scratch.hits(out)) return {PlanFault::scratch_taken, s};
            }
        }
        for (int v = p.owns_input ? 0 : 1; v <= s; ++v) {
            // Needed: by this step, by a later one, or by the caller at the end.
            bool later = v == net.output || p.keep_all;
            for (int t = s + 1; t < net.count; ++t) later = later || net.steps[t].input == v || net.steps[t].other == v;
            const bool now = step.input == v || step.other == v;
            if (!later && !now) continue;
            const Range held{plan.value[v], plan.value[v] + net.elems(v)};
            if (scratch.begin < scratch.end && scratch.hits(held)) return {PlanFault::scratch_taken, s};
            if (!held.hits(out)) continue;
            if (later) return {PlanFault::overwrites_value, s};
            const bool aligned_sum = step.other == v && step.op.add && held.begin == out.begin && step.input != v;
            if (aligned_sum) continue;
            if (step.other == v && step.input != v) return {PlanFault::overwrites_input, s};
            if (upward_only && schedule.descending) return {PlanFault::schedule_unknown, s};
            if (step.op.kind == OpKind::flatten_pytorch) return {PlanFault::overwrites_input, s};
            if (upward_only ? held.begin < out.begin
                            : !detail::judge::keeps_ahead(step.op, p.footprint[s], schedule, held.begin, out.begin,
                                                          step.other == v))
                return {PlanFault::overwrites_input, s};
        }
    }
    return {};
}

} // namespace tarn
