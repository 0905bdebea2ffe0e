// SPDX-License-Identifier: MIT
// Row counts: how many rows every layer has when the input has n of them, asked of the layers' own shape functions; and
// what is said of a network that cannot run on any number of rows.
// Beside plan/counted; run/up_to.hpp executes with them. Knows the network's walk; nothing of memory.
#pragma once

#include <tarn/plan/counted.hpp>
#include <tarn/plan/stream_check.hpp>

namespace tarn {

/// Why a network cannot run on a number of rows that is only known while running.
enum class CountRule : int { none, input, across, padding, join };

namespace check {
template <class Where, class In> struct CountInput {
    static_assert(never<Where, In>, "UpTo: the input must be rows [T, F] or [H, W, C], the varying extent first; give "
                                    "UpTo such a Shape");
};
template <class Where, class In> struct CountAcross {
    static_assert(never<Where, In>, "UpTo: this layer mixes the varying first axis with others; pool over all of that "
                                    "axis before, or keep it");
};
template <class Where, class In> struct CountPadding {
    static_assert(never<Where, In>, "UpTo: the padding before the first row changes with the number of rows; name it "
                                    "with Padding or Causal");
};
template <class Where, class In> struct CountJoin {
    static_assert(never<Where, In>,
                  "UpTo: this layer joins a value whose rows vary with one whose rows do not; pool or "
                  "keep the first axis in both");
};

template <CountRule R, class Where, class In> constexpr auto select_count_text() noexcept {
    if constexpr (R == CountRule::input)
        return static_cast<CountInput<Where, In>*>(nullptr);
    else if constexpr (R == CountRule::across)
        return static_cast<CountAcross<Where, In>*>(nullptr);
    else if constexpr (R == CountRule::padding)
        return static_cast<CountPadding<Where, In>*>(nullptr);
    else if constexpr (R == CountRule::join)
        return static_cast<CountJoin<Where, In>*>(nullptr);
    else
        return static_cast<Passed*>(nullptr);
}
} // namespace check

namespace detail {

/// What of a layer depends on how many rows its input has.
struct LayerRows {
    int rows = 0;
    int pad_bottom = 0; ///< of its window: depends on the rows where the padding is SAME
};

/// Whether a network takes so many rows.
enum class CountFit : int { fits, too_few, uneven };

/// Asks the layers of a network, in the order written, what they make of an input.
class RowCounter {
  public:
    constexpr RowCounter(Extents* values, LayerRows* made, Extents input) noexcept : values_(values), made_(made) {
        values_[0] = input;
    }
    template <class Module> constexpr int node(int value) noexcept {
        const Extents in = values_[value];
        judge(Module::rule(in), CountFit::too_few);
        return add(Module::op(in));
    }
    template <class Module> constexpr int join(const int* values, int count) noexcept {
        const Extents first = values_[values[0]], second = values_[values[1]];
        judge(Module::rule(first, second), CountFit::uneven);
        Op op = Module::op(first, second);
        for (int i = 2; i < count; ++i) {
            judge(Module::rule(op.out, values_[values[i]]), CountFit::uneven);
            op.out = Module::op(op.out, values_[values[i]]).out;
        }
        return add(op);
    }
    template <class Module> constexpr void require(int value) noexcept {
        judge(Module::rule(values_[value]), CountFit::uneven);
    }
    constexpr void fault(const Fault& found) noexcept { judge(found, CountFit::uneven); }
    constexpr int enter(Label) noexcept { return 0; }
    constexpr void leave(int) noexcept {}
    constexpr CountFit fit() const noexcept { return fit_; }

  private:
    constexpr void judge(const Fault& found, CountFit otherwise) noexcept {
        if (fit_ == CountFit::fits && found.rule != Rule::none) fit_ = otherwise;
    }
    constexpr int add(const Op& op) noexcept {
        made_[count_] = {row_count(op.out), op.window.pad_bottom};
        values_[++count_] = op.out;
        return count_;
    }

