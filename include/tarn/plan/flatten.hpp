// SPDX-License-Identifier: MIT
// Flatten: a network type becomes a list of nodes with known shapes, or the first fault that stops it.
// First step of planning; fuse.hpp turns the nodes into the steps that run.
// Knows modules; nothing of kernels or memory.
#pragma once

#include <tarn/nn/graph.hpp>
#include <tarn/plan/nodes.hpp>

namespace tarn {

namespace detail {

/// Counts what Flattener will make.
struct NodeCounter {
    int nodes = 0, edges = 0;

    template <class Module> constexpr int node(int) noexcept { return ++nodes; }
    template <class Module> constexpr int join(const int*, int count) noexcept {
        if (!Module::chained) edges += count;
        return ++nodes;
    }
    template <class Module> constexpr void require(int) noexcept {}
    constexpr void fault(const Fault&) noexcept {}
    constexpr int enter(Label) noexcept { return 0; }
    constexpr void leave(int) noexcept {}

    constexpr int capacity() const noexcept { return nodes > edges ? nodes : edges; }
};

/// Makes the nodes; keeps the first fault, with the positions that lead to it.
class Flattener {
  public:
    constexpr Flattener(Node* nodes, int* edges, Extents input) noexcept
        : nodes_(nodes), edges_(edges), input_(input) {}

    constexpr int further_input(Extents in) noexcept {
        Node& made = nodes_[count_++];
        made.op.kind = OpKind::input;
        made.op.in = made.op.out = in;
        made.input = 0;
        return count_;
    }
    template <class Module> constexpr int node(int value) noexcept {
        const Extents in = extents(value);
        fault(Module::rule(in));
        Node& made = nodes_[count_++];
        made.op = Module::op(in);
        made.input = value;
        made.first_parameter = parameter_count_;
        parameter_count_ += Module::parameter_count;
        return count_;
    }
    template <class Module> constexpr int join(const int* values, int count) noexcept {
        const Extents first = extents(values[0]), second = extents(values[1]);
        fault(Module::rule(first, second));
        Op op = Module::op(first, second);
        for (int i = 2; i < count; ++i) {
            fault(Module::rule(op.out, extents(values[i])));
            op.out = Module::op(op.out, extents(values[i])).out;
        }
        Node& made = nodes_[count_++];
        made.op = op;
        made.input = values[0];
        if constexpr (Module::chained) {
            const bool pixel_first = !(op.in == first); // a product's larger factor is its input
            made.input = values[pixel_first ? 1 : 0];
            made.other = values[pixel_first ? 0 : 1];
        } else {
            made.first_edge = edge_count_;
            made.edge_count = count;
            for (int i = 0; i < count; ++i) edges_[edge_count_++] = values[i];
        }
        return count_;
    }
    template <class Module> constexpr void require(int value) noexcept { fault(Module::rule(extents(value))); }

    constexpr void fault(const Fault& found) noexcept {
        if (fault_.rule != Rule::none || found.rule == Rule::none) return;
        fault_ = found;
        fault_.depth = depth_ < Fault::max_depth ? depth_ : Fault::max_depth;
        for (int i = 0; i < fault_.depth; ++i) fault_.path[i] = path_[i];
    }
    constexpr int enter(Label label) noexcept {
        const int outside = depth_;
        if (label.position >= 0) {
            if (depth_ < Fault::max_depth) path_[depth_] = label.position;
            ++depth_;
        }
        return outside;
    }
    constexpr void leave(int outside) noexcept { depth_ = outside; }

    template <int Capacity> constexpr void finish(Nodes<Capacity>& to, const Values& results) noexcept {
        if (results.count < 1 || results.count > to.max_outputs)
            fault(count_fault(Rule::network_outputs, results.count, results.count < 1 ? 1 : to.max_outputs));
        for (int i = 0; i < results.count && i < to.max_outputs; ++i) to.outputs[to.output_count++] = results.at[i];
        to.count = count_;
        to.edge_count = edge_count_;
        to.parameter_count = parameter_count_;
        to.fault = fault_;
    }

  private:
    constexpr Extents extents(int value) const noexcept { return value == 0 ? input_ : nodes_[value - 1].op.out; }

    Node* nodes_;
    int* edges_;
    Extents input_;
    int count_ = 0, edge_count_ = 0, parameter_count_ = 0, depth_ = 0;
    int path_[Fault::max_depth] = {};
    Fault fault_{};
};

/// The values of a network's inputs: the first is value 0, the others are nodes, made before all else.
constexpr Values input_values(int count) noexcept {
    Values values;
    for (int i = 0; i < count && i < Values::max; ++i) values.at[values.count++] = i;
    return values;
}

/// Room for the nodes of a network of so many inputs; exact.
template <class Net, int InputCount>
inline constexpr int node_capacity = [] {
    NodeCounter counter;
    Values values = input_values(InputCount);
    counter.nodes = values.count > 0 ? values.count - 1 : 0;
    Walk<Net>::into(counter, values);
    return counter.capacity();
}();

template <class Net, int InputCount> constexpr auto flatten_on(const Extents* inputs) noexcept {
    Nodes<node_capacity<Net, InputCount>> nodes;
    nodes.input = inputs[0];
    Flattener flattener(nodes.nodes, nodes.edges, nodes.input);
    Values values = input_values(InputCount);
    for (int i = 1; i < values.count; ++i) flattener.further_input(inputs[i]);
    Walk<Net>::into(flattener, values);
    flattener.finish(nodes, values);
    return nodes;
}

} // namespace detail

/// The nodes of Net on an input of the given extents, with the first fault if a layer does not fit.
template <class Net> constexpr auto flatten(Extents input) noexcept { return detail::flatten_on<Net, 1>(&input); }

/// The same on a Shape, or on Inputs<Shape, Shape, ..> for a network of several inputs.
template <class Net, class In> constexpr auto flatten() noexcept {
    return detail::flatten_on<Net, detail::InputShapes<In>::count>(detail::InputShapes<In>::extents);
}

/// Whether a network accepts an input of the given Shape, or Inputs; the question behind the errors of Model.
template <class Net, class In>
concept Accepts = flatten<Net, In>()
.fault.rule == Rule::none;

} // namespace tarn
