// SPDX-License-Identifier: MIT
// reference_forward: a whole network through the reference kernels, layer by layer, in double.
// Beside Session: the truth a test compares with, and a forward inside a static_assert.
// Knows the unfused graph; nothing of plans or devices.
#pragma once

#include <tarn/plan/network.hpp>
#include <tarn/reference/layers.hpp>

#include <array>
#include <span>

namespace tarn {

/// Net on an input Shape, every tensor kept apart, nothing fused or folded.
/// Shapes: input In -> result, parameters as for Model::pack. Memory: the sum of all tensors, in double, on the stack.
template <class Net, class In>
constexpr auto reference_forward(std::span<const float, In::elems> input,
                                 std::span<const float* const> parameters) noexcept {
    using Facts = Network<Net, In>;
    constexpr auto& graph = Facts::graph;
    constexpr std::size_t total = [] {
        std::size_t sum = 0;
        for (int v = 0; v <= graph.count; ++v) sum += graph.extents(v).elems();
        return sum;
    }();
    std::array<double, total> tensors{};
    std::array<std::size_t, static_cast<std::size_t>(graph.count) + 1> at{};
    for (std::size_t i = 0; i < In::elems; ++i) tensors[i] = double{input[i]};
    std::size_t used = In::elems;
    for (int n = 0; n < graph.count; ++n) {
        const Node& node = graph.nodes[n];
        const auto parameter = [&](int i) { return parameters[static_cast<std::size_t>(node.first_parameter + i)]; };
        reference::LayerWeights w;
        const bool norm = node.op.kind == OpKind::batch_norm;
        if (norm || node.op.kind == OpKind::linear || node.op.kind == OpKind::conv2d) {
            w.weight = parameter(0);
            if (norm || node.op.bias) w.bias = parameter(1);
            if (norm) w.running_mean = parameter(2), w.running_var = parameter(3);
        }
        at[static_cast<std::size_t>(n) + 1] = used;
        const double* const x = tensors.data() + at[static_cast<std::size_t>(node.input)];
        const double* const other =
            node.other < 0 ? nullptr : tensors.data() + at[static_cast<std::size_t>(node.other)];
        reference::layer(node.op, x, other, tensors.data() + used, w);
        used += node.op.out.elems();
    }
    std::array<double, Facts::Output::elems> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = tensors[at[static_cast<std::size_t>(graph.output)] + i];
    return result;
}

} // namespace tarn
