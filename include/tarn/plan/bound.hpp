// SPDX-License-Identifier: MIT
// Bounds: what any plan for this order of steps must at least hold, under ever better sharing.
// Beside planning: reports and tests hold the plan against them.
// Knows steps and lifetimes; nothing of kernels' blocks, scratch or alignment.
#pragma once

#include <tarn/nn/reach.hpp>
#include <tarn/plan/late.hpp>
#include <tarn/plan/segment.hpp>

namespace tarn {

/// Elements, for the given order of steps and its fusions, without scratch and alignment.
struct Bounds {
    std::size_t sum = 0;       ///< every tensor its own place
    std::size_t ping_pong = 0; ///< twice the largest tensor; enough for chains only
    std::size_t lb0 = 0;       ///< most alive at once, no two tensors sharing a byte
    std::size_t lb0i = 0;      ///< the same, an elementwise output taking its input's place
    /// The same, every output overlapping an input as far as the operation allows, and a norm before a 1x1 convolution
    /// taken with it, as one after it is.
    std::size_t lb1 = 0;
};

namespace detail {

/// Overlap the operation allows between its first input and its output, whatever the kernel.
constexpr Lead ideal_lead(const Op& op) noexcept {
    switch (op.kind) {
    case OpKind::flatten_pytorch:
    case OpKind::input:
    case OpKind::concat:
    case OpKind::slice:
        return {};
    case OpKind::flatten:
    case OpKind::batch_norm:
    case OpKind::activation:
    case OpKind::softmax:
    case OpKind::layer_norm:
    case OpKind::add:
    case OpKind::mul:
    case OpKind::copy:
        return {0, 0};
    default:
        return reach_lead(op, true);
    }
}

constexpr bool is_elementwise(const Op& op) noexcept {
    return op.kind == OpKind::batch_norm || op.kind == OpKind::activation || op.kind == OpKind::softmax ||
           op.kind == OpKind::layer_norm || op.kind == OpKind::add || op.kind == OpKind::mul || op.kind == OpKind::copy;
}

template <class Number> constexpr Number larger(Number a, Number b) noexcept { return a > b ? a : b; }
template <class Number> constexpr Number smaller(Number a, Number b) noexcept { return a < b ? a : b; }

/// Elements that a view may touch, as whole rows where it has a pitch: two views of one storage meet in rows or not.
constexpr bool views_meet(const View& a, const Extents& a_extents, int a_pitch, const View& b, const Extents& b_extents,
                          int b_pitch) noexcept {
    if (a.storage != b.storage) return false;
    const RowView x = row_view(a, a_extents, a_pitch), y = row_view(b, b_extents, b_pitch);
    if (a_pitch > 0 && a_pitch == b_pitch) { // features of the same pixels
        const auto first = [](const RowView& v, int pitch) { return v.offset % static_cast<std::size_t>(pitch); };
        const std::size_t begin = first(x, a_pitch), other = first(y, b_pitch);
        if (begin >= other + static_cast<std::size_t>(b_extents.last()) ||
            other >= begin + static_cast<std::size_t>(a_extents.last()))
            return false;
    }
    const auto end = [](const RowView& v) {
        return v.offset + v.stride * static_cast<std::size_t>(v.rows - 1) + v.width;
    };
    return x.offset < end(y) && y.offset < end(x);
}

/// Lives of what each input is and each step makes, parts of one storage apart: value input_count + s is step s's.
template <int Capacity> class Parts {
  public:
    constexpr explicit Parts(const Steps<Capacity>& net) noexcept : net_(net) {
        for (int& v : latest_) v = -1;
        for (int i = 0; i < net.input_count; ++i) latest_[net.inputs[i].view.storage] = i;
        for (int v = 0; v < net.input_count; ++v) earlier_[v] = -1, last_[v] = -1;
        for (int s = 0; s < net.count; ++s) {
            const Step& step = net.steps[s];
            for_read(s, false, [&](int v) { last_[v] = s; });
            if (step.other) for_read(s, true, [&](int v) { last_[v] = s; });
            const int made = net.input_count + s;
            earlier_[made] = latest_[step.out.storage];
            latest_[step.out.storage] = made;
            last_[made] = s;
        }
        for (int i = 0; i < net.output_count; ++i) {
            const Port& port = net.outputs[i];
            for (int v = latest_[port.view.storage]; v >= 0; v = earlier_[v])
                if (meets(v, port.view, port.extents, 0)) last_[v] = net.count;
        }
    }
    constexpr int count() const noexcept { return net_.input_count + net_.count; }
    constexpr std::size_t elems(int v) const noexcept {
        return v < net_.input_count ? net_.inputs[v].extents.elems() : step_of(v).op.out.elems();
    }
    constexpr int last(int v) const noexcept { return last_[v]; }

    /// Calls f for every value that step s reads, with its first input or its second.
    template <class F> constexpr void for_read(int s, bool second, const F& f) const noexcept {
        const Step& step = net_.steps[s];
        const View& view = second ? step.other : step.in;
        const Extents extents = !second ? step.op.in : step.op.broadcast ? extents_of(step.op.out.last()) : step.op.out;
        const int pitch = second ? step.op.other_pitch : step.op.in_pitch;
        for (int v = latest_[view.storage]; v >= 0; v = earlier_[v])
            if (v - net_.input_count < s && meets(v, view, extents, pitch)) f(v);
    }

  private:
    constexpr const Step& step_of(int v) const noexcept { return net_.steps[v - net_.input_count]; }
    constexpr bool meets(int v, const View& view, const Extents& extents, int pitch) const noexcept {
        if (v < net_.input_count) return true;
        const Step& maker = step_of(v);
        return views_meet(maker.out, maker.op.out, maker.op.out_pitch, view, extents, pitch);
    }

    static constexpr int room = Capacity + Steps<Capacity>::max_ports;

    const Steps<Capacity>& net_;
    int last_[room] = {};
    int latest_[Capacity + 1] = {}; // by storage: its values, the last made first
    int earlier_[room] = {};
};

} // namespace detail

/// The bounds of a network; `owns_input` counts the inputs as tensors that may be overwritten. ideal: by step,
/// ideal_lead of its Op.
template <int Capacity>
constexpr Bounds bounds_of(const Steps<Capacity>& net, bool owns_input, const Lead* ideal) noexcept {
    const detail::Parts<Capacity> values(net);
    const Lifetimes<Capacity> lives = lifetimes_of(net, false);
    Bounds bounds;
    std::size_t largest = 0, alive = 0;
    std::size_t ends[Capacity + 1] = {}; // elements by the step that reads them last
    const auto begins = [&](int v) {
        bounds.sum += values.elems(v);
        largest = detail::larger(largest, values.elems(v));
        if (values.last(v) < 0) return;
        alive += values.elems(v);
        ends[values.last(v)] += values.elems(v);
    };
    const auto held = [&](int v) { return owns_input || v >= net.input_count; };
    for (int v = 0; v < net.input_count; ++v)
        if (owns_input) begins(v);
    bounds.lb0 = bounds.lb0i = bounds.lb1 = bounds.sum;
    bool normed = false; // by the step before, and counted with it
    for (int s = 0; s < net.count; ++s) {
        const Op& op = net.steps[s].op;
        const std::size_t out = op.out.elems();
        std::size_t in = 0, other = 0; // what ends here and may be overwritten
        int first = -1;
        values.for_read(s, false, [&](int v) { // one value, or the parts of a concat together
            first = v;
            if (held(v) && values.last(v) == s) in += values.elems(v);
        });
        if (in != op.in.elems()) in = 0;
        if (net.steps[s].other)
            values.for_read(s, true, [&](int v) {
                if (v != first && held(v) && values.last(v) == s && values.elems(v) == out) other = out;
            });
        const bool follows = op.kind == OpKind::add || op.add || (op.kind == OpKind::mul && !op.broadcast);
        const std::size_t apart = alive + out;
        std::size_t in_place = apart;
        if ((detail::is_elementwise(op) && in > 0) || (follows && other > 0)) in_place = alive;
        bounds.lb0 = detail::larger(bounds.lb0, apart);
        bounds.lb0i = detail::larger(bounds.lb0i, detail::is_elementwise(op) ? in_place : apart);
        if (norms_the_next(net, lives, s) && !net.steps[s + 1].other) {
            normed = true; // no whole tensor lies between the two
            const std::size_t made = net.steps[s + 1].op.out.elems();
            bounds.lb1 = detail::larger(bounds.lb1,
                                        in > 0 ? alive - in + overlapped_elems(in, made, ideal[s + 1]) : alive + made);
        } else if (normed) {
            normed = false;
        } else {
            std::size_t overlapped = in_place;
            if (in > 0) overlapped = detail::smaller(overlapped, alive - in + overlapped_elems(in, out, ideal[s]));
            bounds.lb1 = detail::larger(bounds.lb1, overlapped);
        }
        begins(net.input_count + s);
        alive -= ends[s];
    }
    bounds.ping_pong = 2 * largest;
    return bounds;
}
template <int Capacity> constexpr Bounds bounds_of(const Steps<Capacity>& net, bool owns_input) noexcept {
    Lead ideal[Capacity + 1]{};
    for (int s = 0; s < net.count; ++s) ideal[s] = detail::ideal_lead(net.steps[s].op);
    return bounds_of(net, owns_input, ideal);
}

} // namespace tarn