    Extents* values_;
    LayerRows* made_;
    int count_ = 0;
    CountFit fit_ = CountFit::fits;
};

/// Walks a network on its largest input and keeps the first layer that would not run on fewer rows.
class CountJudge {
  public:
    constexpr CountJudge(Extents* values, bool* counted, Extents input) noexcept : values_(values), counted_(counted) {
        values_[0] = input;
        counted_[0] = true;
        if (input.rank != 2 && input.rank != 3) fault_at(CountRule::input, input, -1);
    }
    template <class Module> constexpr int node(int value) noexcept {
        const Extents in = values_[value];
        const Op op = Module::op(in);
        bool counted = counted_[value];
        if (counted) {
            const bool reshapes = op.kind == OpKind::flatten || op.kind == OpKind::flatten_pytorch;
            if (reshapes && !(op.in == op.out)) fault_at(CountRule::across, in, count_);
            counted = !ends_rows(op);
            for (int less = 1; is_windowed(op.kind) && counted && less < op.window.stride_h && less < in[0]; ++less) {
                Extents fewer = in;
                fewer.set(0, in[0] - less); // SAME repeats by stride
                if (Module::op(fewer).window.pad_top != op.window.pad_top) fault_at(CountRule::padding, in, count_);
            }
        }
        return add(op, counted);
    }
    template <class Module> constexpr int join(const int* values, int count) noexcept {
        Op op = Module::op(values_[values[0]], values_[values[1]]);
        bool any = counted_[values[0]], all = any;
        for (int i = 1; i < count; ++i) {
            if (i > 1) op.out = Module::op(op.out, values_[values[i]]).out;
            any = any || counted_[values[i]];
            all = all && counted_[values[i]];
        }
        if (any && op.kind == OpKind::concat && op.axis == 0) fault_at(CountRule::across, op.out, count_);
        if (any && !all && !op.broadcast) fault_at(CountRule::join, op.out, count_);
        return add(op, any);
    }
    template <class Module> constexpr void require(int) noexcept {}
    constexpr void fault(const Fault&) noexcept {}
    constexpr int enter(Label) noexcept { return 0; }
    constexpr void leave(int) noexcept {}

    constexpr void fault_at(CountRule rule, Extents found, int node) noexcept {
        if (rule_ != CountRule::none) return;
        rule_ = rule;
        found_ = found;
        node_ = node;
    }
    constexpr CountRule rule() const noexcept { return rule_; }
    constexpr Extents found() const noexcept { return found_; }
    constexpr int node() const noexcept { return node_; }

  private:
    constexpr int add(const Op& op, bool counted) noexcept {
        values_[++count_] = op.out;
        counted_[count_] = counted;
        return count_;
    }

    Extents* values_;
    bool* counted_;
    int count_ = 0;
    CountRule rule_ = CountRule::none;
    Extents found_{};
    int node_ = -1;
};

/// A network on inputs of up to TheShape's rows.
template <class Net, class TheShape> struct RowCounts {
    static constexpr int nodes = node_capacity<Net, 1>;

    struct Found {
        CountRule rule = CountRule::none;
        Extents extents{1, 1};
        int node = -1;
    };
    static constexpr Found found = [] {
        Found made;
        if constexpr (Network<Net, TheShape>::fits) {
            Extents extents[nodes + 1] = {};
            bool counted[nodes + 1] = {};
            CountJudge judge(extents, counted, TheShape::extents);
            Values values = input_values(1);
            Walk<Net>::into(judge, values);
            made.rule = judge.rule();
            if (made.rule != CountRule::none) made.extents = judge.found();
            made.node = judge.node();
        }
        return made;
    }();
    static constexpr bool fits = found.rule == CountRule::none;

    LayerRows made[nodes > 0 ? nodes : 1]{}; ///< by layer as written

    /// Counts of an input of so many rows, good for something where all layers take what they would get.
    constexpr CountFit count(int rows) noexcept {
        Extents extents[nodes + 1] = {};
        Extents input = TheShape::extents;
        input.set(0, rows);
        RowCounter counter(extents, made, input);
        Values values = input_values(1);
        Walk<Net>::into(counter, values);
        return counter.fit();
    }
};

template <class Net, class Counts>
using CountVerdict = typename check::Pointee<
    decltype(check::select_count_text<Counts::found.rule,
                                      decltype(check::where_of<NodePlace<Net, Counts::found.node>,
                                                               NodePlace<Net, Counts::found.node>::fault.depth>()),
                                      check::Found<ShapeOf<Counts::found.extents>>>())>::type;

} // namespace detail
} // namespace tarn
