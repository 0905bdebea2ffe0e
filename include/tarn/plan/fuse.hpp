// SPDX-License-Identifier: MIT
// Fuse: nodes become steps. Batch norm goes into the weights before it, an activation or a residual sum into the
// epilogue before it, a flatten into nothing or into the next linear layer's weights.
// Second step of planning. Knows Ops; nothing of kernels or memory.
#pragma once

#include <tarn/plan/flatten.hpp>

namespace tarn {

/// What runs as one kernel. Step i makes value i + 1; value 0 is the network's input.
struct Step {
    Op op{}; ///< with its epilogue; weights' details left out, so that steps of equal shape share a kernel
    int input = 0;
    int other = -1;      ///< what the epilogue adds
    int parameters = -1; ///< position of the layer's first weight, -1 without
    bool layer_bias = false;
    int norm = -1; ///< position of a batch norm's first weight: folded, or the step's own
    int eps_bits = 0;
    Extents permuted{}; ///< rank 3: the input's features are this image's, and the weights expect PyTorch's order
    int first_node = 0, last_node = 0;
};

/// The steps of a network. Capacity is at least twice its nodes.
template <int Capacity> struct Steps {
    Extents input{};
    Step steps[Capacity > 0 ? Capacity : 1]{};
    int count = 0;
    int output = 0; ///< the value the network returns; 0 when it returns its input
    Extents output_extents{};

    constexpr std::size_t elems(int value) const noexcept {
        return value == 0 ? input.elems() : steps[value - 1].op.out.elems();
    }
};

namespace detail {

/// What a graph value has become: a step value, perhaps in another order, perhaps with one reader only.
struct Meaning {
    int value = 0;
    Extents permuted{}; ///< rank 3: the elements lie as this image, the reader expects PyTorch's flattened order
    bool sole = false;  ///< no one else reads it or anything it is another name of
};

template <int Capacity> class Fuser {
  public:
    template <int N> constexpr explicit Fuser(const Graph<N>& graph) noexcept {
        out_.input = graph.input;
        int uses[N + 1] = {};
        for (int i = 0; i < graph.count; ++i) {
            ++uses[graph.nodes[i].input];
            if (graph.nodes[i].other >= 0) ++uses[graph.nodes[i].other];
        }
        ++uses[graph.output];
        Meaning meanings[N + 1] = {};
        meanings[0].sole = uses[0] == 1;
        for (int i = 0; i < graph.count; ++i) {
            const Node& node = graph.nodes[i];
            node_ = i;
            Meaning made = translate(node, meanings[node.input], node.other >= 0 ? meanings[node.other] : Meaning{});
            made.sole = made.sole && uses[i + 1] == 1;
            meanings[i + 1] = made;
        }
        out_.output = in_order(meanings[graph.output]).value;
        out_.output_extents = graph.extents(graph.output);
    }
    constexpr const Steps<Capacity>& result() const noexcept { return out_; }

  private:
    constexpr Meaning translate(const Node& node, Meaning in, Meaning other) noexcept {
        switch (node.op.kind) {
        case OpKind::flatten:
            return in;
        case OpKind::flatten_pytorch:
            if (node.op.in.rank == 3 && node.op.in.last() > 1 && node.op.in.rows() > 1) in.permuted = node.op.in;
            return in;
        case OpKind::activation:
            if (Step* step = maker(in); step != nullptr && step->op.act == Activation::none && takes_epilogue(*step)) {
                step->op.act = node.op.act;
                step->op.act_bits = node.op.act_bits;
                step->last_node = node_;
                return in;
            }
            return append(node, in.value, -1, in.permuted);
        case OpKind::batch_norm:
            if (Step* step = maker(in); step != nullptr && has_weights(*step) && step->norm < 0 && !step->op.add &&
                                        step->op.act == Activation::none && in.permuted.rank == 0) {
                step->norm = node.first_parameter;
                step->eps_bits = node.op.eps_bits;
                step->last_node = node_;
                return in;
            }
            return append(node, in_order(in).value, -1, Extents{});
        case OpKind::add:
            return sum(node, in, other);
        case OpKind::linear: {
            const Meaning made = append(node, in.value, -1, Extents{});
            out_.steps[made.value - 1].permuted = in.permuted;
            return made;
        }
        default:
            return append(node, in_order(in).value, -1, Extents{});
        }
    }

    /// y = a + b: in the epilogue of whichever was made last, if that one has an epilogue to spare.
    constexpr Meaning sum(const Node& node, Meaning a, Meaning b) noexcept {
        if (!(a.permuted == b.permuted)) a = in_order(a), b = in_order(b);
        if (b.value > a.value) {
            const Meaning first = a;
            a = b;
            b = first;
        }
        if (Step* step = maker(a); step != nullptr && b.value < a.value && has_weights(*step) && !step->op.add &&
                                   step->op.act == Activation::none) {
            step->op.add = true;
            step->other = b.value;
            step->last_node = node_;
            return a;
        }
        return append(node, a.value, b.value, a.permuted);
    }

    /// The step that made a value, when nobody else reads the value.
    constexpr Step* maker(const Meaning& meaning) noexcept {
        return meaning.value > 0 && meaning.sole ? &out_.steps[meaning.value - 1] : nullptr;
    }
    static constexpr bool has_weights(const Step& step) noexcept {
        return step.op.kind == OpKind::linear || step.op.kind == OpKind::conv2d;
    }
    static constexpr bool takes_epilogue(const Step& step) noexcept {
        return step.op.kind != OpKind::softmax && step.op.kind != OpKind::activation &&
               step.op.kind != OpKind::flatten_pytorch;
    }

    constexpr Meaning append(const Node& node, int input, int other, Extents permuted) noexcept {
        Step& step = out_.steps[out_.count++];
        step.op = node.op;
        step.op.bias = false;
        step.op.eps_bits = 0;
        step.input = input;
        step.other = other;
        step.first_node = step.last_node = node_;
        if (node.op.kind == OpKind::batch_norm) {
            step.norm = node.first_parameter;
            step.eps_bits = node.op.eps_bits;
        } else if (has_weights(step)) {
            step.parameters = node.first_parameter;
            step.layer_bias = node.op.bias;
        }
        return {out_.count, permuted, true};
    }

    /// A value in the order its reader expects; moves the elements if no linear layer's weights can absorb it.
    constexpr Meaning in_order(const Meaning& meaning) noexcept {
        if (meaning.permuted.rank == 0) return meaning;
        Node node;
        node.op.kind = OpKind::flatten_pytorch;
        node.op.in = meaning.permuted;
        node.op.out = extents_of(static_cast<int>(meaning.permuted.elems()));
        return append(node, meaning.value, -1, Extents{});
    }

    Steps<Capacity> out_{};
    int node_ = 0;
};

} // namespace detail

/// The steps that run a graph.
template <int N> constexpr auto fuse(const Graph<N>& graph) noexcept {
    return detail::Fuser<2 * N + 1>(graph).result();
}

} // namespace tarn
