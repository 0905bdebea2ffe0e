// SPDX-License-Identifier: MIT
// Counted rows: executes a task of the plan on as many rows as there are. It asks for rows exactly as the plan for the
// maximum does, and those that do not exist are not made: so whatever the plan allows holds for fewer rows as well.
// Under UpToSession, as run/rows.hpp is under Session. Knows plans and kernels; nothing of files.
#pragma once

#include <tarn/run/rows.hpp>

namespace tarn::detail {

/// What a step has to do: rows of its input and output, and its window's padding behind.
struct StepCounts {
    int in = 0, out = 0;
    int pad_bottom = 0;
};

/// Task T of a plan, by rows, on the counts of its steps.
template <class Planning, int T, class Kernels, class Weights> class CountedRunner {
  public:
    static constexpr int count = Planning::template links<T>.count;
    /// counts: of every step of the network.
    CountedRunner(const Places& places, const Weights& weights, const StepCounts* counts) noexcept TARN_NONBLOCKING
        : places_(places),
          weights_(weights),
          counts_(counts + first) {}

    void run() noexcept TARN_NONBLOCKING {
        constexpr auto all = std::make_integer_sequence<int, count>{};
        for (int s = 0; s < count; ++s)
            if (counts_[s].out > 0) open_ |= 1U << s;
        for (int row = 0; row < rows<links.driver> && open_ != 0; ++row) {
            ensure<links.driver>(row);
            follow_all(row, all);
        }
        finish_all(all);
    }

  private:
    static constexpr auto& steps = Planning::steps;
    static constexpr Links links = Planning::template links<T>;
    static constexpr SegmentFacts facts = Planning::template segment<T>;
    static constexpr int first = links.first;
    static_assert(!Planning::plan.schedule[T].descending, "rows that are counted come upwards");
    template <int S> static constexpr const Step& step = steps.steps[first + S];
    template <int S> static constexpr int rows = row_count(step<S>.op.out); ///< at the maximum
    /// A step with all that it waits for, at any distance.
    template <int S>
    static constexpr std::uint32_t upstream = [] {
        std::uint32_t set = 1U << S;
        for (int i = S; i >= 0; --i)
            if (has(set, i)) set |= links.in_from[i] | links.other_from[i];
        return set;
    }();

    template <int... S> void follow_all(int row, std::integer_sequence<int, S...>) noexcept TARN_NONBLOCKING {
        (follow<S>(row), ...);
    }
    template <int... S> void finish_all(std::integer_sequence<int, S...>) noexcept TARN_NONBLOCKING {
        (finish_one<S>(), ...);
    }
    template <int S> void follow([[maybe_unused]] int row) noexcept TARN_NONBLOCKING {
        if constexpr (has(links.sinks, S) && S != links.driver) ensure<S>((row + 1) * rows<S> / rows<links.driver> - 1);
    }
    template <int S> void finish_one() noexcept TARN_NONBLOCKING {
        if constexpr (facts.ring_of(step<S>.out.storage) < 0) ensure<S>(rows<S> - 1);
    }

    /// Rows beyond the counted ones are passed over; once nothing behind them is left to make, not even that.
    template <int S> void ensure(int row) noexcept TARN_NONBLOCKING {
        while (next_[S] <= row && (open_ & upstream<S>) != 0) produce<S>();
    }
    template <std::uint32_t Makers, int S = 0> void ensure_all(int row) noexcept TARN_NONBLOCKING {
        if constexpr (Makers >> S != 0) {
            if constexpr (has(Makers, S)) ensure<S>(row);
            ensure_all<Makers, S + 1>(row);
        }
    }
    template <std::uint32_t Makers> void ensure_rows(int begin, int end) noexcept TARN_NONBLOCKING {
        if constexpr (std::has_single_bit(Makers)) {
            ensure_all<Makers>(end - 1);
        } else if constexpr (Makers != 0) {
            for (int row = begin; row < end; ++row) ensure_all<Makers>(row);
        }
    }

    template <int Storage, std::size_t Offset, std::size_t Stride> float* at(int row) const noexcept TARN_NONBLOCKING {
        constexpr int ring = facts.ring_of(Storage);
        if constexpr (ring >= 0) {
            constexpr auto held = static_cast<unsigned>(facts.ring_rows[ring]);
            const auto slot = static_cast<std::size_t>(static_cast<unsigned>(row) % held);
            return places_.arena + Planning::plan.scratch[T] + facts.ring_at[ring] + Offset + slot * Stride;
        } else {
            return places_.template whole<Planning, Storage>() + Offset + static_cast<std::size_t>(row) * Stride;
        }
    }
    template <int S> const float* in_row(int row) const noexcept TARN_NONBLOCKING {
        constexpr RowView view = in_rows(step<S>);
        return at<view.storage, view.offset, view.stride>(row);
    }

    /// Taps of row y inside the rows there are.
    template <int S> TapRange taps_of(int y) const noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op;
        if constexpr (!is_windowed(op.kind)) {
            return {};
        } else {
            constexpr Window window = op.window; // of a pool over all rows, as many as there are lie inside
            const long top = long{y} * window.stride_h - window.pad_top;
            return {taps_above(window, top, 0), taps_above(window, top, counts_[S].in),
                    taps_above(window, top, counts_[S].in + counts_[S].pad_bottom)};
        }
    }

