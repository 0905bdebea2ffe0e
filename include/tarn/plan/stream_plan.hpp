// SPDX-License-Identifier: MIT
// Stream plan: a network on an endless time axis: when each step runs, which rows are kept from frame to frame and
// where. After fuse, beside the plan of a whole input; run/stream.hpp executes it. Knows Ops and timings; nothing of
// kernels' code.
#pragma once

#include <tarn/plan/segment.hpp>
#include <tarn/plan/timing.hpp>

namespace tarn {

/// Why a network cannot run frame by frame.
enum class StreamRule : int {
    none,
    inputs,   ///< more than one input
    frames,   ///< the input has no time axis
    across,   ///< frames become another axis: flatten, reshape or concat over time
    future,   ///< padding behind
    early,    ///< more padding before than the window reaches
    all_time, ///< one result for the whole input
    rates,    ///< values of different rates are joined
    period,   ///< more rows or rates than Timing and the plan hold
};

/// How the rows of a storage are kept.
enum class Keep : int {
    callers, ///< the pushed frame, read where it is
    passing, ///< rows of this frame only, in scratch
    ring,    ///< rows that wait for later frames
};

struct StreamStorage {
    Keep keep = Keep::passing;
    int rows = 1;       ///< that it has room for
    int stride = 1;     ///< floats from one to the next
    std::size_t at = 0; ///< floats from the beginning of the memory, or of scratch
    int clock = -1;     ///< of the first writer; -1: every access has a place of its own
    int head = -1;      ///< ring: the counter of the latest row's place; -1 where there is one row
    int writer = -1;    ///< the step that moves the head; -1: the input's push
};

/// Positions are counters: -1 where none is needed.
struct StreamStep {
    int clock = 0;      ///< when it runs: as its rows are made, or, if it gathers or enlarges, as its input's rows come
    int out_clock = -1; ///< as its rows are made; -1: it gathers
    bool gathers = false;                                ///< a pool that takes each input row as it comes
    int in_place = -1, other_place = -1, out_place = -1; ///< a place apart from the head's
    int padding = -1;                                    ///< rows of the next window that lie before the first frame
    int taken = -1;                                      ///< gathers: rows of the window so far
    std::size_t memory = 0;                              ///< recurrent state: floats from the beginning of the memory
    std::size_t scratch = 0;                             ///< recurrent scratch
};

struct StreamOutput {
    int clock = 0;
    int place = -1;
    int copied_at = -1; ///< scratch where several rows of a ring are laid side by side
};

struct StreamClock {
    Timing timing{};
    int wait = -1, next = -1; ///< counters: frames until the next row, and its number in the period
};

/// Everything that is known before the first frame. Room: steps, storages.
template <int Room> struct StreamPlan {
    static constexpr int max_counters = 8 * Room + 80, max_clocks = 32;

    StreamRule rule = StreamRule::none;
    int fault_node = -1; ///< the layer that breaks it
    Extents found{};

    StreamStorage storage[Room + 1]{};
    StreamStep steps[Room > 0 ? Room : 1]{};
    StreamOutput outputs[Nodes<1>::max_outputs]{};
    StreamClock clocks[max_clocks]{};
    int clock_count = 0;
    int start[max_counters] = {}; ///< the counters before the first frame
    int counter_count = 0;
    std::size_t memory_elems = 0, scratch_elems = 0;
    std::size_t recurrent_elems = 0; ///< recurrent state, at the beginning of the memory
    int receptive_field = 1;
    int recurrent_count = 0;
};

namespace detail {

/// What a recurrent step keeps and borrows, in floats; nothing for others.
struct RecurrentNeeds {
    std::size_t state = 0, scratch = 0;
};

/// A pool whose windows share no row: each row goes into its result as it comes.
constexpr bool gathers(const Op& op) noexcept {
    return (op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d) && op.window.pad_top == 0 &&
           op.window.kernel_h > 1 && op.window.stride_h >= op.window.kernel_h;
}

template <int Room> class StreamPlanner {
  public:
    constexpr StreamPlanner(const Steps<Room>& net, const RecurrentNeeds* needs) noexcept : net_(net), needs_(needs) {
        for (int& w : writers_) w = -1;
        plan();
    }
    constexpr const StreamPlan<Room>& result() const noexcept { return plan_; }

  private:
    /// Rows of a storage that somebody asks for: row y reads rows y * stride + first to y * stride + last.
    struct Read {
        int storage = 0;
        int clock = 0;
        int stride = 1, first = 0, last = 0;
        int older = -1; ///< the storage's read before
    };

    constexpr void plan() noexcept {
        const Extents in = net_.inputs[0].extents;
        if (net_.input_count != 1) return fail(StreamRule::inputs, -1, extents_of(net_.input_count));
        if (in.rank != 2 && in.rank != 3) return fail(StreamRule::frames, -1, in);
        plan_.clocks[plan_.clock_count++].timing = Timing{};
        writes(-1, Timing{}, 0, row_view(net_.inputs[0].view, in, 0));
        for (int s = 0; s < net_.count && plan_.rule == StreamRule::none; ++s) take(s);
        for (int o = 0; o < net_.output_count && plan_.rule == StreamRule::none; ++o) take_output(o);
        if (plan_.rule == StreamRule::none) settle();
    }
    constexpr void fail(StreamRule rule, int step, Extents found) noexcept {
        if (plan_.rule != StreamRule::none) return;
        plan_.rule = rule;
        plan_.found = found;
        plan_.fault_node = step >= 0 ? net_.steps[step].first_node : -1;
    }
    constexpr int clock_of(const Timing& made) noexcept {
        const Timing timing = moments(made);
        for (int c = 0; c < plan_.clock_count; ++c)
            if (plan_.clocks[c].timing == timing) return c;
        if (plan_.clock_count == plan_.max_clocks) {
            fail(StreamRule::period, net_.count - 1, Extents{});
            return 0;
        }
        plan_.clocks[plan_.clock_count].timing = timing;
        return plan_.clock_count++;
    }
    constexpr const Timing& timing(int clock) const noexcept { return plan_.clocks[clock].timing; }

    /// Step -1: the input. begun: when it begins to write rows; clock: -1 where they are not made at once.
    constexpr void writes(int step, const Timing& begun, int clock, const RowView& rows) noexcept {
        const int v = rows.storage, w = step + 1;
        begun_[w] = begun;
        clocks_[w] = clock;
        wrote_[w] = rows;
        older_[w] = writers_[v];
        if (writers_[v] < 0) {
            plan_.storage[v].stride = static_cast<int>(rows.stride);
            plan_.storage[v].clock = clock;
            plan_.storage[v].writer = step;
            seen_rows_[v] = rows.rows;
            reads_of_[v] = -1;
        } else if (!fits(rows)) {
            return fail(StreamRule::across, step, net_.steps[step].op.out);
        } else if (Timing both = made_[writers_[v]]; !join(both, made_[w])) {
            return fail(StreamRule::rates, step, net_.steps[step].op.out);
        }
        writers_[v] = w;
    }
    constexpr bool fits(const RowView& rows) const noexcept {
        return rows.rows == seen_rows_[rows.storage] && rows.offset < rows.stride &&
               static_cast<int>(rows.stride) == plan_.storage[rows.storage].stride;
    }

    /// When the rows of a view are there. `step`: who asks; the count of steps for the caller.
    constexpr Timing arrival(const RowView& rows, int step, const Extents& seen) noexcept {
        Timing all;
        bool any = false;
        if (!fits(rows)) {
            fail(StreamRule::across, step < net_.count ? step : net_.count - 1, seen);
            return all;
        }
        for (int w = writers_[rows.storage]; w >= 0; w = older_[w]) {
            if (!overlaps(wrote_[w], rows)) continue;
            if (!any)
                all = made_[w];
            else if (!join(all, made_[w]))
                fail(StreamRule::rates, step, seen);
            any = true;
        }
        return all;
    }
    constexpr int reads(int storage, int clock, int stride, int first, int last) noexcept {
        reads_[read_count_] = {storage, clock, stride, first, last, reads_of_[storage]};
        reads_of_[storage] = read_count_;
        return read_count_++;
    }

    constexpr void take(int s) noexcept {
        const Step& step = net_.steps[s];
        const Op& op = step.op;
        if (op.kind == OpKind::flatten_pytorch) return fail(StreamRule::across, s, op.in);
        const RowView in_view = in_rows(step);
        const Timing in = arrival(in_view, s, op.in);
        if (plan_.rule != StreamRule::none) return;
        StreamStep& to = plan_.steps[s];
        to.gathers = gathers(op);
        const bool with_input = to.gathers || is_enlarging(op.kind);
        int stride = 1, first = 0, last = 0;
        Timing made = in;
        if (is_windowed(op.kind) && op.in.rank > 1) {
            const Window& w = op.window;
            const bool pool = op.kind != OpKind::conv2d;
            if (pool && op.in.rank == 3 && w.kernel_h > 1 && w.kernel_h == op.in[0] && w.kernel_w == op.in[1] &&
                w.stride_h == op.in[0])
                return fail(StreamRule::all_time, s, op.in);
            if (w.pad_bottom > 0) return fail(StreamRule::future, s, op.in);
            if (w.pad_top >= w.reach_h()) return fail(StreamRule::early, s, op.in);
            stride = w.stride_h, first = -w.pad_top, last = w.reach_h() - 1 - w.pad_top;
            made = windowed(in, stride, first, last);
        } else if (is_enlarging(op.kind) && !repeat(made, op.window.stride_h)) {
            return fail(StreamRule::period, s, op.out);
        }
        if (step.other) {
            const Timing other = arrival(other_rows(step), s, op.out);
            if (plan_.rule != StreamRule::none) return;
            if (!join(made, other)) return fail(StreamRule::rates, s, op.out);
        }
        made_[s + 1] = made;
        if (!to.gathers) to.out_clock = clock_of(made);
        to.clock = with_input ? clock_of(in) : to.out_clock;
        in_reads_[s] = with_input ? reads(in_view.storage, to.clock, 1, 0, 0)
                                  : reads(in_view.storage, to.clock, stride, first, last);
        if (step.other) other_reads_[s] = reads(step.other.storage, to.out_clock, 1, 0, 0);
        writes(s, to.gathers ? windowed(in, stride, 0, 0) : made, to.out_clock, out_rows(step));
    }

    constexpr void take_output(int o) noexcept {
        const Port& port = net_.outputs[o];
        const RowView rows = row_view(port.view, port.extents, 0);
        const Timing there = arrival(rows, net_.count, port.extents);
        if (plan_.rule != StreamRule::none) return;
        for (int y = 0; y < there.rows; ++y) {
            const int seen = there.latest[y] - there.earliest[y] + 1;
            if (seen > plan_.receptive_field) plan_.receptive_field = seen;
        }
        plan_.outputs[o].clock = clock_of(there);
        output_reads_[o] = reads(rows.storage, plan_.outputs[o].clock, 1, 0, 0);
    }

    /// Rows of a storage that must be there at once, and whether some wait for a later frame.
    struct Held {
        long rows = 1;
        bool wait = false;
    };
    constexpr void hold(Held& held, const Timing& w, const Read& read) const noexcept {
        const Timing& r = timing(read.clock);
        const int periods = std::lcm(w.frames, r.frames) / w.frames;
        const auto lowest = [&](long row) { return row * read.stride + read.first; };
        for (int y = 0; y < w.rows * periods; ++y) {
            const long frame = w.latest_of(y), latest = w.last_row(frame);
            const long rows = latest - lowest(r.last_row(frame - 1) + 1) + 1; // steps run one after the other
            if (rows > held.rows) held.rows = rows;
            if (lowest(r.last_row(frame) + 1) <= latest) held.wait = true;
        }
    }

    constexpr int counter(int start) noexcept {
        plan_.start[plan_.counter_count] = start;
        return plan_.counter_count++;
    }
    static constexpr std::size_t aligned(std::size_t at, std::size_t row) noexcept {
        std::size_t unit = 1;
        while (unit < row && unit < place_elems) unit *= 2;
        return (at + unit - 1) / unit * unit;
    }

    constexpr void settle() noexcept {
        for (int c = 1; c < plan_.clock_count; ++c) {
            StreamClock& clock = plan_.clocks[c];
            clock.wait = counter(clock.timing.latest[0]);
            if (clock.timing.rows > 1) clock.next = counter(0);
        }
        for (int s = 0; s < net_.count; ++s) {
            if (needs_[s].state == 0) continue;
            plan_.steps[s].memory = aligned(plan_.memory_elems, needs_[s].state);
            plan_.recurrent_elems = plan_.memory_elems = plan_.steps[s].memory + needs_[s].state;
            ++plan_.recurrent_count;
        }
        for (int v = 0; v < net_.storage_count; ++v)
            if (writers_[v] >= 0) keep(v);
        for (int s = 0; s < net_.count; ++s) locate(s);
        for (int o = 0; o < net_.output_count; ++o) {
            StreamOutput& output = plan_.outputs[o];
            output.place = place_of(reads_[output_reads_[o]]);
        }
        lay_out_scratch();
    }

    constexpr void keep(int v) noexcept {
        StreamStorage& to = plan_.storage[v];
        Held held;
        bool gathered = false, apart = false;
        int most = 1;
        for (int w = writers_[v]; w >= 0; w = older_[w]) {
            if (begun_[w].most_rows() > most) most = begun_[w].most_rows();
            gathered = gathered || clocks_[w] < 0;
            apart = apart || clocks_[w] != to.clock;
            for (int r = reads_of_[v]; r >= 0; r = reads_[r].older) hold(held, begun_[w], reads_[r]);
        }
        for (int r = reads_of_[v]; r >= 0; r = reads_[r].older) apart = apart || reads_[r].clock != to.clock;
        const bool waits = held.wait || gathered || (apart && most > 1);
        if (v == 0)
            to.keep = waits || net_.is_output(v) ? Keep::ring : Keep::callers;
        else
            to.keep = waits ? Keep::ring : Keep::passing;
        to.rows = to.keep == Keep::callers ? 1 : to.keep == Keep::passing ? most : static_cast<int>(held.rows);
        if (to.rows < most) to.rows = most;
        if (to.keep != Keep::ring) return;
        const auto stride = static_cast<std::size_t>(to.stride);
        to.at = aligned(plan_.memory_elems, stride);
        plan_.memory_elems = to.at + stride * static_cast<std::size_t>(to.rows);
        if (to.rows > 1 && to.clock >= 0) to.head = counter((to.rows - 1) * to.stride);
    }

    /// A place of its own for who reads at other times than the head moves.
    constexpr int place_of(const Read& read) noexcept {
        const StreamStorage& from = plan_.storage[read.storage];
        if (from.keep != Keep::ring || from.rows == 1 || read.clock == from.clock) return -1;
        return counter(read.last % from.rows * from.stride);
    }

    constexpr void locate(int s) noexcept {
        const Step& step = net_.steps[s];
        StreamStep& to = plan_.steps[s];
        to.in_place = place_of(reads_[in_reads_[s]]);
        if (step.other) to.other_place = place_of(reads_[other_reads_[s]]);
        const StreamStorage& out = plan_.storage[step.out.storage];
        if (out.keep == Keep::ring && out.rows > 1 && (to.gathers || to.out_clock != out.clock))
            to.out_place = counter(0);
        if (is_windowed(step.op.kind) && step.op.window.pad_top > 0) to.padding = counter(step.op.window.pad_top);
        if (to.gathers) to.taken = counter(0);
    }

    /// First fit, in the order of steps; only what is alive is looked at.
    struct Lying {
        std::size_t at = 0, end = 0;
        int death = 0;
    };
    constexpr std::size_t lay(std::size_t elems, std::size_t row, int birth, int death) noexcept {
        int kept = 0;
        for (int i = 0; i < lying_count_; ++i)
            if (lying_[i].death >= birth) lying_[kept++] = lying_[i];
        lying_count_ = kept;
        std::size_t at = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (int i = 0; i < lying_count_; ++i)
                if (at < lying_[i].end && lying_[i].at < at + elems) at = aligned(lying_[i].end, row), moved = true;
        }
        lying_[lying_count_++] = {at, at + elems, death};
        if (at + elems > plan_.scratch_elems) plan_.scratch_elems = at + elems;
        return at;
    }
    constexpr void lay_out_scratch() noexcept {
        int death[Room + 1] = {};
        for (int s = 0; s < net_.count; ++s) {
            const Step& step = net_.steps[s];
            death[step.in.storage] = death[step.out.storage] = s;
            if (step.other) death[step.other.storage] = s;
        }
        for (int o = 0; o < net_.output_count; ++o) death[net_.outputs[o].view.storage] = net_.count;
        for (int s = 0; s < net_.count; ++s) {
            const int v = net_.steps[s].out.storage;
            StreamStorage& out = plan_.storage[v];
            const auto stride = static_cast<std::size_t>(out.stride);
            if (out.writer == s && out.keep == Keep::passing)
                out.at = lay(stride * static_cast<std::size_t>(out.rows), stride, s, death[v]);
            if (needs_[s].scratch > 0) plan_.steps[s].scratch = lay(needs_[s].scratch, needs_[s].scratch, s, s);
        }
        for (int o = 0; o < net_.output_count; ++o) {
            const StreamStorage& from = plan_.storage[net_.outputs[o].view.storage];
            const int most = timing(plan_.outputs[o].clock).most_rows();
            if (from.keep != Keep::ring || most == 1) continue;
            const auto row = static_cast<std::size_t>(from.stride);
            plan_.outputs[o].copied_at =
                static_cast<int>(lay(row * static_cast<std::size_t>(most), row, net_.count, net_.count));
        }
    }

    const Steps<Room>& net_;
    const RecurrentNeeds* needs_;
    StreamPlan<Room> plan_{};
    // By writer: the input, then the steps
    Timing made_[Room + 1]{}, begun_[Room + 1]{};
    int clocks_[Room + 1] = {};
    RowView wrote_[Room + 1]{};
    int older_[Room + 1] = {}; // the writer of the same storage before
    int writers_[Room + 1] = {}, seen_rows_[Room + 1] = {}, reads_of_[Room + 1] = {}; // by storage
    Read reads_[2 * Room + Nodes<1>::max_outputs]{};
    int read_count_ = 0;
    int in_reads_[Room + 1] = {}, other_reads_[Room + 1] = {}, output_reads_[Nodes<1>::max_outputs] = {};
    Lying lying_[2 * Room + Nodes<1>::max_outputs]{};
    int lying_count_ = 0;
};

} // namespace detail

/// The plan of steps, whose recurrent ones need what `needs` says, or the rule that the network breaks.
template <int Room>
constexpr StreamPlan<Room> stream_plan(const Steps<Room>& net, const detail::RecurrentNeeds* needs) noexcept {
    return detail::StreamPlanner<Room>(net, needs).result();
}

} // namespace tarn
