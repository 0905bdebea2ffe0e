// SPDX-License-Identifier: MIT
// Stream: a network frame by frame on an endless time axis; each push gives the result rows that the frame completes.
// Beside Session: the same kernels on rings of rows that stay from push to push.
// Knows plans, devices and weights; nothing of files.
#pragma once

#include <tarn/plan/stream_check.hpp>
#include <tarn/run/chosen.hpp>
#include <tarn/run/model.hpp>

namespace tarn {

namespace detail {

/// The steps of a network with their plan on an endless time axis.
template <class TheNetwork> struct Streamed {
    static constexpr auto& steps = TheNetwork::steps;

    template <int S> static constexpr RecurrentNeeds needs_of() noexcept {
        constexpr Op op = steps.steps[S].op;
        if constexpr (cpu::is_recurrent(op))
            return {cpu::Geometry<row_form(op)>::state_elems, cpu::Geometry<row_form(op)>::row_scratch_elems};
        else
            return {};
    }
    static constexpr auto plan = []<int... S>(std::integer_sequence<int, S...>) {
        const RecurrentNeeds needs[] = {needs_of<S>()..., RecurrentNeeds{}};
        return stream_plan(steps, needs);
    }
    (std::make_integer_sequence<int, steps.count>{});

    static constexpr bool fits = plan.rule == StreamRule::none;
    static constexpr int count = fits ? steps.count : 0;

    /// Frames after which the pattern of all rates repeats.
    static constexpr int period = [] {
        int frames = 1;
        for (int c = 0; c < plan.clock_count; ++c) frames = std::lcm(frames, plan.clocks[c].timing.frames);
        return frames;
    }();

    struct State {
        alignas(arena_alignment) float memory[plan.memory_elems > 0 ? plan.memory_elems : 1];
        int counters[plan.counter_count > 0 ? static_cast<std::size_t>(plan.counter_count) : 1];
    };
    /// The counters before the first frame.
    struct Start {
        int counters[plan.counter_count > 0 ? static_cast<std::size_t>(plan.counter_count) : 1] = {};
    };
    static constexpr Start start = [] {
        Start from;
        for (int i = 0; i < plan.counter_count; ++i) from.counters[i] = plan.start[i];
        return from;
    }();

    /// Frames from each row of a clock's period to the next.
    struct Gaps {
        int frames[Timing::max_rows] = {};
    };
    template <int Clock>
    static constexpr Gaps gaps = [] {
        Gaps made;
        const Timing& timing = plan.clocks[Clock].timing;
        for (int y = 0; y < timing.rows; ++y)
            made.frames[y] = static_cast<int>(timing.latest_of(y + 1) - timing.latest_of(y));
        return made;
    }();
};

} // namespace detail

/// Result rows of one frame, one after the other; none, one or several. They lie in the stream until its next push.
template <std::size_t O> class StreamRows {
  public:
    constexpr StreamRows(const float* first, int count) noexcept TARN_NONBLOCKING : first_(first), count_(count) {}

    constexpr int size() const noexcept TARN_NONBLOCKING { return count_; }
    constexpr bool empty() const noexcept TARN_NONBLOCKING { return count_ == 0; }
    constexpr std::span<const float, O> operator[](int row) const noexcept TARN_NONBLOCKING {
        return std::span<const float, O>{first_ + static_cast<std::size_t>(row) * O, O};
    }
    /// All of them: [rows, O].
    constexpr std::span<const float> floats() const noexcept TARN_NONBLOCKING {
        return {first_, static_cast<std::size_t>(count_) * O};
    }

  private:
    const float* first_;
    int count_;
};

/// What a block came to.
struct Processed {
    std::size_t frames = 0; ///< taken from the input
    std::size_t rows = 0;   ///< written to the output
};

/// A network on an endless time axis, the first axis of Model's input; how many frames that Shape has does not matter.
/// Shapes: frames [F] (or [W, C]) in, rows of the output [O] out. Every row has the bits of an offline forward.
/// Memory: sizeof is all it will ever use: rings of rows, recurrent state, rows on their way. Neither copies nor moves.
/// Errors: a layer that sees later frames, or mixes frames up, is one compile error with its position.
template <class TheModel> class BasicStream {
    using Plan = detail::Streamed<typename TheModel::Facts>;
    static constexpr int fault_layer =
        Plan::plan.fault_node < 0 ? -1 : TheModel::Facts::graph.nodes[Plan::plan.fault_node].written;
    static_assert(sizeof(detail::StreamVerdict<typename TheModel::Module, Plan, fault_layer>) > 0);
    static_assert(
        TheModel::Policy::wish.sums == Summation::as_written,
        "Stream: Winograd's tiles take rows that have not come yet; give the Model a policy without Winograd");
    static constexpr auto& steps = Plan::steps;
    static constexpr auto& plan = Plan::plan;
    template <int I> static constexpr Timing output_timing = plan.clocks[plan.outputs[I].clock].timing;

  public:
    using Weights = typename TheModel::Weights;
    using Device = typename TheModel::Device;
    /// All that stays from push to push: plain data, to be copied, kept, sent.
    using State = typename Plan::State;

    static constexpr int output_count = steps.output_count;
    static constexpr std::size_t input_elems =
        steps.inputs[0].extents.elems() / static_cast<std::size_t>(row_count(steps.inputs[0].extents));
    template <int I>
    static constexpr std::size_t output_size = steps.outputs[I].extents.elems() /
                                               static_cast<std::size_t>(row_count(steps.outputs[I].extents));
    static constexpr std::size_t output_elems = output_size<0>;

    /// Frames that windows let one result row see. Recurrent layers remember what was before, too.
    static constexpr int receptive_field = plan.receptive_field;
    static constexpr bool recurrent = plan.recurrent_count > 0;
    /// Frames that a row of the first result comes after its own: 0 when all windows end at their frame.
    static constexpr int latency = [] {
        constexpr Timing rows = output_timing<0>;
        long most = 0;
        for (long y = 0; y < rows.rows; ++y) {
            const long late = rows.latest_of(y) - y * rows.frames / rows.rows;
            if (late > most) most = late;
        }
        return static_cast<int>(most);
    }();
    /// Every period_frames frames bring period_rows rows of the first result.
    static constexpr int period_frames = output_timing<0>.frames, period_rows = output_timing<0>.rows;
    /// The product of the strides over time; 0 where a frame brings several rows.
    static constexpr int frames_per_row = period_frames / period_rows;
    static constexpr int max_rows_per_frame = output_timing<0>.most_rows();
    /// One row for every frame from the first on: push then returns that row.
    static constexpr bool row_per_frame = output_timing<0>.every_frame();
    static constexpr std::size_t state_bytes = sizeof(State);

    /// The weights must outlive the stream.
    explicit BasicStream(const Weights& weights) noexcept : weights_(&weights), chosen_(Device::choose()) { reset(); }
    explicit BasicStream(const Weights&&) = delete;
    BasicStream(const BasicStream&) = delete;
    BasicStream& operator=(const BasicStream&) = delete;

    /// Takes one frame. Returns the row of the first result that it completes, std::span<const float, output_elems>;
    /// or StreamRows, where a frame may complete none or several. They lie in the stream until the next push.
    /// Errors: none. Allocates nothing, takes no lock, calls no operating system, throws nothing.
    auto push(std::span<const float, input_elems> frame) noexcept TARN_NONBLOCKING {
        [[maybe_unused]] const typename Device::Scope scope;
        run(frame.data());
        return output<0>();
    }

    /// Takes the frames of a block, any number of them, and writes the rows of the first result that they complete.
    /// Stops before a frame whose rows have no room, or that is not whole. in: [frames, F]; out: [rows, O], may be the
    /// same memory where row_per_frame and O <= F.
    Processed process(std::span<const float> in, std::span<float> out) noexcept TARN_NONBLOCKING {
        [[maybe_unused]] const typename Device::Scope scope;
        const std::size_t frames = in.size() / input_elems, room = out.size() / output_elems;
        Processed done;
        while (done.frames < frames && done.rows + static_cast<std::size_t>(next_rows()) <= room) {
            run(in.data() + done.frames * input_elems);
            ++done.frames;
            __builtin_memcpy(out.data() + done.rows * output_elems, results_[0],
                             sizeof(float) * output_elems * static_cast<std::size_t>(came_[0]));
            done.rows += static_cast<std::size_t>(came_[0]);
        }
        return done;
    }

    /// Rows of the first result that the next frame will complete.
    int next_rows() const noexcept TARN_NONBLOCKING {
        constexpr int clock = plan.outputs[0].clock;
        if constexpr (clock == 0) {
            return 1;
        } else {
            int wait = state_.counters[plan.clocks[clock].wait], row = 0;
            if constexpr (plan.clocks[clock].next >= 0) row = state_.counters[plan.clocks[clock].next];
            return tick<clock>(wait, row);
        }
    }

    /// Rows of result I that the last frame completed, as push returns those of the first.
    template <int I = 0> auto output() const noexcept TARN_NONBLOCKING {
        if constexpr (output_timing<I>.every_frame())
            return std::span<const float, output_size<I>>{results_[I], output_size<I>};
        else
            return StreamRows<output_size<I>>{results_[I], came_[I]};
    }

    /// Forgets all frames: as a fresh stream, and as an offline run, which sees padding before the first frame.
    void reset() noexcept TARN_NONBLOCKING {
        __builtin_memset(state_.memory, 0, sizeof(state_.memory));
        __builtin_memcpy(state_.counters, Plan::start.counters, sizeof(state_.counters));
        forget_results();
    }
    State snapshot() const noexcept TARN_NONBLOCKING { return state_; }
    void restore(const State& state) noexcept TARN_NONBLOCKING {
        state_ = state;
        forget_results();
    }

    /// As after endless silence: resets, then takes frames of zeros until nothing changes any more. To be done once, at
    /// load, and kept (snapshot): it takes receptive_field frames, of a recurrent network as many as it needs to come
    /// to rest. False when it did not within most_frames; the state is then that of so much silence.
    bool settle_to_silence(int most_frames = 200000) noexcept TARN_NONBLOCKING {
        [[maybe_unused]] const typename Device::Scope scope;
        constexpr std::size_t bytes = sizeof(float) * plan.recurrent_elems;
        // Standing still for so long, each recurrent state in turn has met its steady input, and stays.
        constexpr int still = (plan.recurrent_count + 1) * (receptive_field + Plan::period);
        float before[bytes > 0 ? plan.recurrent_elems : 1];
        reset();
        int quiet = 0, frames = 0;
        for (; quiet < still && frames < most_frames; ++frames) {
            if constexpr (bytes > 0) __builtin_memcpy(before, state_.memory, bytes);
            run(silent_frame);
            unsigned changed = 0;
            for (std::size_t i = 0; i < plan.recurrent_elems; ++i)
                changed |= std::bit_cast<unsigned>(before[i]) ^ std::bit_cast<unsigned>(state_.memory[i]);
            quiet = changed == 0 ? quiet + 1 : 0;
        }
        for (; frames % Plan::period != 0; ++frames) run(silent_frame); // the next frame is a first one again
        forget_results();
        return quiet >= still;
    }
    /// The state of endless silence, for restore. Puts a whole stream on the stack while it runs.
    static State silence(const Weights& weights) noexcept {
        BasicStream stream(weights);
        stream.settle_to_silence();
        return stream.snapshot();
    }

    /// The instruction set that push runs on.
    const char* instruction_set() const noexcept { return detail::set_name<Device>(chosen_); }

  private:
    template <int S> static constexpr const Step& step = steps.steps[S];
    template <int S> static constexpr const StreamStep& facts = plan.steps[S];
    template <int V> static constexpr const StreamStorage& storage = plan.storage[V];
    template <int V> static constexpr int ring_elems = storage<V>.rows* storage<V>.stride;
    static constexpr float silent_frame[input_elems] = {};

    void forget_results() noexcept TARN_NONBLOCKING {
        for (int i = 0; i < output_count; ++i) results_[i] = scratch_, came_[i] = 0;
    }

    void run(const float* frame) noexcept TARN_NONBLOCKING {
        constexpr auto all = std::make_integer_sequence<int, Plan::count>{};
        constexpr auto clocks = std::make_integer_sequence<int, plan.clock_count>{};
        constexpr auto outputs = std::make_integer_sequence<int, output_count>{};
        detail::with_kernels<Device>(chosen_,
                                     [&]<class Kernels>() { run_frame<Kernels>(frame, all, clocks, outputs); });
    }
    template <class Kernels, int... S, int... C, int... O>
    void run_frame(const float* frame, std::integer_sequence<int, S...>, std::integer_sequence<int, C...>,
                   std::integer_sequence<int, O...>) noexcept TARN_NONBLOCKING {
        const int came[] = {tick<C>()...}; // rows of this frame, by clock
        take_frame(frame);
        [[maybe_unused]] const int done[] = {0, (run_step<Kernels, S>(frame, came), 0)...};
        (finish<O>(came), ...);
    }

    // ---- when ----

    /// Rows that a frame brings, and on to the next frame. wait: frames before the next row; row: its number in the
    /// period. Both stay below the period, whatever the number of frames.
    template <int C> static int tick(int& wait, [[maybe_unused]] int& row) noexcept TARN_NONBLOCKING {
        constexpr const Timing& timing = plan.clocks[C].timing;
        if constexpr (timing.rows == 1) {
            const int came = wait == 0 ? 1 : 0;
            wait = (came != 0 ? timing.frames : wait) - 1;
            return came;
        } else {
            int came = 0;
            while (wait == 0) {
                ++came;
                wait = Plan::template gaps<C>.frames[row];
                row = row + 1 == timing.rows ? 0 : row + 1;
            }
            --wait;
            return came;
        }
    }
    template <int C> int tick() noexcept TARN_NONBLOCKING {
        if constexpr (C == 0) {
            return 1;
        } else {
            constexpr const StreamClock& clock = plan.clocks[C];
            return tick<C>(state_.counters[clock.wait], state_.counters[clock.next >= 0 ? clock.next : clock.wait]);
        }
    }
    /// Rows of this frame on clock C, which the compiler knows where it ticks once a frame.
    template <int C> static int rows_on(const int* came) noexcept TARN_NONBLOCKING { return C == 0 ? 1 : came[C]; }

    // ---- where ----

    /// Moves a place on by some rows, at most as many as there are. No division: rings have any length.
    template <int V> void advance(int counter, int rows) noexcept TARN_NONBLOCKING {
        const int at = state_.counters[counter] + rows * storage<V>.stride;
        state_.counters[counter] = at >= ring_elems<V> ? at - ring_elems<V> : at;
    }
    template <int V> static int back(int place, int rows) noexcept TARN_NONBLOCKING {
        const int at = place - rows * storage<V>.stride;
        return at < 0 ? at + ring_elems<V> : at;
    }
    /// The place of row i of the n that this frame brings, in the ring of storage V or among its passing rows.
    template <int V, int Place> int place_of(int i, int n) const noexcept TARN_NONBLOCKING {
        if constexpr (storage<V>.rows == 1)
            return 0;
        else if constexpr (storage<V>.keep == Keep::passing)
            return i * storage<V>.stride;
        else if constexpr (Place >= 0)
            return state_.counters[Place];
        else if constexpr (plan.clocks[storage<V>.clock].timing.most_rows() == 1)
            return state_.counters[storage<V>.head];
        else
            return back<V>(state_.counters[storage<V>.head], n - 1 - i);
    }
    /// Where the rows of storage V begin.
    template <int V> const float* rows_of(const float* frame) const noexcept TARN_NONBLOCKING {
        if constexpr (storage<V>.keep == Keep::callers)
            return frame;
        else if constexpr (storage<V>.keep == Keep::passing)
            return scratch_ + storage<V>.at;
        else
            return state_.memory + storage<V>.at;
    }
    template <int V> float* rows_to() noexcept TARN_NONBLOCKING {
        static_assert(storage<V>.keep != Keep::callers);
        return (storage<V>.keep == Keep::passing ? scratch_ : state_.memory) + storage<V>.at;
    }

    // ---- what ----

    void take_frame(const float* frame) noexcept TARN_NONBLOCKING {
        constexpr int v = steps.inputs[0].view.storage;
        if constexpr (storage<v>.keep == Keep::ring) {
            if constexpr (storage<v>.head >= 0) advance<v>(storage<v>.head, 1);
            __builtin_memcpy(rows_to<v>() + place_of<v, -1>(0, 1), frame, sizeof(float) * input_elems);
        }
    }

    template <class Kernels, int S>
    TARN_ALWAYS_INLINE void run_step(const float* frame, const int* came) noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op;
        constexpr int out = step<S>.out.storage;
        constexpr bool enlarges = is_enlarging(op.kind);
        const int n = rows_on<facts<S>.clock>(came);
        if constexpr (storage<out>.writer == S && storage<out>.head >= 0)
            advance<out>(storage<out>.head, rows_on<facts<S>.out_clock>(came));
        for (int i = 0; i < n; ++i) {
            if constexpr (facts<S>.gathers) {
                gather<Kernels, S>(frame, i, n);
            } else if constexpr (enlarges) {
                constexpr int times = op.window.stride_h;
                for (int phase = 0; phase < times; ++phase)
                    make<Kernels, S>(frame, i, n, i * times + phase, n * times, phase);
            } else {
                make<Kernels, S>(frame, i, n, i, n, 0);
            }
            constexpr int in = step<S>.in.storage;
            constexpr int stride = is_windowed(op.kind) && !facts<S>.gathers ? op.window.stride_h : 1;
            if constexpr (facts<S>.in_place >= 0) advance<in>(facts<S>.in_place, stride % storage<in>.rows);
        }
    }

