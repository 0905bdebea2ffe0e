// SPDX-License-Identifier: MIT
// Rows: executes a segment of the plan row by row, depth first: a row is made when somebody asks for it.
// Under Session: one task of the plan. plan/segment.hpp counts the same order and says how many rows each ring needs.
// Knows plans and kernels; nothing of files.
#pragma once

#include <tarn/cpu/cpu.hpp>
#include <tarn/plan/network.hpp>

namespace tarn::detail {

/// Where a whole storage begins: in the arena, or in the caller's memory.
struct Places {
    float* arena;
    const float* const* inputs; ///< by input, null where the arena holds them

    template <class Planning, int Storage> float* whole() const noexcept TARN_NONBLOCKING {
        if constexpr (Planning::plan.storage[Storage] != Planning::plan.outside)
            return arena + Planning::plan.storage[Storage];
        else
            return const_cast<float*>(inputs[Storage]); // only read: a plan never writes into the caller's input
    }
};

/// Task T of a plan, by rows.
template <class Planning, int T, class Kernels, class Weights> class RowRunner {
  public:
    static constexpr int count = Planning::template links<T>.count;
    /// next: rows made, by step; zeros at the start, kept from call to call.
    RowRunner(const Places& places, const Weights& weights, int* next) noexcept TARN_NONBLOCKING : places_(places),
                                                                                                   weights_(weights),
                                                                                                   next_(next) {}

    void run() noexcept TARN_NONBLOCKING {
        for (int row = 0; row < rows<links.driver>; ++row) advance(row);
        finish();
    }
    /// The next row of the driver, and what goes with it.
    void advance(int row) noexcept TARN_NONBLOCKING {
        ensure<links.driver>(row);
        follow_all(row, std::make_integer_sequence<int, count>{});
    }
    /// After the last row.
    void finish() noexcept TARN_NONBLOCKING { finish_all(std::make_integer_sequence<int, count>{}); }
    /// Row `row` of the network's input, where it comes row by row.
    float* pushed_row(int row) const noexcept TARN_NONBLOCKING {
        constexpr Extents in = steps.inputs[0].extents;
        return at<0, 0, row_elems(in, 0), row_count(in)>(row);
    }

  private:
    static constexpr auto& steps = Planning::steps;
    static constexpr Links links = Planning::template links<T>;
    static constexpr SegmentFacts facts = Planning::template segment<T>;
    static constexpr int first = links.first;
    static constexpr bool downwards = Planning::plan.schedule[T].descending;
    template <int S> static constexpr const Step& step = steps.steps[first + S];
    template <int S> static constexpr int rows = row_count(step<S>.op.out);

    template <int... S> void follow_all(int row, std::integer_sequence<int, S...>) noexcept TARN_NONBLOCKING {
        (follow<S>(row), ...);
    }
    template <int... S> void finish_all(std::integer_sequence<int, S...>) noexcept TARN_NONBLOCKING {
        (finish_one<S>(), ...);
    }
    /// Sinks beside the driver come along in proportion.
    template <int S> void follow([[maybe_unused]] int row) noexcept TARN_NONBLOCKING {
        if constexpr (has(links.sinks, S) && S != links.driver) ensure<S>((row + 1) * rows<S> / rows<links.driver> - 1);
    }
    /// Rows that nobody in the segment asked for, but somebody after it may.
    template <int S> void finish_one() noexcept TARN_NONBLOCKING {
        if constexpr (facts.ring_of(step<S>.out.storage) < 0) ensure<S>(rows<S> - 1);
    }

    template <int S> void ensure(int row) noexcept TARN_NONBLOCKING {
        while (next_[S] <= row) produce<S>();
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
        } else if constexpr (Makers != 0) { // in step with each other, so that none runs ahead of its ring
            for (int row = begin; row < end; ++row) ensure_all<Makers>(row);
        }
    }

    /// Row `row` of a view of Rows rows, in its ring or where the storage lies whole. Rows are counted as they come.
    template <int Storage, std::size_t Offset, std::size_t Stride, int Rows>
    float* at(int row) const noexcept TARN_NONBLOCKING {
        constexpr int ring = facts.ring_of(Storage);
        if constexpr (ring >= 0) {
            constexpr auto held = static_cast<unsigned>(facts.ring_rows[ring]);
            const auto slot = static_cast<std::size_t>(static_cast<unsigned>(row) % held);
            return places_.arena + Planning::plan.scratch[T] + facts.ring_at[ring] + Offset + slot * Stride;
        } else {
            const auto place = static_cast<std::size_t>(downwards ? Rows - 1 - row : row);
            return places_.template whole<Planning, Storage>() + Offset + place * Stride;
        }
    }
    template <int S> const float* in_row(int row) const noexcept TARN_NONBLOCKING {
        constexpr RowView view = in_rows(step<S>);
        return at<view.storage, view.offset, view.stride, view.rows>(row);
    }

