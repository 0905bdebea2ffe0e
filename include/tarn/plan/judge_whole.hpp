// SPDX-License-Identifier: MIT
// Judge of steps that run whole: replays which elements a kernel reads and writes, block after block, where its output
// lies over an input.
// Under validate.hpp. Knows the order in which kernels work; not how places were found.
#pragma once

#include <tarn/plan/verdict.hpp>

namespace tarn::detail::judge {

constexpr bool is_depthwise(const Op& op) noexcept {
    return op.kind == OpKind::conv2d && op.groups > 1 && op.groups == op.in.last() && op.groups == op.out.last();
}
/// Kernels that make a block of pixels panel by panel: all of a block's inputs are read until the last panel is done.
constexpr bool is_blocked(const Op& op) noexcept {
    return op.kind == OpKind::linear || op.kind == OpKind::up_conv2d ||
           (op.kind == OpKind::conv2d && !is_depthwise(op));
}
constexpr bool has_stages(const Op& op) noexcept { return is_blocked(op) && op.kind != OpKind::up_conv2d; }
/// Kernels that read a few channels of some pixels, write the same channels, and go on to others.
constexpr bool is_channelwise(const Op& op) noexcept {
    return is_depthwise(op) || op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d ||
           op.kind == OpKind::upsample;
}
constexpr bool is_recurrent(const Op& op) noexcept { return op.kind == OpKind::gru || op.kind == OpKind::lstm; }
constexpr bool runs_down(const Op& op) noexcept { return is_blocked(op) || is_channelwise(op); }

/// Pixels of a step's output in the order its kernel writes them, in blocks: what each block reads and writes.
class PixelReplay {
  public:
    /// block: pixels read before the first of them is written.
    constexpr PixelReplay(const Op& op, int block) noexcept : op_(op), block_(block) {
        const Window& w = op.window;
        enlarges_ = op.kind == OpKind::up_conv2d || op.kind == OpKind::upsample;
        const bool windows =
            op.kind == OpKind::conv2d || op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d;
        if (enlarges_ || (windows && !(w == Window{}))) {
            in_w_ = op.in.rank > 2 ? op.in[1] : 1;
            out_w_ = op.out.rank > 2 ? op.out[1] : 1;
            out_h_ = op.out[0];
            windowed_ = !enlarges_;
        } else {
            in_w_ = static_cast<int>(op.in.rows());
            out_w_ = static_cast<int>(op.out.rows());
        }
    }
    constexpr int per_row() const noexcept { return (out_w_ + block_ - 1) / block_; }
    constexpr int count() const noexcept { return out_h_ * per_row(); }
    /// The last block of b's row that begins less than `pixels` pixels after it, or before; with more rows the last of
    /// so many rows from b's on.
    constexpr int along(int b, int pixels, int rows = 1) const noexcept {
        const int row = b / per_row() * per_row();
        if (rows > 1) {
            const int far = pixels > 0 ? row + rows * per_row() - 1 : row - (rows - 1) * per_row();
            return far < 0 ? 0 : far >= count() ? count() - 1 : far;
        }
        const int far = b + (pixels > 0 ? pixels - 1 : pixels + 1) / block_;
        return far < row ? row : far >= row + per_row() ? row + per_row() - 1 : far;
    }
    constexpr Range writes(int b) const noexcept {
        const int y = b / per_row(), x = b % per_row() * block_;
        const int end = x + block_ < out_w_ ? x + block_ : out_w_;
        return {pixel(y, x, out_w_, op_.out.last()), pixel(y, end, out_w_, op_.out.last())};
    }
    /// Input elements that block b reads, by trying every tap of its first and last pixel.
    constexpr Range reads(int b) const noexcept {
        const int y = b / per_row(), x0 = b % per_row() * block_;
        const int x1 = (x0 + block_ < out_w_ ? x0 + block_ : out_w_) - 1, c = op_.in.last();
        const Window& w = op_.window;
        if (enlarges_) {
            const int row = y / w.stride_h;
            return {pixel(row, x0 / w.stride_w, in_w_, c), pixel(row, x1 / w.stride_w + 1, in_w_, c)};
        }
        if (!windowed_) return {pixel(0, x0, in_w_, c), pixel(0, x1 + 1, in_w_, c)};
        int top = -1, bottom = -1;
        for (int tap = 0; tap < w.kernel_h; ++tap) {
            const int row = y * w.stride_h + tap * w.dilation_h - w.pad_top;
            if (row < 0 || row >= op_.in[0]) continue;
            if (top < 0) top = row;
            bottom = row;
        }
        // Within a row the leftmost tap inside the image is the lowest address, the rightmost the highest.
        int left = x0 * w.stride_w - w.pad_left;
        while (left < 0) ++left;
        int right = x1 * w.stride_w - w.pad_left + (w.kernel_w - 1) * w.dilation_w;
        while (right >= in_w_) --right;
        if (top < 0 || left > right) return {};
        return {pixel(top, left, in_w_, c), pixel(bottom, right + 1, in_w_, c)};
    }