    /// One output row: the out_i-th of out_n that this frame brings, from the in_i-th of in_n.
    template <class Kernels, int S>
    TARN_ALWAYS_INLINE void make(const float* frame, int in_i, int in_n, int out_i, int out_n,
                                 int phase) noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op, form = row_form(op);
        constexpr View from = step<S>.in, to = step<S>.out;
        const float* const in = rows_of<from.storage>(frame) + from.offset;
        const int latest = place_of<from.storage, facts<S>.in_place>(in_i, in_n);
        float* const out = rows_to<to.storage>() + to.offset + place_of<to.storage, facts<S>.out_place>(out_i, out_n);
        if constexpr (cpu::is_recurrent(op)) {
            Kernels::template recur<form>(in + latest, out, state_.memory + facts<S>.memory,
                                          scratch_ + facts<S>.scratch, detail::step_weights<step<S>.slot>(*weights_));
        } else {
            const float* other = nullptr;
            if constexpr (bool{step<S>.other}) {
                constexpr View second = step<S>.other;
                other = rows_of<second.storage>(frame) + second.offset +
                        place_of<second.storage, facts<S>.other_place>(out_i, out_n);
                if constexpr (facts<S>.other_place >= 0) advance<second.storage>(facts<S>.other_place, 1);
            }
            constexpr int count = tap_count(op);
            const float* taps[static_cast<std::size_t>(count)];
            TARN_UNROLL
            for (int t = 0; t < count; ++t)
                taps[t] =
                    in + (t == count - 1 ? latest : back<from.storage>(latest, (count - 1 - t) * op.window.dilation_h));
            if (const int outside = taps_in_padding<S>(); outside > 0)
                make_at_start<Kernels, S>(taps, outside, other, out, phase);
            else
                Kernels::template row<form>(RowTaps{taps, 0, count, count, phase}, other, out,
                                            detail::step_weights<step<S>.slot>(*weights_));
        }
        if constexpr (facts<S>.out_place >= 0) advance<to.storage>(facts<S>.out_place, 1);
    }
    /// A row whose first taps lie before the first frame. On its own, so that the row that always comes has constant
    /// taps: variable ones, written in halves and read as one, would stall it.
    template <class Kernels, int S>
    TARN_NOINLINE void make_at_start(const float* const* taps, int outside, const float* other, float* out,
                                     int phase) noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op, form = row_form(op);
        constexpr int count = tap_count(op);
        Kernels::template row<form>(RowTaps{taps, outside, count, count, phase}, other, out,
                                    detail::step_weights<step<S>.slot>(*weights_));
    }
    /// Taps of the next row that lie before the first frame.
    template <int S> int taps_in_padding() noexcept TARN_NONBLOCKING {
        if constexpr (facts<S>.padding >= 0) {
            constexpr const Window& w = step<S>.op.window;
            int& rows = state_.counters[facts<S>.padding];
            if (rows == 0) return 0;
            const int taps = (rows + w.dilation_h - 1) / w.dilation_h;
            rows = rows > w.stride_h ? rows - w.stride_h : 0;
            return taps;
        } else {
            return 0;
        }
    }

    /// One input row of a pool whose windows share none: the output row holds what they have come to.
    template <class Kernels, int S>
    TARN_ALWAYS_INLINE void gather(const float* frame, int i, int n) noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op, form = row_form(op);
        constexpr View from = step<S>.in, to = step<S>.out;
        constexpr int rows = op.window.kernel_h;
        int& taken = state_.counters[facts<S>.taken];
        float* const out = rows_to<to.storage>() + to.offset + place_of<to.storage, facts<S>.out_place>(0, 1);
        if (taken == 0) Kernels::template pool_begin<form>(out);
        if (taken < rows)
            Kernels::template pool_add<form>(
                rows_of<from.storage>(frame) + from.offset + place_of<from.storage, facts<S>.in_place>(i, n), out);
        ++taken;
        if (taken == rows) {
            Kernels::template pool_end<form>(out, rows, rows);
            if constexpr (facts<S>.out_place >= 0) advance<to.storage>(facts<S>.out_place, 1);
        }
        if (taken == op.window.stride_h) taken = 0;
    }

    template <int O> void finish(const int* came) noexcept TARN_NONBLOCKING {
        constexpr const StreamOutput& output = plan.outputs[O];
        constexpr View view = steps.outputs[O].view;
        constexpr int v = view.storage;
        const int n = rows_on<output.clock>(came);
        const float* const rows = rows_to<v>() + view.offset;
        came_[O] = n;
        if constexpr (output.copied_at >= 0) {
            for (int i = 0; i < n; ++i) {
                __builtin_memcpy(scratch_ + output.copied_at + static_cast<std::size_t>(i) * output_size<O>,
                                 rows + place_of<v, output.place>(i, n), sizeof(float) * output_size<O>);
                if constexpr (output.place >= 0) advance<v>(output.place, 1);
            }
            results_[O] = scratch_ + output.copied_at;
        } else {
            results_[O] = rows + place_of<v, output.place>(0, 1);
            if constexpr (output.place >= 0) advance<v>(output.place, n);
        }
    }

    State state_;
    alignas(arena_alignment) float scratch_[plan.scratch_elems > 0 ? plan.scratch_elems : 1];
    const float* results_[static_cast<std::size_t>(output_count)];
    int came_[static_cast<std::size_t>(output_count)];
    const Weights* weights_;
    int chosen_; // of the device's sets
};

} // namespace tarn
