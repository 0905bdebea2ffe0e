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

/// All results of Net on an input Shape or on Inputs, one after another; every tensor kept apart, nothing fused or
/// folded. inputs: one pointer each; parameters as for Model::pack. Memory: the sum of all tensors, in double, on the
/// stack.
template <class Net, class In>
constexpr auto reference_outputs(std::span<const float* const> inputs,
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
    std::size_t used = 0, given = 0;
    const auto take_input = [&](const Extents& extents) {
        for (std::size_t i = 0; i < extents.elems(); ++i) tensors[used + i] = double{inputs[given][i]};
        ++given;
        used += extents.elems();
    };
    const auto value = [&](int v) -> const double* { return tensors.data() + at[static_cast<std::size_t>(v)]; };
    take_input(graph.input);
    for (int n = 0; n < graph.count; ++n) {
        const Node& node = graph.nodes[n];
        at[static_cast<std::size_t>(n) + 1] = used;
        double* const made = tensors.data() + used;
        if (node.op.kind == OpKind::input) {
            take_input(node.op.out);
            continue;
        }
        if (node.op.kind == OpKind::concat) {
            int first = 0;
            for (int e = 0; e < node.edge_count; ++e) {
                const int part = graph.edges[node.first_edge + e];
                reference::place_in_concat(node.op, value(part), graph.extents(part), first, made);
                first += graph.extents(part)[node.op.axis];
            }
        } else {
            const auto parameter = [&](int i) {
                return parameters[static_cast<std::size_t>(node.first_parameter + i)];
            };
            reference::LayerWeights w;
            switch (node.op.kind) {
            case OpKind::batch_norm:
                w = {parameter(0), parameter(1), parameter(2), parameter(3)};
                break;
            case OpKind::layer_norm:
                if (node.op.affine) w.weight = parameter(0);
                if (node.op.bias) w.bias = parameter(1);
                break;
            case OpKind::gru:
            case OpKind::lstm:
                w.weight = parameter(0), w.weight_hh = parameter(1);
                if (node.op.bias) w.bias = parameter(2), w.bias_hh = parameter(3);
                break;
            case OpKind::linear:
            case OpKind::conv2d:
            case OpKind::up_conv2d:
                w.weight = parameter(0);
                if (node.op.bias) w.bias = parameter(1);
                break;
            default:
                break;
            }
            reference::layer(node.op, value(node.input), node.other < 0 ? nullptr : value(node.other), made, w);
        }
        used += node.op.out.elems();
    }
    constexpr std::size_t results = [] {
        std::size_t sum = 0;
        for (int o = 0; o < graph.output_count; ++o) sum += graph.extents(graph.outputs[o]).elems();
        return sum;
    }();
    std::array<double, results> result{};
    double* next = result.data();
    for (int o = 0; o < graph.output_count; ++o) {
        const double* const made = value(graph.outputs[o]);
        for (std::size_t i = 0; i < graph.extents(graph.outputs[o]).elems(); ++i) *next++ = made[i];
    }
    return result;
}

/// The same of a network of one input.
template <class Net, class In>
constexpr auto reference_forward(std::span<const float, In::elems> input,
                                 std::span<const float* const> parameters) noexcept {
    const float* const inputs[] = {input.data()};
    return reference_outputs<Net, In>(inputs, parameters);
}

} // namespace tarn
