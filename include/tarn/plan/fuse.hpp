// SPDX-License-Identifier: MIT
// Fuse: nodes become steps. Batch norm goes into the weights before it, an activation or a residual sum into the
// epilogue before it, a flatten into nothing or into the next linear layer's weights, a concat or slice into places.
// Second step of planning. Knows Ops; nothing of kernels or memory.
#pragma once

#include <tarn/plan/late.hpp>

namespace tarn {
namespace detail {

/// Something made whole: by a step, by the caller, or as a concat of other pieces.
struct Piece {
    std::size_t elems = 0;
    int width = 1;      ///< features of its last axis
    int parent = -1;    ///< the concat that it is a part of
    std::size_t at = 0; ///< first element (by_rows) or feature in the parent
    bool by_rows = false;
    bool fixed = false;   ///< somebody reads it as another shape, or it is the caller's: it may not become a part
    bool stacked = false; ///< it is a concat of rows, which lie in it whole
    int maker = -1;       ///< the step that writes it, -1 for concats and inputs
    int concat = -1;      ///< the node of the concat that it is
};

/// What a graph value has become: a piece or some of its features, perhaps in another order, perhaps read once only.
struct Meaning {
    int piece = 0;
    int begin = 0, features = 0; ///< of the last axis as it is seen
    int width = 0;               ///< features of a whole row as it is seen
    Extents permuted{}; ///< rank 3: the elements lie as this image, the reader expects PyTorch's flattened order
    bool sole = false;  ///< no one else reads it or anything it is another name of
};

/// A step's view before pieces have found their storages.
struct Draft {
    int piece = -1;
    int begin = 0;
    int width = 0;
};

template <int Capacity> class Fuser {
  public:
    /// keep_apart: nothing is made straight into a concat, so that every step's output lies whole by itself.
    template <int N>
    constexpr Fuser(const Nodes<N>& graph, bool keep_apart, const Late& late) noexcept : keep_apart_(keep_apart) {
        bool needed[N + 1] = {};
        int uses[N + 1] = {}, reader[N + 1] = {}; // the first layer that reads a value
        for (int i = 0; i < graph.output_count; ++i) needed[graph.outputs[i]] = true, ++uses[graph.outputs[i]];
        for (int i = graph.count; i-- > 0;) {
            if (!needed[i + 1]) continue; // nobody reads it: it takes no step and no memory
            const Node& node = graph.nodes[i];
            const auto read = [&](int value) { needed[value] = true, ++uses[value], reader[value] = i; };
            if (node.op.kind == OpKind::concat) {
                for (int e = 0; e < node.edge_count; ++e) read(graph.edges[node.first_edge + e]);
            } else if (node.op.kind != OpKind::input) {
                read(node.input);
                if (node.other >= 0) read(node.other);
            }
        }
        int layers[N + 1] = {}; // that have run when a value is there
        for (int i = 0; i < graph.count; ++i) layers[i + 1] = layers[i] + (needed[i + 1] && works(graph.nodes[i].op));
        // Whether a part of a concat is there for long before the next part is.
        const auto waits = [&](const Node& concat, int part) {
            int next = -1;
            for (int e = 0; e < concat.edge_count; ++e) {
                const int other = layers[graph.edges[concat.first_edge + e]];
                if (other > layers[part] && (next < 0 || other < next)) next = other;
            }
            return next - layers[part] > longest_wait;
        };
        // A convolution of a concat whose parts wait for each other is a sum of convolutions: there is no concat then.
        const auto apart = [&](int value) {
            if (value == 0 || graph.nodes[value - 1].op.kind != OpKind::concat || uses[value] > 1) return false;
            const Node& concat = graph.nodes[value - 1];
            const Node& layer = graph.nodes[reader[value]];
            if (layer.input != value || layer.op.kind != OpKind::conv2d || layer.op.groups > 1) return false;
            if (joins_rows(concat.op)) return false;
            for (int e = 0; e < concat.edge_count; ++e)
                if (waits(concat, graph.edges[concat.first_edge + e])) return true;
            return false;
        };
        Meaning meanings[N + 1] = {};
        meanings[0] = take_input(graph.input);
        meanings[0].sole = uses[0] == 1;
        for (int i = 0; i < graph.count; ++i) {
            const Node& node = graph.nodes[i];
            node_ = i;
            if (node.op.kind == OpKind::input) {
                meanings[i + 1] = take_input(node.op.out); // the caller gives it, whether it is read or not
                meanings[i + 1].sole = uses[i + 1] == 1;
                continue;
            }
            if (!needed[i + 1] || apart(i + 1)) continue;
            Meaning made;
            if (node.op.kind == OpKind::concat) {
                const int* edges = graph.edges + node.first_edge;
                Meaning parts[max_parts] = {};
                bool alone[max_parts] = {};
                for (int e = 0; e < node.edge_count && e < max_parts; ++e)
                    parts[e] = meanings[edges[e]], alone[e] = late.has(i) || waits(node, edges[e]);
                made = join(node, parts, alone);
            } else if (node.op.kind == OpKind::conv2d && apart(node.input)) {
                const Node& concat = graph.nodes[node.input - 1];
                for (int e = 0, feature = 0; e < concat.edge_count; ++e) {
                    const Meaning& part = meanings[graph.edges[concat.first_edge + e]];
                    made = add_part(node, in_order(part), feature, made);
                    feature += part.features;
                }
            } else {
                made = translate(node, meanings[node.input], node.other >= 0 ? meanings[node.other] : Meaning{});
            }
            made.sole = made.sole && uses[i + 1] == 1;
            meanings[i + 1] = made;
        }
        for (int i = 0; i < graph.output_count; ++i) {
            const Extents extents = graph.extents(graph.outputs[i]);
            Meaning result = in_order(meanings[graph.outputs[i]]);
            if (!lies_whole(result)) result = copied(result, extents);
            results_[i] = draft_of(result);
            out_.outputs[i].extents = extents;
        }
        out_.output_count = graph.output_count;
        settle();
    }
    constexpr const Steps<Capacity>& result() const noexcept { return out_; }

  private:
    constexpr Meaning take_input(Extents extents) noexcept {
        const Meaning made = add_piece(extents);
        pieces_[made.piece].fixed = true;
        out_.inputs[out_.input_count] = {View{made.piece, 0}, extents};
        ++out_.input_count;
        return made;
    }

    constexpr Meaning add_piece(Extents extents) noexcept {
        Piece& piece = pieces_[piece_count_];
        piece.elems = extents.elems();
        piece.width = extents.last();
        return {piece_count_++, 0, extents.last(), extents.last(), Extents{}, true};
    }

    constexpr Meaning translate(const Node& node, Meaning in, Meaning other) noexcept {
        switch (node.op.kind) {
        case OpKind::flatten:
            return reshaped(node, in);
        case OpKind::flatten_pytorch:
            in = reshaped(node, in);
            if (node.op.in.rank == 3 && node.op.in.last() > 1 && node.op.in.rows() > 1) in.permuted = node.op.in;
            return in;
        case OpKind::slice:
            in = in_order(in);
            in.begin += node.op.begin;
            in.features = node.op.out.last();
            in.sole = false;
            return in;
        case OpKind::activation:
            if (Step* step = maker(in); step != nullptr && step->op.act == Activation::none && takes_epilogue(*step)) {
                step->op.act = node.op.act;
                step->op.act_bits = node.op.act_bits;
                step->last_node = node_;
                return in;
            }
            return append(node, in, nullptr, in.permuted);
        case OpKind::batch_norm:
            if (Step* step = maker(in); step != nullptr && folds_norm(*step) && step->norm < 0 &&
                                        (!step->op.add || step->features > 0) && step->op.act == Activation::none &&
                                        in.permuted.rank == 0 && step->op.out.last() == node.op.out.last()) {
                step->last_node = node_;
                for (;; --step) { // and all whose sum it is
                    step->norm = node.first_parameter;
                    step->eps_bits = node.op.eps_bits;
                    if (step->feature == 0) return in;
                }
            }
            return append(node, in_order(in), nullptr, Extents{});
        case OpKind::add:
            return sum(node, in, other);
        case OpKind::mul: {
            if (!(in.permuted == other.permuted)) in = in_order(in), other = in_order(other);
            return append(node, in, &other, in.permuted);
        }
        case OpKind::linear: {
            const Meaning made = append(node, in, nullptr, Extents{});
            out_.steps[out_.count - 1].permuted = in.permuted;
            return made;
        }
        default:
            return append(node, in_order(in), nullptr, Extents{});
        }
    }

    /// Another shape of the same elements, which must then lie without gaps.
    constexpr Meaning reshaped(const Node& node, Meaning in) noexcept {
        if (node.op.in == node.op.out) return in;
        in = in_order(in);
        if (node.op.in.rows() == 1 && node.op.out.rows() == 1) return in;
        if (!lies_whole(in)) in = copied(in, node.op.in);
        pieces_[in.piece].fixed = true;
        in.features = in.width = node.op.out.last();
        return in;
    }

    /// y = a + b: in the epilogue of whichever was made last, if that one has an epilogue to spare.
    constexpr Meaning sum(const Node& node, Meaning a, Meaning b) noexcept {
        if (!(a.permuted == b.permuted)) a = in_order(a), b = in_order(b);
        if (made_at(b) > made_at(a)) {
            const Meaning first = a;
            a = b;
            b = first;
        }
        if (Step* step = maker(a); step != nullptr && made_at(b) < made_at(a) && sums_in_epilogue(*step) &&
                                   !step->op.add && step->op.act == Activation::none &&
                                   (step->op.out == node.op.out || lies_whole(b))) {
            step->op.add = true;
            Draft& other = others_[pieces_[a.piece].maker] = draft_of(b);
            if (!(step->op.out == node.op.out)) { // seen as another shape by now: b is read in the step's
                other.width = step->op.out.last();
                pieces_[b.piece].fixed = true;
            }
            step->last_node = node_;
            return a;
        }
        return append(node, a, &b, a.permuted);
    }

    /// Values side by side: each is made where it belongs, or copied there when it cannot be. alone: by part, whether
    /// it had better wait at its own width than hold the whole concat's memory, and be copied at the end; that costs
    /// next to nothing row by row.
    constexpr Meaning join(const Node& node, Meaning* parts, const bool* alone) noexcept {
        const bool by_rows = joins_rows(node.op);
        const int count = node.edge_count < max_parts ? node.edge_count : max_parts;
        for (int e = 0; e < count; ++e) {
            parts[e] = in_order(parts[e]);
            bool repeated = false;
            for (int d = 0; d < e; ++d) repeated = repeated || parts[d].piece == parts[e].piece;
            if (repeated || alone[e] || !may_join(parts[e], by_rows))
                parts[e] = copied(parts[e], extents_at(node, by_rows, parts[e]));
        }
        Meaning whole = add_piece(node.op.out);
        std::size_t at = 0;
        for (int e = 0; e < count; ++e) {
            Piece& piece = pieces_[parts[e].piece];
            piece.parent = whole.piece;
            piece.at = at;
            piece.by_rows = by_rows;
            at += by_rows ? piece.elems : static_cast<std::size_t>(piece.width);
        }
        pieces_[whole.piece].stacked = by_rows;
        pieces_[whole.piece].concat = node_;
        whole.sole = true;
        return whole;
    }
    static constexpr bool joins_rows(const Op& concat) noexcept { return concat.axis == 0 && concat.out.rank > 1; }

    /// One of the convolutions that a convolution of parts is the sum of, added to those of the parts before. feature:
    /// the layer's first input feature that lies in the part.
    constexpr Meaning add_part(const Node& node, const Meaning& part, int feature, const Meaning& before) noexcept {
        Node of_part = node;
        of_part.op.in = node.op.in.with_last(part.features);
        of_part.op.add = feature > 0;
        const Meaning made = append(of_part, part, feature > 0 ? &before : nullptr, Extents{});
        Step& step = out_.steps[out_.count - 1];
        step.feature = feature;
        step.features = node.op.in.last();
        return made;
    }
    static constexpr int max_parts = 64;

    constexpr Extents extents_at(const Node& node, bool by_rows, const Meaning& part) const noexcept {
        if (!by_rows) return node.op.out.with_last(part.features);
        Extents extents = node.op.out; // as many rows as the part has elements for
        const std::size_t row = node.op.out.elems() / static_cast<std::size_t>(node.op.out[0]);
        const std::size_t seen = pieces_[part.piece].elems / static_cast<std::size_t>(part.width);
        extents.set(0, static_cast<int>(seen * static_cast<std::size_t>(part.features) / row));
        return extents;
    }

    /// Layers that take long enough to count, for `longest_wait`: not those that fuse.
    static constexpr bool works(const Op& op) noexcept {
        return op.kind < OpKind::batch_norm || op.kind == OpKind::softmax || op.kind == OpKind::layer_norm ||
               op.kind == OpKind::gru || op.kind == OpKind::lstm;
    }
    static constexpr int longest_wait = 3; // layers: those of a dense block's or an inception's branch

    constexpr bool may_join(const Meaning& part, bool by_rows) const noexcept {
        const Piece& piece = pieces_[part.piece];
        if (keep_apart_ || piece.parent >= 0 || part.begin != 0) return false;
        if (piece.maker < 0 && (is_input_piece(part.piece) || (piece.stacked && !by_rows))) return false;
        if (part.features != part.width) return false;
        if (by_rows) return true; // in whatever shape
        if (piece.fixed) return false;
        return piece.maker < 0 || writes_with_pitch(out_.steps[piece.maker]);
    }
    constexpr bool is_input_piece(int piece) const noexcept {
        for (int i = 0; i < out_.input_count; ++i)
            if (out_.inputs[i].view.storage == piece) return true;
        return false;
    }
    static constexpr bool writes_with_pitch(const Step& step) noexcept {
        return step.op.kind != OpKind::flatten_pytorch && step.op.kind != OpKind::gru && step.op.kind != OpKind::lstm;
    }
    /// Whether a value is all of its piece and lies without gaps.
    constexpr bool lies_whole(const Meaning& meaning) const noexcept {
        if (meaning.begin != 0 || meaning.features != meaning.width) return false;
        for (int p = meaning.piece; pieces_[p].parent >= 0; p = pieces_[p].parent)
            if (!pieces_[p].by_rows && pieces_[pieces_[p].parent].width != pieces_[p].width) return false;
        return true;
    }

    /// The step that made a value, when nobody else reads the value.
    constexpr Step* maker(const Meaning& meaning) noexcept {
        const Piece& piece = pieces_[meaning.piece];
        return piece.maker >= 0 && piece.parent < 0 && meaning.sole ? &out_.steps[piece.maker] : nullptr;
    }
    /// When a value is complete, in steps: for a concat when its last part is.
    constexpr int made_at(const Meaning& meaning) const noexcept {
        const Piece& piece = pieces_[meaning.piece];
        if (piece.maker >= 0) return piece.maker;
        int last = -1;
        for (int p = 0; p < piece_count_; ++p)
            if (pieces_[p].maker > last && within(p, meaning.piece)) last = pieces_[p].maker;
        return last;
    }
    constexpr bool within(int piece, int whole) const noexcept {
        while (piece >= 0 && piece != whole) piece = pieces_[piece].parent;
        return piece == whole;
    }
    static constexpr bool has_weights(const Step& step) noexcept {
        return folds_norm(step) || step.op.affine || step.op.kind == OpKind::gru || step.op.kind == OpKind::lstm;
    }
    static constexpr bool folds_norm(const Step& step) noexcept {
        return step.op.kind == OpKind::linear || step.op.kind == OpKind::conv2d || step.op.kind == OpKind::up_conv2d;
    }
    static constexpr bool sums_in_epilogue(const Step& step) noexcept {
        return step.op.kind == OpKind::linear || step.op.kind == OpKind::conv2d;
    }
    static constexpr bool takes_epilogue(const Step& step) noexcept {
        switch (step.op.kind) {
        case OpKind::softmax:
        case OpKind::activation:
        case OpKind::flatten_pytorch:
        case OpKind::copy:
        case OpKind::upsample:
        case OpKind::gru:
        case OpKind::lstm:
            return false;
        default:
            return true;
        }
    }

    constexpr Meaning append(const Node& node, const Meaning& in, const Meaning* other, Extents permuted) noexcept {
        Meaning made = add_piece(node.op.out);
        made.permuted = permuted;
        pieces_[made.piece].maker = out_.count;
        Step& step = out_.steps[out_.count];
        step.op = node.op;
        step.op.bias = false;
        if (step.op.kind != OpKind::layer_norm) step.op.eps_bits = 0;
        step.first_node = step.last_node = node_;
        ins_[out_.count] = draft_of(in);
        if (other != nullptr) others_[out_.count] = draft_of(*other);
        outs_[out_.count] = draft_of(made);
        if (node.op.kind == OpKind::batch_norm) {
            step.norm = node.first_parameter;
            step.eps_bits = node.op.eps_bits;
        } else if (has_weights(step)) {
            step.parameters = node.first_parameter;
            step.layer_bias = node.op.bias;
        }
        if (step.norm >= 0 || step.parameters >= 0) step.slot = out_.slot_count++;
        ++out_.count;
        return made;
    }

    static constexpr Draft draft_of(const Meaning& meaning) noexcept {
        return {meaning.piece, meaning.begin, meaning.width};
    }

    /// A value in the order its reader expects; moves the elements if no linear layer's weights can absorb it.
    constexpr Meaning in_order(Meaning meaning) noexcept {
        if (meaning.permuted.rank == 0) return meaning;
        meaning.features = meaning.width = meaning.permuted.last();
        Node node;
        node.op.kind = OpKind::flatten_pytorch;
        node.op.in = meaning.permuted;
        node.op.out = extents_of(static_cast<int>(meaning.permuted.elems()));
        return append(node, meaning, nullptr, Extents{});
    }
    constexpr Meaning copied(const Meaning& meaning, Extents extents) noexcept {
        Node node;
        node.op.kind = OpKind::copy;
        node.op.in = node.op.out = extents;
        return append(node, meaning, nullptr, Extents{});
    }

    /// Pieces have found their parents: storages are those without, and every view is an offset and a pitch in one.
    constexpr void settle() noexcept {
        // Numbered in the order they are first written, inputs before all.
        int number[pieces] = {};
        for (int& n : number) n = -1;
        const auto take = [&](int p) {
            const int around = pieces_[p].parent;
            while (pieces_[p].parent >= 0) p = pieces_[p].parent;
            if (number[p] >= 0) return;
            number[p] = out_.storage_count;
            out_.concat[out_.storage_count] = pieces_[p].concat;
            out_.first_concat[out_.storage_count] = around >= 0 ? pieces_[around].concat : -1;
            out_.storage[out_.storage_count++] = pieces_[p].elems;
        };
        for (int i = 0; i < out_.input_count; ++i) take(out_.inputs[i].view.storage);
        for (int s = 0; s < out_.count; ++s) take(outs_[s].piece);
        const auto view_of = [&](const Draft& draft, int& pitch) {
            View view;
            pitch = draft.width;
            view.offset = static_cast<std::size_t>(draft.begin);
            int p = draft.piece;
            for (; pieces_[p].parent >= 0; p = pieces_[p].parent) {
                view.offset += pieces_[p].at;
                if (!pieces_[p].by_rows) pitch = pieces_[pieces_[p].parent].width;
            }
            view.storage = number[p];
            return view;
        };
        for (int i = 0; i < out_.input_count; ++i) out_.inputs[i].view.storage = number[out_.inputs[i].view.storage];
        int pitch = 0;
        for (int i = 0; i < out_.output_count; ++i) out_.outputs[i].view = view_of(results_[i], pitch);
        for (int s = 0; s < out_.count; ++s) {
            Step& step = out_.steps[s];
            const auto pitch_for = [&](const Extents& extents) {
                return extents.rows() == 1 || pitch == extents.last() ? 0 : pitch;
            };
            step.in = view_of(ins_[s], pitch);
            step.op.in_pitch = pitch_for(step.op.in);
            step.out = view_of(outs_[s], pitch);
            step.op.out_pitch = pitch_for(step.op.out);
            if (others_[s].piece < 0) continue;
            step.other = view_of(others_[s], pitch);
            step.op.other_pitch = step.op.broadcast ? 0 : pitch_for(step.op.out);
        }
    }

    // Every step makes a piece, and so does every input and concat.
    static constexpr int pieces = 2 * Capacity + Steps<Capacity>::max_ports;

    Steps<Capacity> out_{};
    Piece pieces_[pieces]{};
    int piece_count_ = 0;
    Draft ins_[Capacity]{}, others_[Capacity]{}, outs_[Capacity]{}, results_[Steps<Capacity>::max_ports]{};
    int node_ = 0;
    bool keep_apart_;
};

} // namespace detail

/// The steps that run a graph. Room: a step for each node, a permutation or copy for each value that is read.
template <int N> constexpr auto fuse(const Nodes<N>& graph, bool keep_apart, const Late& late = {}) noexcept {
    return detail::Fuser<3 * N + Nodes<N>::max_outputs + 1>(graph, keep_apart, late).result();
}

/// One more late concat, if that is how the neediest step comes to need less by more than the copies are a bother; the
/// same ones if not.
template <int N, int Capacity>
constexpr Late one_more(const Nodes<N>& graph, const Steps<Capacity>& steps, const Late& late) noexcept {
    if (late.count == Late::room) return late;
    const Neediest now = neediest(steps);
    Late best = late;
    std::size_t least = now.elems - now.elems / 32;
    for (const int concat : {now.first_concat, now.concat}) {
        if (concat < 0 || late.has(concat) || best.has(concat)) continue;
        const Late more = late.with(concat);
        const std::size_t elems = neediest(fuse(graph, false, more)).elems;
        if (elems < least) least = elems, best = more;
    }
    return best;
}

} // namespace tarn
