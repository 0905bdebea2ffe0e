// SPDX-License-Identifier: MIT
// What is said of a network that cannot run frame by frame: one sentence, with the layer's position and its shape.
// Beside plan/stream_plan; run/stream.hpp names the verdict.
// Knows the network's walk; nothing of memory.
#pragma once

#include <tarn/plan/network.hpp>
#include <tarn/plan/stream_plan.hpp>

namespace tarn {
namespace check {

template <class Where, class In> struct StreamInputs {
    static_assert(never<Where, In>, "stream: the network must have one input (the shape counts them); join them into "
                                    "one frame and take it apart with Slice");
};
template <class Where, class In> struct StreamFrames {
    static_assert(never<Where, In>, "stream: the input must be frames [T, F] or [T, W, C], time first; give the Model "
                                    "such a Shape, of any T");
};
template <class Where, class In> struct StreamAcross {
    static_assert(never<Where, In>, "stream: this layer takes frames for another axis; flatten, reshape and concat "
                                    "must leave the first axis as it is");
};
template <class Where, class In> struct StreamFuture {
    static_assert(never<Where, In>, "stream: this layer sees frames that have not come, by its padding behind; pad "
                                    "before only, as Causal does");
};
template <class Where, class In> struct StreamEarly {
    static_assert(never<Where, In>, "stream: this layer has rows before the first frame; pad at most one less than "
                                    "the dilated kernel reaches");
};
template <class Where, class In> struct StreamAllTime {
    static_assert(never<Where, In>, "stream: this pool waits for all frames of the input; pool over a window of "
                                    "frames, with a stride");
};
template <class Where, class In> struct StreamRates {
    static_assert(never<Where, In>, "stream: this layer joins values that come at different rates; give its "
                                    "branches equal strides over time");
};
template <class Where, class In> struct StreamPeriod {
    static_assert(never<Where, In>, "stream: too many rows before the pattern of rates repeats; upsample less over "
                                    "time");
};

template <StreamRule R, class Where, class In> constexpr auto select_stream_text() noexcept {
    if constexpr (R == StreamRule::inputs)
        return static_cast<StreamInputs<Where, In>*>(nullptr);
    else if constexpr (R == StreamRule::frames)
        return static_cast<StreamFrames<Where, In>*>(nullptr);
    else if constexpr (R == StreamRule::across)
        return static_cast<StreamAcross<Where, In>*>(nullptr);
    else if constexpr (R == StreamRule::future)
        return static_cast<StreamFuture<Where, In>*>(nullptr);
    else if constexpr (R == StreamRule::early)
        return static_cast<StreamEarly<Where, In>*>(nullptr);
    else if constexpr (R == StreamRule::all_time)
        return static_cast<StreamAllTime<Where, In>*>(nullptr);
    else if constexpr (R == StreamRule::rates)
        return static_cast<StreamRates<Where, In>*>(nullptr);
    else if constexpr (R == StreamRule::period)
        return static_cast<StreamPeriod<Where, In>*>(nullptr);
    else
        return static_cast<Passed*>(nullptr);
}
} // namespace check

namespace detail {

/// Walks a network again to where a node was made, and keeps the positions that lead there.
class PathFinder {
  public:
    constexpr explicit PathFinder(int node) noexcept : wanted_(node) {}

    template <class Module> constexpr int node(int) noexcept { return made(); }
    template <class Module> constexpr int join(const int*, int) noexcept { return made(); }
    template <class Module> constexpr void require(int) noexcept {}
    constexpr void fault(const Fault&) noexcept {}
    constexpr int enter(Label label) noexcept {
        const int outside = depth_;
        if (label.position >= 0) {
            if (depth_ < Fault::max_depth) path_[depth_] = label.position;
            ++depth_;
        }
        return outside;
    }
    constexpr void leave(int outside) noexcept { depth_ = outside; }
    constexpr const Fault& found() const noexcept { return found_; }

  private:
    constexpr int made() noexcept {
        if (count_++ == wanted_) {
            found_.depth = depth_ < Fault::max_depth ? depth_ : Fault::max_depth;
            for (int i = 0; i < found_.depth; ++i) found_.path[i] = path_[i];
        }
        return count_;
    }

    int wanted_, count_ = 0, depth_ = 0;
    int path_[Fault::max_depth] = {};
    Fault found_{};
};

/// Where a node of a network stands, as a Fault without a rule.
template <class Net, int Node> struct NodePlace {
    static constexpr Fault fault = [] {
        PathFinder finder(Node);
        Values values = input_values(1);
        Walk<Net>::into(finder, values);
        return finder.found();
    }();
};
template <class Net> struct NodePlace<Net, -1> { static constexpr Fault fault{}; };

/// The text class of what keeps a network from running frame by frame; Passed when nothing does. Node: the layer that
/// is in the way, counted as the network is written, or -1.
template <class Net, class Plan, int Node>
using StreamVerdict = typename check::Pointee<
    decltype(check::select_stream_text<
             Plan::plan.rule, decltype(check::where_of<NodePlace<Net, Node>, NodePlace<Net, Node>::fault.depth>()),
             check::Found<ShapeOf<Plan::plan.found>>>())>::type;

} // namespace detail
} // namespace tarn
