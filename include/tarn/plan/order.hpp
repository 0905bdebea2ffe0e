// SPDX-License-Identifier: MIT
// Order: which branch runs first, where the graph leaves that open: the one that needs more room beyond what it leaves.
// Between flatten and fuse. Sethi and Ullman's rule for trees (J. ACM 17, 1970), kept only where it lowers the peak.
// Knows nodes and their extents; nothing of kernels or places.
#pragma once

#include <tarn/plan/nodes.hpp>

namespace tarn {
namespace detail {

/// Elements alive at most when nodes run in a given order, whole tensors, elementwise ones in place.
template <int Capacity> class OrderCost {
  public:
    constexpr explicit OrderCost(const Nodes<Capacity>& nodes) noexcept : nodes_(nodes) {}

    /// order[i]: the node that runs i-th.
    constexpr std::size_t peak(const int* order) const noexcept {
        int last[Capacity + 1] = {}; // when a value is read last
        for (int v = 0; v <= nodes_.count; ++v) last[v] = -1;
        for (int o = 0; o < nodes_.output_count; ++o) last[nodes_.outputs[o]] = nodes_.count;
        for (int i = nodes_.count; i-- > 0;) {
            const int made = order[i] + 1;
            // Another name of its inputs: they live as long as it does.
            const int until = is_view(made) && last[made] > i ? last[made] : i;
            for_inputs(order[i], [&](int v) {
                if (last[v] < until && (last[made] >= 0 || !is_view(made))) last[v] = until;
            });
        }
        std::size_t alive = 0, most = 0;
        std::size_t ends[Capacity + 2] = {};
        for (int i = 0; i < nodes_.count; ++i) {
            const int made = order[i] + 1;
            const std::size_t size = last[made] < 0 ? 0 : size_of(made);
            const bool in_place = takes_place(order[i]) && last[nodes_.nodes[order[i]].input] == i;
            const std::size_t now = alive + (in_place ? 0 : size);
            if (now > most) most = now;
            alive += size;
            ends[last[made] < 0 ? i : last[made]] += size;
            alive -= ends[i];
        }
        return most;
    }

    constexpr std::size_t size_of(int value) const noexcept {
        return value == 0 || is_view(value) ? 0 : nodes_.extents(value).elems();
    }
    template <class F> constexpr void for_inputs(int node, const F& f) const noexcept {
        const Node& n = nodes_.nodes[node];
        if (n.op.kind == OpKind::input) return;
        if (n.op.kind == OpKind::concat) {
            for (int e = 0; e < n.edge_count; ++e) f(nodes_.edges[n.first_edge + e]);
            return;
        }
        f(n.input);
        if (n.other >= 0) f(n.other);
    }

  private:
    constexpr bool is_view(int value) const noexcept {
        if (value == 0) return false;
        const OpKind kind = nodes_.nodes[value - 1].op.kind;
        return kind == OpKind::concat || kind == OpKind::slice || kind == OpKind::flatten ||
               kind == OpKind::flatten_pytorch || kind == OpKind::input;
    }
    constexpr bool takes_place(int node) const noexcept {
        const OpKind kind = nodes_.nodes[node].op.kind;
        return kind == OpKind::activation || kind == OpKind::batch_norm || kind == OpKind::softmax ||
               kind == OpKind::layer_norm || kind == OpKind::add || kind == OpKind::mul;
    }

    const Nodes<Capacity>& nodes_;
};

/// Nodes in the order of a walk from the outputs, the neediest input of each node first.
template <int Capacity> class Orderer {
  public:
    constexpr explicit Orderer(const Nodes<Capacity>& nodes) noexcept : nodes_(nodes), cost_(nodes) {
        // What each value needs while it is made, its inputs made in the better order: as if the graph were a tree.
        for (int n = 0; n < nodes.count; ++n) {
            int inputs[max_inputs] = {};
            const int count = sorted_inputs(n, inputs);
            std::size_t held = 0, most = cost_.size_of(n + 1);
            for (int i = 0; i < count; ++i) {
                if (held + need_[inputs[i]] > most) most = held + need_[inputs[i]];
                held += cost_.size_of(inputs[i]);
            }
            if (held + cost_.size_of(n + 1) > most) most = held + cost_.size_of(n + 1);
            need_[n + 1] = most;
        }
        for (int n = 0; n < nodes.count; ++n)
            if (nodes.nodes[n].op.kind == OpKind::input) take(n);
        for (int o = 0; o < nodes.output_count; ++o) visit(nodes.outputs[o]);
        for (int n = 0; n < nodes.count; ++n) visit(n + 1); // what nobody reads
    }
    constexpr const int* order() const noexcept { return order_; }

  private:
    static constexpr int max_inputs = 64;

    /// By what making an input needs beyond what it leaves, most first.
    constexpr int sorted_inputs(int node, int* to) const noexcept {
        int count = 0;
        const auto beyond = [&](int v) { return need_[v] - cost_.size_of(v); };
        cost_.for_inputs(node, [&](int v) {
            if (count == max_inputs) return;
            int at = count++;
            for (; at > 0 && beyond(to[at - 1]) < beyond(v); --at) to[at] = to[at - 1];
            to[at] = v;
        });
        return count;
    }
    constexpr void take(int node) noexcept {
        taken_[node] = true;
        order_[count_++] = node;
    }
    /// Depth first without recursion, which would be as deep as the network is long.
    constexpr void visit(int value) noexcept {
        if (value == 0 || taken_[value - 1]) return;
        int stack[Capacity + 1] = {};
        int depth = 0;
        stack[depth++] = value - 1;
        while (depth > 0) {
            const int node = stack[depth - 1];
            int inputs[max_inputs] = {};
            const int count = sorted_inputs(node, inputs);
            int next = -1;
            for (int i = 0; i < count && next < 0; ++i)
                if (inputs[i] > 0 && !taken_[inputs[i] - 1]) next = inputs[i] - 1;
            if (next >= 0) {
                stack[depth++] = next;
                continue;
            }
            take(node);
            --depth;
        }
    }

    const Nodes<Capacity>& nodes_;
    OrderCost<Capacity> cost_;
    std::size_t need_[Capacity + 1] = {};
    bool taken_[Capacity + 1] = {};
    int order_[Capacity + 1] = {};
    int count_ = 0;
};

} // namespace detail

/// Elements alive at most when the nodes run as they stand: whole tensors, elementwise ones in place, inputs left out.
template <int Capacity> constexpr std::size_t alive_peak(const Nodes<Capacity>& nodes) noexcept {
    int as_they_stand[Capacity + 1] = {};
    for (int n = 0; n < nodes.count; ++n) as_they_stand[n] = n;
    return detail::OrderCost<Capacity>(nodes).peak(as_they_stand);
}

/// The same network, its nodes in the order that keeps less alive; as written where that is no worse.
template <int Capacity> constexpr Nodes<Capacity> ordered(Nodes<Capacity> nodes) noexcept {
    for (int n = 0; n < nodes.count; ++n) nodes.nodes[n].written = n;
    bool branches = false;
    for (int n = 0; n < nodes.count; ++n)
        branches = branches || nodes.nodes[n].op.kind == OpKind::concat || nodes.nodes[n].other >= 0;
    if (!branches || nodes.fault.rule != Rule::none) return nodes;
    const detail::Orderer<Capacity> orderer(nodes);
    if (detail::OrderCost<Capacity>(nodes).peak(orderer.order()) >= alive_peak(nodes)) return nodes;
    Nodes<Capacity> to = nodes;
    int renamed[Capacity + 1] = {}; // values
    for (int i = 0; i < nodes.count; ++i) renamed[orderer.order()[i] + 1] = i + 1;
    for (int i = 0; i < nodes.count; ++i) {
        Node& node = to.nodes[i];
        node = nodes.nodes[orderer.order()[i]];
        node.input = renamed[node.input];
        if (node.other >= 0) node.other = renamed[node.other];
    }
    for (int e = 0; e < nodes.edge_count; ++e) to.edges[e] = renamed[nodes.edges[e]];
    for (int o = 0; o < nodes.output_count; ++o) to.outputs[o] = renamed[nodes.outputs[o]];
    return to;
}

} // namespace tarn