  private:
    static constexpr std::size_t pixel(int row, int column, int width, int channels) noexcept {
        return (static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)) *
               static_cast<std::size_t>(channels);
    }

    const Op& op_;
    int block_, in_w_ = 1, out_w_ = 1, out_h_ = 1;
    bool windowed_ = false, enlarges_ = false;
};

/// Pixels that a channelwise kernel works on at once.
constexpr int pass_of(const Op& op) noexcept {
    return is_depthwise(op) ? 4 : op.kind == OpKind::upsample ? op.window.stride_w : 1;
}

/// Whether no write touches what a later read wants: of the input (`sums` false), or of the second input, which is read
/// where the output is written. Addresses of the first element that each view has.
constexpr bool keeps_ahead(const Op& op, const Footprint& kernel, Schedule schedule, bool sums, std::size_t in,
                           std::size_t out) noexcept {
    // How a blocked kernel cuts its rows differs between instruction sets: a block may begin at any pixel.
    const PixelReplay r(op, is_channelwise(op) ? pass_of(op) : 1);
    const bool blocked = is_blocked(op);
    const auto channels = static_cast<std::size_t>(sums ? op.out.last() : op.in.last());
    const int n = r.count();
    Range later; // what the blocks still to come read, from the last one back
    for (int i = n; i-- > 0;) {
        const int b = schedule.descending ? n - 1 - i : i;
        const Range own = moved(sums ? r.writes(b) : r.reads(b), in);
        Range writes = r.writes(b);
        if (blocked && !schedule.staged) {
            // All of a block's pixels get their first channels before the last channels are computed.
            const int pixels = schedule.descending ? -kernel.direct_pixels : kernel.direct_pixels;
            writes = hull(writes, r.writes(r.along(b, pixels, kernel.direct_rows)));
            later = hull(later, own);
        }
        writes = moved(writes, out);
        if (sums && blocked && schedule.descending) {
            // Within a tile pixels are added and written upwards all the same.
            const int far = schedule.staged ? r.along(b, kernel.staged_pixels, kernel.staged_rows)
                                            : r.along(b, kernel.direct_pixels, kernel.direct_rows);
            if (far > b && moved(r.writes(b), out).hits(moved({r.writes(b + 1).begin, r.writes(far).end}, in)))
                return false;
        }
        // Other channels are read after the first are written: upwards the last pixel written must not pass the first
        // one read, downwards the first one written not fall below the last one read.
        if (is_channelwise(op) && writes.hits(own) &&
            (schedule.descending ? writes.begin + channels < own.end : writes.end > own.begin + channels))
            return false;
        if (writes.hits(later)) return false;
        later = hull(later, own);
    }
    return true;
}