    template <int S> TARN_NOINLINE void produce() noexcept TARN_NONBLOCKING {
        if constexpr (step<S>.op.winograd > 0)
            produce_band<S>();
        else
            produce_row<S>();
    }
    /// The rows of a tile at once.
    template <int S> TARN_ALWAYS_INLINE void produce_band() noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op;
        constexpr int m = op.winograd, taps = m + 2, height = row_count(op.in);
        const int row = next_[S], past = band_end(op, row, downwards), made = past - row;
        const int y = downwards ? rows<S> - past : row; // the first of them in the image
        const int top = y - op.window.pad_top;
        const int begin = top > 0 ? top : 0, end = top + taps < height ? top + taps : height;
        const float* in[taps] = {};
        if (begin < end) {
            ensure_rows<links.in_from[S]>(downwards ? height - end : begin, downwards ? height - begin : end);
            for (int r = begin; r < end; ++r) in[r - top] = in_row<S>(downwards ? height - 1 - r : r);
        }
        const float* other[m] = {};
        float* out[m] = {};
        if constexpr (bool{step<S>.other}) ensure_all<links.other_from[S]>(past - 1);
        for (int i = 0; i < made; ++i) {
            const int comes = downwards ? past - 1 - i : row + i;
            constexpr RowView view = out_rows(step<S>);
            out[i] = at<view.storage, view.offset, view.stride, view.rows>(comes);
            if constexpr (bool{step<S>.other}) {
                constexpr RowView second = other_rows(step<S>);
                other[i] = at<second.storage, second.offset, second.stride, second.rows>(comes);
            }
        }
        Kernels::template band<row_form(op)>(in, other, out, made,
                                             places_.arena + Planning::plan.scratch[T] + facts.scratch_at,
                                             step_weights<step<S>.slot>(weights_));
        next_[S] = past;
    }
    template <int S> TARN_ALWAYS_INLINE void produce_row() noexcept TARN_NONBLOCKING {
        constexpr Op op = step<S>.op, form = row_form(op);
        constexpr RowView out_view = out_rows(step<S>);
        const int row = next_[S];
        float* const out = at<out_view.storage, out_view.offset, out_view.stride, out_view.rows>(row);
        const int y = downwards ? rows<S> - 1 - row : row; // the row in the image
        const TapRange range = tap_range(op, y);
        constexpr int last_in = row_count(op.in) - 1;
        const auto come = [&](int tap) { // when the row of a tap comes
            const int from = static_cast<int>(tap_row(op, y, tap));
            return downwards ? last_in - from : from;
        };
        if constexpr (accumulates(op)) {
            Kernels::template pool_begin<form>(out);
            for (int t = range.begin; t < range.end; ++t) {
                ensure_rows<links.in_from[S]>(come(t), come(t) + 1);
                Kernels::template pool_add<form>(in_row<S>(come(t)), out);
            }
            Kernels::template pool_end<form>(out, range.padded, range.end - range.begin);
        } else {
            const float* taps[static_cast<std::size_t>(tap_count(op))];
            if (range.begin < range.end) {
                const int first_tap = downwards ? range.end - 1 : range.begin;
                const int last_tap = downwards ? range.begin : range.end - 1;
                ensure_rows<links.in_from[S]>(come(first_tap), come(last_tap) + 1);
                for (int t = range.begin; t < range.end; ++t) taps[t] = in_row<S>(come(t));
            }
            const float* other = nullptr;
            if constexpr (bool{step<S>.other}) {
                constexpr RowView view = other_rows(step<S>);
                ensure_all<links.other_from[S]>(op.broadcast ? 0 : row);
                other = at<view.storage, view.offset, view.stride, view.rows>(op.broadcast ? 0 : row);
            }
            const int phase = is_enlarging(op.kind) ? y % op.window.stride_h : 0;
            Kernels::template row<form>(RowTaps{taps, range.begin, range.end, range.padded, phase}, other, out,
                                        step_weights<step<S>.slot>(weights_));
        }
        next_[S] = row + 1;
    }

    Places places_;
    const Weights& weights_;
    int* next_;
};

/// Task T of a plan: a step whole, or a segment by rows.
template <class Planning, int T, class Kernels, class Weights>
TARN_ALWAYS_INLINE void run_task(const Places& places, const Weights& weights) noexcept TARN_NONBLOCKING {
    constexpr const Task& task = Planning::problem.tasks[T];
    if constexpr (task.rows) {
        using Runner = RowRunner<Planning, T, Kernels, Weights>;
        int next[static_cast<std::size_t>(Runner::count)] = {};
        Runner(places, weights, next).run();
    } else {
        constexpr const Step& step = Planning::steps.steps[task.first];
        const float* other = nullptr;
        if constexpr (step.other.storage >= 0)
            other = places.template whole<Planning, step.other.storage>() + step.other.offset;
        float* scratch = nullptr;
        if constexpr (Planning::plan.scratch[T] != Planning::plan.outside)
            scratch = places.arena + Planning::plan.scratch[T];
        Kernels::template run<step.op, Planning::plan.schedule[T]>(
            places.template whole<Planning, step.in.storage>() + step.in.offset, other,
            places.template whole<Planning, step.out.storage>() + step.out.offset, scratch,
            step_weights<step.slot>(weights));
    }
}
/// Tasks First, First + 1, ... of a plan.
template <class Planning, int First, class Kernels, class Weights, int... T>
void run_tasks([[maybe_unused]] const Places& places, [[maybe_unused]] const Weights& weights,
               std::integer_sequence<int, T...>) noexcept TARN_NONBLOCKING {
    // An array, not a fold: folds nest as deep as the network is long.
    [[maybe_unused]] const int done[] = {0, (run_task<Planning, First + T, Kernels>(places, weights), 0)...};
}

} // namespace tarn::detail
