// SPDX-License-Identifier: MIT
// Bounds: what any plan for this order of steps must at least hold, under ever better sharing.
// Beside planning: reports and tests hold the plan against them.
// Knows steps and lifetimes; nothing of kernels' blocks, scratch or alignment.
#pragma once

#include <tarn/nn/reach.hpp>
#include <tarn/plan/lifetime.hpp>

namespace tarn {

/// Elements, for the given order of steps and its fusions, without scratch and alignment.
struct Bounds {
    std::size_t sum = 0;       ///< every tensor its own place
    std::size_t ping_pong = 0; ///< twice the largest tensor; enough for chains only
    std::size_t lb0 = 0;       ///< most alive at once, no two tensors sharing a byte
    std::size_t lb0i = 0;      ///< the same, an elementwise output taking its input's place
    std::size_t lb1 = 0;       ///< the same, every output overlapping an input as far as the operation allows
};

namespace detail {

/// Overlap the operation allows between its first input and its output, whatever the kernel.
constexpr Lead ideal_lead(const Op& op) noexcept {
    switch (op.kind) {
    case OpKind::flatten_pytorch:
        return {};
    case OpKind::linear:
    case OpKind::conv2d:
    case OpKind::max_pool2d:
    case OpKind::avg_pool2d:
        return reach_lead(op, true);
    default:
        return {0, 0};
    }
}

constexpr bool is_elementwise(const Op& op) noexcept {
    return op.kind == OpKind::batch_norm || op.kind == OpKind::activation || op.kind == OpKind::softmax ||
           op.kind == OpKind::add;
}

template <class Number> constexpr Number larger(Number a, Number b) noexcept { return a > b ? a : b; }
template <class Number> constexpr Number smaller(Number a, Number b) noexcept { return a < b ? a : b; }

} // namespace detail

/// The bounds of a network; `owns_input` counts the input as a tensor that may be overwritten.
template <int Capacity> constexpr Bounds bounds_of(const Steps<Capacity>& net, bool owns_input) noexcept {
    const Lifetimes<Capacity> lives = lifetimes_of(net, false);
    Bounds bounds;
    std::size_t largest = 0;
    for (int v = owns_input ? 0 : 1; v <= net.count; ++v) {
        bounds.sum += net.elems(v);
        largest = detail::larger(largest, net.elems(v));
    }
    bounds.ping_pong = 2 * largest;
    if (owns_input) bounds.lb0 = bounds.lb0i = bounds.lb1 = net.input.elems();
    for (int s = 0; s < net.count; ++s) {
        const Step& step = net.steps[s];
        const std::size_t out = step.op.out.elems();
        const bool input_held = step.input > 0 || owns_input,
                   other_held = step.other > 0 || (step.other == 0 && owns_input);
        const std::size_t in = input_held ? net.elems(step.input) : 0;
        const std::size_t other = other_held && step.other != step.input ? net.elems(step.other) : 0;
        std::size_t waiting = 0; // alive beside the step's own tensors
        for (int v = owns_input ? 0 : 1; v <= s; ++v)
            if (lives.live_at(v, s) && v != step.input && v != step.other) waiting += net.elems(v);
        const bool shares_input = input_held && lives.dies_at(step.input, s);
        const bool shares_other = other > 0 && lives.dies_at(step.other, s);

        const std::size_t apart = in + other + out;
        std::size_t in_place = apart;
        if (detail::is_elementwise(step.op) && shares_input) in_place = in + other;
        if (step.op.add && shares_other) in_place = detail::smaller(in_place, in + other);
        std::size_t overlapped = in_place;
        if (shares_input)
            overlapped = detail::smaller(overlapped, other + overlapped_elems(in, out, detail::ideal_lead(step.op)));
        bounds.lb0 = detail::larger(bounds.lb0, waiting + apart);
        bounds.lb0i = detail::larger(bounds.lb0i, waiting + (detail::is_elementwise(step.op) ? in_place : apart));
        bounds.lb1 = detail::larger(bounds.lb1, waiting + overlapped);
    }
    return bounds;
}

} // namespace tarn
