// SPDX-License-Identifier: MIT
// Nodes: a network as a list of layers with known shapes, and the values that flow between them.
// What plan/flatten makes of a network type and plan/fuse reads.
// Knows Ops; nothing of modules, kernels or memory.
#pragma once

#include <tarn/nn/op.hpp>

namespace tarn {

/// One layer: an Op on values. Value 0 is the network's (first) input, value i + 1 what node i makes.
struct Node {
    Op op{};
    int input = 0;
    int other = -1;           ///< second input of add and mul
    int first_edge = 0;       ///< concat alone: its inputs are edges [first_edge, first_edge + edge_count)
    int edge_count = 0;       ///< of Nodes::edges
    int first_parameter = -1; ///< position of its first weight among all of the network's
    int written = -1;         ///< position in the network as written; order.hpp may run it elsewhere
};

/// A network as nodes in the order they run; further inputs come first, as nodes of kind `input`. Capacity is at least
/// the number of nodes and of edges.
template <int Capacity> struct Nodes {
    static constexpr int max_outputs = 8;

    Extents input{};
    Node nodes[Capacity > 0 ? Capacity : 1]{};
    int edges[Capacity > 0 ? Capacity : 1] = {}; ///< values that concats read
    int count = 0;
    int edge_count = 0;
    int outputs[max_outputs] = {}; ///< the values the network returns
    int output_count = 0;
    int parameter_count = 0;
    Fault fault{};

    constexpr Extents extents(int value) const noexcept { return value == 0 ? input : nodes[value - 1].op.out; }
};

} // namespace tarn