/// Scratch that a kernel wants, in elements.
constexpr std::size_t scratch_of(const Op& op, bool staged) noexcept {
    const auto panels_of = [](int outputs) { // rounded up to whole panels
        const int panel = outputs <= 8 ? 8 : 16;
        return static_cast<std::size_t>((outputs + panel - 1) / panel * panel);
    };
    if (op.kind == OpKind::lstm) return 3 * panels_of(op.out.last());
    if (op.kind == OpKind::gru) return 2 * panels_of(op.out.last());
    if (op.winograd > 0) return tile_scratch(op, tile_rows(op));
    if (!staged || (op.groups == 1 && op.out.last() <= 16)) return 0; // or registers hold it
    const bool image = op.kind == OpKind::conv2d && !(op.window == Window{});
    const std::size_t width = !image ? op.out.rows() : op.out.rank > 2 ? static_cast<std::size_t>(op.out[1]) : 1;
    const bool small = op.out.rows() <= 400 && op.out.last() / op.groups > 8;
    const long weights =
        long{op.in.last()} / op.groups * op.out.last() * (image ? long{op.window.kernel_h} * op.window.kernel_w : 1);
    const std::size_t most = small ? 6 : weights > 32768 ? 32 : 12;
    const std::size_t rows = !small && weights > 1000000 && width <= most && op.out.rows() > width ? 2 : 1;
    return (width < most ? width : most) * rows * static_cast<std::size_t>(op.out.last());
}

/// Whether a copy that moves pixels apart, upwards, writes nothing that it still has to read.
constexpr bool spreads(const Step& step, std::size_t in, std::size_t out) noexcept {
    const Area made = out_area(step);
    const std::size_t channels = made.width, count = made.stretches;
    for (std::size_t p = 0; p < count; ++p) {
        const std::size_t from = in + p * channels, to = out + p * made.pitch;
        const Range writes{to, to + channels};
        if (writes.hits({from + channels, in + count * channels})) return false;
        if (to > from && writes.hits({from, from + channels})) return false;
    }
    return true;
}

/// Judges task `number`, one step run whole.
template <int Capacity>
constexpr PlanVerdict judge_whole(const Problem<Capacity>& p, const Plan<Capacity>& plan, const Uses<Capacity>& uses,
                                  int number) noexcept {
    const Task& task = p.tasks[number];
    const int s = task.first;
    const Step& step = p.net.steps[s];
    const Op& op = step.op;
    const Schedule schedule = plan.schedule[number];
    if (schedule.staged && !has_stages(op)) return {PlanFault::schedule_unknown, s};
    bool over_in = false, over_other = false;
    if (const PlanVerdict v = judge_output(p, plan, uses, task, s,
                                           [&](int storage) {
                                               over_in = over_in || storage == step.in.storage;
                                               over_other = over_other || storage == step.other.storage;
                                           });
        !v)
        return v;
    if (const PlanVerdict v = judge_scratch(p, plan, uses, task, number, scratch_of(op, schedule.staged)); !v) return v;
    if (!over_in && !over_other) return {};

    const PlanVerdict overtakes{PlanFault::overwrites_input, s};
    const Range made = moved(out_area(step).range(), plan.storage[step.out.storage]);
    const std::size_t out = plan.storage[step.out.storage] + step.out.offset;
    const auto address = [&](const View& view) { return plan.storage[view.storage] + view.offset; };
    const bool pitched =
        in_area(step).stretches > 1 || out_area(step).stretches > 1 || (step.other && other_area(step).stretches > 1);
    if (pitched && !over_other && op.kind == OpKind::copy && in_area(step).stretches == 1)
        return spreads(step, address(step.in), out) ? PlanVerdict{} : overtakes;
    if (pitched) return overtakes; // no kernel says that it may
    if (schedule.descending && !runs_down(op)) return {PlanFault::schedule_unknown, s};
    if (over_other) {
        const std::size_t other = address(step.other);
        const Range there = moved(other_area(step).range(), plan.storage[step.other.storage]);
        const bool shares = step.other.storage == step.in.storage;
        if (op.broadcast) {
            if (there.hits(made)) return overtakes;
        } else if (other != out && there.hits(made)) {
            if (!shares) return overtakes;
            if (runs_down(op) ? !keeps_ahead(op, p.footprint[s], schedule, true, other, out) : other < out)
                return overtakes;
        }
    }
    if (over_in && moved(in_area(step).range(), plan.storage[step.in.storage]).hits(made)) {
        const std::size_t in = address(step.in);
        if (op.kind == OpKind::flatten_pytorch) return overtakes;
        if (runs_down(op) || is_recurrent(op) ? !keeps_ahead(op, p.footprint[s], schedule, false, in, out) : in < out)
            return overtakes;
    }
    return {};
}

} // namespace tarn::detail::judge
