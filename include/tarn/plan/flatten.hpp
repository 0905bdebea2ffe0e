// SPDX-License-Identifier: MIT
// Flatten: a network type becomes a list of nodes with known shapes, or the first fault that stops it.
// First step of planning; fuse.hpp turns the nodes into the steps that run.
// Knows modules; nothing of kernels or memory.
#pragma once

#include <tarn/nn/combine.hpp>
#include <tarn/nn/op.hpp>

namespace tarn {

/// One layer of a network: an Op on values. Value 0 is the network's input, value i + 1 what node i makes.
struct Node {
    Op op{};
    int input = 0;
    int other = -1;           ///< second input of an add
    int first_parameter = -1; ///< position of its first weight among all of the network's
};

/// A network as nodes in the order they run. Capacity is at least the number of nodes.
template <int Capacity> struct Graph {
    Extents input{};
    Node nodes[Capacity > 0 ? Capacity : 1]{};
    int count = 0;
    int output = 0; ///< the value the network returns
    int parameter_count = 0;
    Fault fault{};

    constexpr Extents extents(int value) const noexcept { return value == 0 ? input : nodes[value - 1].op.out; }
};

namespace detail {

/// Where the walk is: positions from the outermost module inwards.
struct Path {
    int depth = 0;
    int at[Fault::max_depth] = {};

    constexpr Path inside(int position) const noexcept {
        Path path = *this;
        if (path.depth < Fault::max_depth) path.at[path.depth++] = position;
        return path;
    }
};

constexpr void keep_first(Fault& first, Fault fault, const Path& path) noexcept {
    if (first.rule != Rule::none || fault.rule == Rule::none) return;
    first = fault;
    first.depth = path.depth;
    for (int i = 0; i < path.depth; ++i) first.path[i] = path.at[i];
}

/// How a module is walked. This one is a leaf: a module with an Op.
template <class Module> struct Walk {
    static constexpr int nodes = 1;

    template <class G> static constexpr int into(G& graph, int value, const Path& path) noexcept {
        const Extents in = graph.extents(value);
        keep_first(graph.fault, Module::rule(in), path);
        Node& node = graph.nodes[graph.count++];
        node.op = Module::op(in);
        node.input = value;
        node.first_parameter = graph.parameter_count;
        graph.parameter_count += Module::parameter_count;
        return graph.count;
    }
};

template <class... Modules> struct Walk<Sequential<Modules...>> {
    static constexpr int nodes = (Walk<Modules>::nodes + ... + 0);

    template <class G> static constexpr int into(G& graph, int value, const Path& path) noexcept {
        int position = 0;
        // An array, not a fold: folds nest as deep as the network is long.
        [[maybe_unused]] const int values[] = {value,
                                               (value = Walk<Modules>::into(graph, value, path.inside(position++)))...};
        return value;
    }
};

template <class Body, class Shortcut> struct Walk<Residual<Body, Shortcut>> {
    static constexpr int nodes = Walk<Body>::nodes + Walk<Shortcut>::nodes + 1;

    /// The body first: while it runs only x waits, not the shortcut's result as well.
    template <class G> static constexpr int into(G& graph, int value, const Path& path) noexcept {
        const int body = Walk<Body>::into(graph, value, path.inside(0));
        const int shortcut = Walk<Shortcut>::into(graph, value, path.inside(1));
        const Extents y = graph.extents(body), x = graph.extents(shortcut);
        Fault fault;
        if (!(x == y)) fault.rule = Rule::residual_shapes, fault.found = y, fault.wanted = x;
        keep_first(graph.fault, fault, path);
        Node& node = graph.nodes[graph.count++];
        node.op.kind = OpKind::add;
        node.op.in = node.op.out = y;
        node.op.add = true;
        node.input = body;
        node.other = shortcut;
        return graph.count;
    }
};

template <IsNamed Module> struct Walk<Module> : Walk<typename Module::Inner> {};

} // namespace detail

/// The nodes of Net on an input of the given extents, with the first fault if a layer does not fit.
template <class Net> constexpr auto flatten(Extents input) noexcept {
    Graph<detail::Walk<Net>::nodes> graph;
    graph.input = input;
    graph.output = detail::Walk<Net>::into(graph, 0, detail::Path{});
    return graph;
}

/// Whether a network accepts an input of the given Shape; the question behind the errors of Model.
template <class Net, class In>
concept Accepts = flatten<Net>(In::extents)
.fault.rule == Rule::none;

} // namespace tarn
