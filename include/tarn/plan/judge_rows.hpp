// SPDX-License-Identifier: MIT
// Judge of segments: executes a task by rows as run/rows.hpp documents it, on memory that remembers which row of which
// step every slot of every ring holds.
// Under validate.hpp. Knows the order of execution; not how rings and places were found.
#pragma once

#include <tarn/plan/verdict.hpp>

namespace tarn::detail::judge {

constexpr int rows_of(const Extents& e) noexcept { return e.rank == 2 || e.rank == 3 ? e[0] : 1; }

/// Rows of the input, in the image, that an output row is made from: every `step`th of [begin, end).
struct RowReads {
    int begin = 0, end = 0, step = 1;
};
constexpr RowReads reads_of(const Op& op, int row) noexcept {
    const Window& w = op.window;
    if (op.kind == OpKind::up_conv2d || op.kind == OpKind::upsample) {
        const int from = row / w.stride_h;
        return {from, from + 1, 1};
    }
    if (op.kind != OpKind::conv2d && op.kind != OpKind::max_pool2d && op.kind != OpKind::avg_pool2d)
        return {row, row + 1, 1};
    RowReads reads{row * w.stride_h - w.pad_top, 0, w.dilation_h};
    reads.end = reads.begin + (w.kernel_h - 1) * w.dilation_h + 1;
    while (reads.begin < 0) reads.begin += w.dilation_h;
    const int height = rows_of(op.in);
    if (reads.end > height) reads.end = height;
    if (reads.begin >= reads.end) reads.begin = reads.end = 0;
    return reads;
}
/// Pools that begin their output row first and add input rows to it one after another.
constexpr bool adds_up(const Op& op) noexcept {
    return (op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d) && op.window.pad_top == 0 &&
           (op.window.stride_h >= op.window.kernel_h || rows_of(op.out) == 1);
}

template <int Capacity> class RowJudge {
  public:
    /// needs: null, or the network's first input comes row by row into a ring, and so many rows of it must have come
    /// before each row of the driver.
    constexpr RowJudge(const Problem<Capacity>& p, const Plan<Capacity>& plan, const Uses<Capacity>& uses, int number,
                       const Links& links, const SegmentFacts& facts, const int* needs) noexcept
        : p_(p), plan_(plan), uses_(uses), task_(p.tasks[number]), number_(number), links_(links), facts_(facts),
          needs_(needs) {}

    constexpr PlanVerdict verdict() noexcept {
        if (plan_.schedule[number_].staged) return {PlanFault::schedule_unknown, task_.first};
        if (links_.first != task_.first || links_.count != task_.last - task_.first + 1 || links_.count > max_segment)
            return {PlanFault::tasks_broken, task_.first};
        for (int i = 0; i < links_.count && !verdict_found(); ++i) look_at(i);
        const bool known = needs_ == nullptr || ring_number(0) >= 0;
        if (!known) refuse(PlanFault::misplaced, 0); // nowhere to push to
        if (!verdict_found()) rings();
        if (!verdict_found()) outputs();
        if (!verdict_found()) execute();
        return found_;
    }

  private:
    /// How a step sees the rows of a storage.
    struct Seen {
        int storage = -1;
        int ring = -1; ///< of facts, -1: the storage lies whole
        int rows = 0;
        std::size_t stride = 0, base = 0; ///< base: address of row 0, or of slot 0
        Area row{};                       ///< of one row, from its base
        unsigned makers = 0;              ///< steps of the segment that write some of these elements
        int hazard = -1;                  ///< its number among the storages that an output lies over
    };

    constexpr bool verdict_found() const noexcept { return found_.fault != PlanFault::none; }
    constexpr void refuse(PlanFault fault, int i) noexcept {
        if (!verdict_found()) found_ = {fault, task_.first + i};
    }
    constexpr const Step& step(int i) const noexcept { return p_.net.steps[task_.first + i]; }

    constexpr int ring_number(int storage) const noexcept {
        int k = facts_.rings - 1;
        while (k >= 0 && facts_.storage[k] != storage) --k;
        return k;
    }
    constexpr Seen seen_as(const View& view, const Extents& e, int pitch, int i) noexcept {
        Seen seen;
        const auto width = static_cast<std::size_t>(e.last());
        seen.storage = view.storage;
        seen.rows = rows_of(e);
        const std::size_t pixels = e.elems() / width / static_cast<std::size_t>(seen.rows);
        seen.row = area_of(0, pixels, width, pitch);
        seen.stride = pixels * (pitch > 0 ? static_cast<std::size_t>(pitch) : width);
        seen.ring = ring_number(view.storage);
        if (seen.ring >= 0) {
            if (view.offset + seen.row.range().end > seen.stride) refuse(PlanFault::rows_differ, i);
            seen.base = plan_.scratch[number_] + facts_.ring_at[seen.ring] + view.offset;
        } else if (plan_.storage[view.storage] != Plan<Capacity>::outside) {
            seen.base = plan_.storage[view.storage] + view.offset;
        } else if (!(p_.net.is_input(view.storage) && !p_.owns_input)) {
            refuse(PlanFault::misplaced, i);
        }
        return seen;
    }

    constexpr void look_at(int i) noexcept {
        const Step& s = step(i);
        const Op& op = s.op;
        const bool rows_alone = op.kind != OpKind::flatten_pytorch && op.kind != OpKind::gru &&
                                op.kind != OpKind::lstm && op.in.rank <= 3 && op.out.rank <= 3;
        if (!rows_alone) return refuse(PlanFault::schedule_unknown, i);
        out_[i] = seen_as(s.out, op.out, op.out_pitch, i);
        in_[i] = seen_as(s.in, op.in, op.in_pitch, i);
        find_makers(in_[i], s.in, i);
        if (s.other) {
            const Extents pixel = extents_of(1, 1, op.out.last());
            other_[i] = op.broadcast ? seen_as(s.other, pixel, 0, i) : seen_as(s.other, op.out, op.other_pitch, i);
            find_makers(other_[i], s.other, i);
        }
    }
    constexpr void find_makers(Seen& seen, const View& view, int reader) noexcept {
        for (int m = 0; m < links_.count; ++m) {
            const Seen& made = out_[m];
            if (m >= reader || made.storage != seen.storage) continue;
            const std::size_t made_at = step(m).out.offset;
            // Rows of one number must be the same stretch of the storage to both.
            if (made.rows != seen.rows || made.stride != seen.stride || made_at >= made.stride ||
                view.offset >= made.stride)
                return refuse(PlanFault::rows_differ, reader);
            Area a = made.row, b = seen.row;
            a.begin += made_at;
            b.begin += view.offset;
            if (shared(a, b) > 0) seen.makers |= 1U << m;
        }
    }

    /// Rings lie apart from each other and from everything else, and nobody outside of the task knows them.
    constexpr void rings() noexcept {
        std::size_t wanted = 0;
        Range places[2 * max_segment];
        for (int k = 0; k < facts_.rings; ++k) {
            const int v = facts_.storage[k];
            const bool begins = uses_.begin[v] >= task_.first || is_pushed(v);
            if (!begins || uses_.end[v] > task_.last) return refuse(PlanFault::ring_outlived, 0);
            if (facts_.ring_rows[k] < 1) return refuse(PlanFault::ring_taken, 0);
            std::size_t stride = is_pushed(v) ? p_.net.storage[v] / static_cast<std::size_t>(pushed_rows()) : 0;
            for (int i = 0; i < links_.count; ++i) {
                for (const Seen* seen : {&in_[i], &other_[i], &out_[i]}) {
                    if (seen->storage != v) continue;
                    if (stride > 0 && seen->stride != stride) return refuse(PlanFault::rows_differ, i);
                    stride = seen->stride;
                }
            }
            const std::size_t size = stride * static_cast<std::size_t>(facts_.ring_rows[k]);
            places[k] = {facts_.ring_at[k], facts_.ring_at[k] + size};
            for (int other = 0; other < k; ++other)
                if (places[k].hits(places[other])) return refuse(PlanFault::ring_taken, 0);
            if (places[k].end > wanted) wanted = places[k].end;
        }
        for (int i = 0; i < links_.count; ++i) {
            if (step(i).op.winograd == 0) continue;
            const Range scratch{facts_.scratch_at, facts_.scratch_at + tile_scratch(step(i).op, 1)};
            for (int k = 0; k < facts_.rings; ++k)
                if (places[k].hits(scratch)) return refuse(PlanFault::ring_taken, i);
            if (scratch.end > wanted) wanted = scratch.end;
        }
        if (const PlanVerdict v = judge_scratch(p_, plan_, uses_, task_, number_, wanted); !v) found_ = v;
    }

    /// Outputs that lie whole: over nothing that stays; what they lie over and ends here is watched.
    constexpr void outputs() noexcept {
        for (int i = 0; i < links_.count && !verdict_found(); ++i) {
            if (out_[i].ring >= 0) continue;
            const PlanVerdict v = judge_output(p_, plan_, uses_, task_, task_.first + i, [&](int storage) {
                int h = 0;
                while (h < hazards_ && hazard_[h] != storage) ++h;
                if (h == hazards_) hazard_[hazards_++] = storage;
                over_[i] |= 1U << h;
            });
            if (!v) found_ = v;
        }
        for (int i = 0; i < links_.count; ++i)
            for (Seen* seen : {&in_[i], &other_[i], &out_[i]})
                for (int h = 0; h < hazards_; ++h)
                    if (hazard_[h] == seen->storage) seen->hazard = h;
    }

    constexpr bool is_pushed(int storage) const noexcept { return needs_ != nullptr && storage == 0; }
    constexpr int pushed_rows() const noexcept { return rows_of(p_.net.inputs[0].extents); }

    constexpr void execute() noexcept {
        const int rows = out_[links_.driver].rows;
        int row = 0;
        for (int pushes = needs_ != nullptr ? pushed_rows() : 0; come_ < pushes && !verdict_found();) {
            ++come_;
            while (row < rows && needs_[row] < come_ && !verdict_found()) advance(row++);
        }
        while (needs_ == nullptr && row < rows && !verdict_found()) advance(row++);
        for (int i = 0; i < links_.count && !verdict_found(); ++i) {
            if (out_[i].ring >= 0) continue;
            ensure(i, out_[i].rows - 1);
            if (made_[i] != out_[i].rows) refuse(PlanFault::row_unmade, i);
        }
    }
    /// A row of the driver; other sinks come along in proportion.
    constexpr void advance(int row) noexcept {
        const int driver = links_.driver;
        ensure(driver, row);
        for (int i = 0; i < links_.count; ++i)
            if ((links_.sinks >> i & 1U) != 0 && i != driver)
                ensure(i, (row + 1) * out_[i].rows / out_[driver].rows - 1);
    }
    constexpr void ensure(int i, int row) noexcept {
        while (made_[i] <= row && !verdict_found()) {
            if (made_[i] >= out_[i].rows) return refuse(PlanFault::row_unmade, i);
            produce(i);
        }
    }
    constexpr void ensure_all(unsigned steps, int row) noexcept {
        for (int m = 0; steps >> m != 0; ++m)
            if ((steps >> m & 1U) != 0) ensure(m, row);
    }
    // Rows are counted as they come: from the first of the image on, or from the last one back.
    constexpr int turned(int row, int rows) const noexcept {
        return plan_.schedule[number_].descending ? rows - 1 - row : row;
    }

    /// One maker makes all the rows at once; several go in step with each other.
    constexpr void ensure_rows(unsigned steps, int begin, int end) noexcept {
        if ((steps & (steps - 1)) == 0)
            ensure_all(steps, end - 1);
        else
            for (int row = begin; row < end; ++row) ensure_all(steps, row);
    }

    /// The rows of a tile, as many as lie in the image: all inputs are read first, a second input element by element.
    constexpr void produce_tile(int i) noexcept {
        const Op& op = step(i).op;
        const int m = op.winograd, rows = out_[i].rows, height = in_[i].rows, row = made_[i];
        const int top = turned(row, rows) / m * m, bottom = top + m < rows ? top + m : rows;
        const int end = row + bottom - top;
        if (turned(row, rows) != (plan_.schedule[number_].descending ? bottom - 1 : top))
            return refuse(PlanFault::row_missing, i); // begun inside a tile
        RowReads reads;
        for (int y = top; y < bottom; ++y) {
            const RowReads own = reads_of(op, y);
            if (own.begin >= own.end) continue;
            if (reads.begin >= reads.end || own.begin < reads.begin) reads.begin = own.begin;
            if (own.end > reads.end) reads.end = own.end;
        }
        if (reads.begin < reads.end) {
            const int a = turned(reads.begin, height), b = turned(reads.end - 1, height);
            ensure_rows(links_.in_from[i], a < b ? a : b, (a < b ? b : a) + 1);
        }
        if (other_[i].storage >= 0) ensure_all(links_.other_from[i], end - 1);
        if (verdict_found()) return;
        for (int r = reads.begin; r < reads.end; ++r) read(in_[i], turned(r, height), i);
        for (int a = row; a < end && other_[i].storage >= 0; ++a) {
            read(other_[i], a, i);
            for (int b = row; b < end; ++b)
                if (over_[i] != 0 && !may_lie_over(i, other_[i], a, b, a == b)) refuse(PlanFault::overwrites_input, i);
        }
        if (out_[i].ring >= 0 && facts_.ring_rows[out_[i].ring] < end - row) refuse(PlanFault::row_lost, i);
        for (int r = row; r < end; ++r) write(i, r);
        made_[i] = end;
    }

    constexpr void produce(int i) noexcept {
        if (step(i).op.winograd > 0) return produce_tile(i);
        const Op& op = step(i).op;
        const int row = made_[i], height = in_[i].rows;
        const RowReads reads = reads_of(op, turned(row, out_[i].rows));
        int last = reads.begin;
        while (last + reads.step < reads.end) last += reads.step;
        if (adds_up(op)) {
            write(i, row);
            for (int r = reads.begin; r < reads.end; r += reads.step) {
                const int comes = turned(r, height);
                ensure_rows(links_.in_from[i], comes, comes + 1);
                read(in_[i], comes, i);
            }
        } else {
            const int other_row = op.broadcast ? 0 : row;
            const int one_end = turned(reads.begin, height), other_end = turned(last, height);
            if (reads.begin < reads.end)
                ensure_rows(links_.in_from[i], one_end < other_end ? one_end : other_end,
                            (one_end < other_end ? other_end : one_end) + 1);
            if (other_[i].storage >= 0) ensure_all(links_.other_from[i], other_row);
            if (verdict_found()) return;
            for (int r = reads.begin; r < reads.end; r += reads.step) {
                read(in_[i], turned(r, height), i);
                if (over_[i] != 0 && !may_lie_over(i, in_[i], turned(r, height), row, takes_input_row(op)))
                    refuse(PlanFault::overwrites_input, i);
            }
            if (other_[i].storage >= 0) {
                read(other_[i], other_row, i);
                if (over_[i] != 0 && !may_lie_over(i, other_[i], other_row, row, !op.broadcast))
                    refuse(PlanFault::overwrites_input, i);
            }
            write(i, row);
        }
        made_[i] = row + 1;
    }
    static constexpr bool takes_input_row(const Op& op) noexcept {
        return op.kind == OpKind::activation || op.kind == OpKind::batch_norm || op.kind == OpKind::softmax ||
               op.kind == OpKind::layer_norm || op.kind == OpKind::add || op.kind == OpKind::mul ||
               op.kind == OpKind::copy;
    }

    /// Of a storage that lies whole.
    constexpr Range row_range(const Seen& seen, int row) const noexcept {
        const auto place = static_cast<std::size_t>(turned(row, seen.rows));
        return moved(seen.row.range(), seen.base + seen.stride * place);
    }
    /// Whether a step may write its row while it reads that one: apart, or the very same elements where it says so.
    constexpr bool may_lie_over(int i, const Seen& in, int in_row, int row, bool same_is_fine) const noexcept {
        if (in.hazard < 0) return true;
        const Range read = row_range(in, in_row), written = row_range(out_[i], row);
        if (!read.hits(written)) return true;
        return same_is_fine && in.row.stretches == 1 && out_[i].row.stretches == 1 && read.begin == written.begin &&
               read.end == written.end;
    }

    /// A row begins to be written: whatever its slot held is gone.
    constexpr void write(int i, int row) noexcept {
        begun_[i] = row + 1;
        if (out_[i].hazard >= 0 && row_range(out_[i], row).hits(lost_[out_[i].hazard]))
            refuse(PlanFault::overwrites_value, i);
        for (int h = 0; over_[i] >> h != 0; ++h) {
            if ((over_[i] >> h & 1U) == 0) continue;
            lost_[h] = hull(lost_[h], both(row_range(out_[i], row), place_of(p_, plan_, hazard_[h])));
        }
    }
    constexpr void read(const Seen& seen, int row, int i) noexcept {
        if (is_pushed(seen.storage)) {
            if (row >= come_) return refuse(PlanFault::row_missing, i);
            if (row + facts_.ring_rows[seen.ring] < come_) return refuse(PlanFault::row_lost, i);
        }
        for (int m = 0; seen.makers >> m != 0; ++m) {
            if ((seen.makers >> m & 1U) == 0) continue;
            if (made_[m] <= row) return refuse(PlanFault::row_missing, i);
            if (seen.ring >= 0 && row + facts_.ring_rows[seen.ring] < begun_[m]) return refuse(PlanFault::row_lost, i);
        }
        if (seen.hazard >= 0 && row_range(seen, row).hits(lost_[seen.hazard])) refuse(PlanFault::overwrites_input, i);
    }

    const Problem<Capacity>& p_;
    const Plan<Capacity>& plan_;
    const Uses<Capacity>& uses_;
    const Task& task_;
    int number_;
    const Links& links_;
    const SegmentFacts& facts_;
    const int* needs_;
    int come_ = 0; // rows of the input that were pushed
    PlanVerdict found_{};
    Seen in_[max_segment]{}, other_[max_segment]{}, out_[max_segment]{};
    int made_[max_segment] = {};       // rows complete, by step
    int begun_[max_segment] = {};      // rows begun
    unsigned over_[max_segment] = {};  // hazards that a step's output lies over
    int hazard_[2 * max_segment] = {}; // storages that end here and lie under an output
    Range lost_[2 * max_segment]{};    // of each, what has been written over
    int hazards_ = 0;
};

} // namespace tarn::detail::judge