    template <int S> TARN_NOINLINE void produce() noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op, form = row_form(op);
        const int y = next_[S];
        const bool made = y < counts_[S].out;
        const TapRange wanted = tap_range(op, y); // of the maximum
        const TapRange range = made ? taps_of<S>(y) : TapRange{0, 0, 0};
        constexpr RowView out_view = out_rows(step<S>);
        float* const out = at<out_view.storage, out_view.offset, out_view.stride>(made ? y : 0);
        if constexpr (accumulates(op)) {
            if (made) Kernels::template pool_begin<form>(out);
            for (int t = wanted.begin; t < wanted.end; ++t) {
                const auto from = static_cast<int>(tap_row(op, y, t));
                ensure_rows<links.in_from[S]>(from, from + 1);
                if (t < range.end) Kernels::template pool_add<form>(in_row<S>(from), out);
            }
            if (made) Kernels::template pool_end<form>(out, range.padded, range.end - range.begin);
        } else {
            if (wanted.begin < wanted.end)
                ensure_rows<links.in_from[S]>(static_cast<int>(tap_row(op, y, wanted.begin)),
                                              static_cast<int>(tap_row(op, y, wanted.end - 1)) + 1);
            if constexpr (bool{step<S>.other}) ensure_all<links.other_from[S]>(op.broadcast ? 0 : y);
            if (made) make<S>(y, range, out);
        }
        next_[S] = y + 1;
        if (y + 1 >= counts_[S].out) open_ &= ~(1U << S);
    }
    template <int S> void make(int y, const TapRange& range, float* out) noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op, form = row_form(op);
        const float* taps[static_cast<std::size_t>(tap_count(op))];
        if constexpr (is_windowed(op.kind)) {
            for (int t = range.begin; t < range.end; ++t) taps[t] = in_row<S>(static_cast<int>(tap_row(op, y, t)));
        } else {
            taps[0] = in_row<S>(static_cast<int>(tap_row(op, y, 0)));
        }
        const float* other = nullptr;
        if constexpr (bool{step<S>.other}) {
            constexpr RowView view = other_rows(step<S>);
            other = at<view.storage, view.offset, view.stride>(op.broadcast ? 0 : y);
        }
        const int phase = is_enlarging(op.kind) ? y % op.window.stride_h : 0;
        Kernels::template row<form>(RowTaps{taps, range.begin, range.end, range.padded, phase}, other, out,
                                    step_weights<step<S>.slot>(weights_));
    }

    Places places_;
    const Weights& weights_;
    const StepCounts* counts_;
    int next_[static_cast<std::size_t>(count)] = {}; // rows made or passed over, by step
    std::uint32_t open_ = 0;                         // steps with rows still to make
};

/// Task T of a plan for any number of rows: a segment, a recurrent layer row after row, or what has a shape of its own.
template <class Planning, int T, class Kernels, class Weights>
TARN_ALWAYS_INLINE void run_counted_task(const Places& places, const Weights& weights,
                                         const StepCounts* counts) noexcept TARN_NONBLOCKING {
    constexpr const Task& task = Planning::problem.tasks[T];
    if constexpr (task.rows) {
        CountedRunner<Planning, T, Kernels, Weights>(places, weights, counts).run();
    } else if constexpr (Planning::counted_rows.step[task.first]) {
        constexpr const Step& step = Planning::steps.steps[task.first];
        constexpr Op form = row_form(step.op);
        static_assert(cpu::is_recurrent(step.op));
        using Geometry = cpu::Geometry<form>;
        constexpr RowView from = in_rows(step), to = out_rows(step);
        const float* in = places.template whole<Planning, from.storage>() + from.offset;
        float* out = places.template whole<Planning, to.storage>() + to.offset;
        float* const state = places.arena + Planning::plan.scratch[T];
        for (std::size_t i = 0; i < Geometry::state_elems; ++i) state[i] = 0.F;
        for (int row = 0; row < counts[task.first].in; ++row, in += from.stride, out += to.stride)
            Kernels::template recur<form>(in, out, state, state + Geometry::state_elems,
                                          step_weights<step.slot>(weights));
    } else {
        run_task<Planning, T, Kernels>(places, weights);
    }
}
template <class Planning, class Kernels, class Weights, int... T>
void run_counted([[maybe_unused]] const Places& places, [[maybe_unused]] const Weights& weights,
                 [[maybe_unused]] const StepCounts* counts,
                 std::integer_sequence<int, T...>) noexcept TARN_NONBLOCKING {
    [[maybe_unused]] const int done[] = {0, (run_counted_task<Planning, T, Kernels>(places, weights, counts), 0)...};
}

} // namespace tarn::detail
