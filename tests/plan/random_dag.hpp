// SPDX-License-Identifier: MIT
// Networks drawn at random: any windows, joins and splits, skips, several inputs and outputs, layers nobody reads. Each
// as nodes, and as the text of the Graph that flattens to the same nodes.
// What tests of the planner draw from, and what dag_sources prints to be compiled.
// Knows Ops and the names of modules; nothing of plans.
#pragma once

#include <tarn/plan/nodes.hpp>

#include "plan/reads.hpp"
#include "support/random.hpp"

#include <ratio>
#include <string>
#include <utility>
#include <vector>

namespace tarn_test {

class RandomDag {
  public:
    static constexpr int capacity = 48;
    using NodeList = tarn::Nodes<capacity>;

    /// At most `layers` layers, each output of at most `elems` elements.
    RandomDag(unsigned seed, int layers, std::size_t elems) : random_(seed), most_elems_(elems) {
        const int inputs = random_.one_in(5) ? random_.between(2, 3) : 1;
        for (int i = 0; i < inputs; ++i) {
            const tarn::Extents extents = first_extents();
            if (i == 0)
                nodes_.input = extents;
            else
                add_node(tarn::OpKind::input, 0, extents, extents);
            shapes_.push_back(shape(extents));
            parts_.push_back("Input<\"v" + std::to_string(i) + "\">");
        }
        const int wanted = random_.between(1, layers);
        for (int tries = 0; nodes_.count < inputs - 1 + wanted && tries < 60; ++tries) add_layer();
        take_outputs();
    }

    const NodeList& nodes() const { return nodes_; }
    int input_count() const { return static_cast<int>(shapes_.size()); }
    /// "Graph<Input<"v0">, .. >", a part a line.
    std::string graph() const { return "Graph<" + joined(parts_, ",\n      ") + ">"; }
    /// "Shape<8, 8, 3>", or "Inputs<..>".
    std::string input() const { return shapes_.size() == 1 ? shapes_[0] : "Inputs<" + joined(shapes_, ", ") + ">"; }

  private:
    using Op = tarn::Op;
    using OpKind = tarn::OpKind;
    using Extents = tarn::Extents;
    using Window = tarn::Window;

    static std::string joined(const std::vector<std::string>& words, const std::string& between) {
        std::string text;
        for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
        return text;
    }
    template <class... Numbers> static std::string list(Numbers... numbers) {
        return joined({std::to_string(numbers)...}, ", ");
    }
    static std::string shape(const Extents& e) {
        std::string text = "Shape<" + std::to_string(e[0]);
        for (int i = 1; i < e.rank; ++i) text += ", " + std::to_string(e[i]);
        return text + ">";
    }

    int channels() { return random_.pick({1, 2, 3, 4, 4, 8, 8, 12, 16, 16, 17, 20, 33}); }
    Extents first_extents() {
        if (random_.one_in(8)) return tarn::extents_of(random_.between(1, 24), channels());
        if (random_.one_in(16)) return tarn::extents_of(random_.between(1, 60));
        return tarn::extents_of(random_.between(1, 14), random_.between(1, 12), channels());
    }

    int values() const { return nodes_.count + 1; }
    Extents extents(int value) const { return nodes_.extents(value); }
    /// Mostly the newest, so that networks become deep.
    int some_value() { return random_.one_in(3) ? random_.between(0, values() - 1) : values() - 1; }

    tarn::Node& add_node(OpKind kind, int input, const Extents& in, const Extents& out) {
        tarn::Node& node = nodes_.nodes[nodes_.count++];
        node.op.kind = kind;
        node.op.in = in;
        node.op.out = out;
        node.input = input;
        return node;
    }
    void add(const Op& op, int input, const std::string& module, int other = -1) {
        if (op.out.elems() > most_elems_ || op.out.elems() == 0 || nodes_.count == capacity) return;
        tarn::Node& node = add_node(op.kind, input, op.in, op.out);
        node.op = op;
        node.other = other;
        node.first_parameter = nodes_.parameter_count;
        const bool recurrent = op.kind == OpKind::gru || op.kind == OpKind::lstm;
        nodes_.parameter_count += op.kind == OpKind::batch_norm ? 5 : recurrent ? 4 : op.bias ? 2 : 0;
        std::string part = "Layer<\"v" + std::to_string(nodes_.count) + "\", " + module;
        // Of a product the smaller factor may be named first or second; it is the second input all the same.
        part += ", \"v" + std::to_string(input) + "\"";
        if (other >= 0) part += ", \"v" + std::to_string(other) + "\"";
        parts_.push_back(part + ">");
    }
    static Op op_on(OpKind kind, const Extents& in, const Extents& out) {
        Op op;
        op.kind = kind;
        op.in = in;
        op.out = out;
        return op;
    }

    void add_layer() {
        const int value = some_value();
        const Extents in = extents(value);
        switch (random_.between(0, 15)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return in.rank == 1 ? linear(value) : convolution(value);
        case 4:
            return in.rank == 1 ? linear(value) : pool(value);
        case 5:
            return linear(value);
        case 6:
            return elementwise(value);
        case 7:
        case 8:
            return sum();
        case 9:
            return product();
        case 10:
        case 11:
            return concat(value);
        case 12:
            return slices(value);
        case 13:
            return in.rank == 3 ? enlarge(value) : recurrent(value);
        case 14:
            return reshape(value);
        default:
            return residual(value);
        }
    }

    static std::string options(const Window& w, int groups) {
        std::string text = "Kernel<" + list(w.kernel_h, w.kernel_w) + ">, Stride<" + list(w.stride_h, w.stride_w) +
                           ">, Padding<" + list(w.pad_top, w.pad_bottom, w.pad_left, w.pad_right) + ">";
        if (w.dilation_h != 1 || w.dilation_w != 1) text += ", Dilation<" + list(w.dilation_h, w.dilation_w) + ">";
        return groups > 1 ? text + ", Groups<" + std::to_string(groups) + ">" : text;
    }
    static std::string frame_options(const Window& w, int groups) {
        std::string text = "Kernel<" + std::to_string(w.kernel_h) + ">, Stride<" + std::to_string(w.stride_h) +
                           ">, Padding<" + list(w.pad_top, w.pad_bottom) + ">";
        if (w.dilation_h != 1) text += ", Dilation<" + std::to_string(w.dilation_h) + ">";
        return groups > 1 ? text + ", Groups<" + std::to_string(groups) + ">" : text;
    }
    /// Of the input's own rank; kernel 1-5, stride 1-3, dilation 1-2, each side's padding its own.
    Window window(bool frames, bool pool) {
        Window w;
        const bool same = random_.one_in(2);
        w.kernel_h = same ? random_.pick({1, 3, 3, 5}) : random_.between(1, 5);
        w.kernel_w = frames ? 1 : same ? w.kernel_h : random_.between(1, 5);
        if (same) {
            w.pad_top = w.pad_bottom = w.kernel_h / 2;
            w.pad_left = w.pad_right = frames ? 0 : w.kernel_w / 2;
            if (random_.one_in(4)) w.stride_h = 2, w.stride_w = frames ? 1 : 2;
            return w;
        }
        w.stride_h = random_.between(1, 3), w.stride_w = frames ? 1 : random_.between(1, 3);
        if (!pool && random_.one_in(3)) w.dilation_h = 2, w.dilation_w = frames ? 1 : random_.between(1, 2);
        const int most = pool ? 1 : 0; // a pool's padding stays under its kernel
        if (random_.one_in(2)) {
            w.pad_top = random_.between(0, w.kernel_h - most), w.pad_bottom = random_.between(0, w.kernel_h - most);
            if (!frames)
                w.pad_left = random_.between(0, w.kernel_w - most), w.pad_right = random_.between(0, w.kernel_w - most);
        }
        return w;
    }
    Op windowed_op(OpKind kind, const Extents& in, int out, const Window& w) {
        Op op = windowed(kind, in[0], in.rank == 3 ? in[1] : 1, in.last(), out, w);
        if (in.rank == 2 && op.out[0] >= 1) op.in = in, op.out = tarn::extents_of(op.out[0], out);
        return op;
    }

    void convolution(int value) {
        const Extents in = extents(value);
        const bool frames = in.rank == 2;
        const Window w = window(frames, false);
        const int c = in.last();
        int out = random_.one_in(2) ? c : channels(), groups = 1;
        if (random_.one_in(4))
            groups = out = c;
        else if (random_.one_in(8) && c % 2 == 0 && out % 2 == 0)
            groups = 2;
        Op op = windowed_op(OpKind::conv2d, in, out, w);
        if (op.out[0] < 1 || (!frames && op.out[1] < 1)) return;
        op.groups = groups;
        op.bias = true;
        if (frames)
            add(op, value, "Conv1d<" + list(c, out) + ", " + frame_options(w, groups) + ">");
        else
            add(op, value, "Conv2d<" + list(c, out) + ", " + options(w, groups) + ">");
    }
    void pool(int value) {
        const Extents in = extents(value);
        if (in.rank == 3 && random_.one_in(4)) {
            Op op = op_on(OpKind::avg_pool2d, in, tarn::extents_of(1, 1, in.last()));
            op.window.kernel_h = op.window.stride_h = in[0];
            op.window.kernel_w = op.window.stride_w = in[1];
            return add(op, value, "GlobalAvgPool2d");
        }
        const bool most = random_.one_in(2), frames = in.rank == 2;
        Window w = window(frames, true);
        if (random_.one_in(2)) w = Window{2, frames ? 1 : 2, 2, frames ? 1 : 2};
        const Op op = windowed_op(most ? OpKind::max_pool2d : OpKind::avg_pool2d, in, in.last(), w);
        if (op.out[0] < 1 || (!frames && op.out[1] < 1)) return;
        const std::string mode = most ? "PoolMode::max, " : "PoolMode::average, ";
        add(op, value, (frames ? "Pool1d<" + mode + frame_options(w, 1) : "Pool2d<" + mode + options(w, 1)) + ">");
    }
    void linear(int value) {
        const Extents in = extents(value);
        const int out = random_.one_in(3) ? in.last() : channels();
        Op op = op_on(OpKind::linear, in, in.with_last(out));
        op.bias = true;
        if (in.last() <= 400) add(op, value, "Linear<" + list(in.last(), out) + ">");
    }
    void elementwise(int value) {
        const Extents in = extents(value);
        const int kind = random_.between(0, 4);
        if (kind == 0) return add(op_on(OpKind::softmax, in, in), value, "Softmax");
        if (kind == 1 && in.rank == 3 && in.last() % 2 == 0)
            return add(op_on(OpKind::batch_norm, in, in), value, "BatchNorm2d<" + std::to_string(in.last()) + ">");
        if (kind == 1) {
            Op norm = op_on(OpKind::layer_norm, in, in);
            norm.affine = norm.bias = true;
            norm.eps_bits = tarn::ratio_bits<std::ratio<1, 100000>>();
            return add(norm, value, "LayerNorm<" + std::to_string(in.last()) + ">");
        }
        Op op = op_on(OpKind::activation, in, in);
        op.act = kind < 4 ? tarn::Activation::relu : tarn::Activation::hard_swish;
        add(op, value, kind < 4 ? "ReLU" : "HardSwish");
    }
    /// Two values of one shape, if there are.
    bool alike(int& a, int& b) {
        a = some_value();
        b = random_.between(0, values() - 1);
        for (int i = 0; i < values(); ++i, b = (b + 1) % values())
            if (extents(a) == extents(b) && (a != b || random_.one_in(6))) return true;
        return false;
    }
    void sum() {
        int a = 0, b = 0;
        if (!alike(a, b)) return;
        if (random_.one_in(2)) std::swap(a, b);
        Op op = op_on(OpKind::add, extents(a), extents(a));
        op.add = true;
        add(op, a, "Add", b);
    }
    void product() {
        int a = some_value(), b = 0;
        for (; b < values(); ++b) {
            const Extents pixel = extents(b);
            if (pixel.rank == extents(a).rank && pixel.rows() == 1 && pixel.last() == extents(a).last() && a != b)
                break;
        }
        if (b == values() && !alike(a, b)) return;
        Op op = op_on(OpKind::mul, extents(a), extents(a));
        op.broadcast = !(extents(a) == extents(b));
        add(op, a, "Mul", b);
    }
    void concat(int value) {
        const Extents first = extents(value);
        const bool rows = first.rank > 1 && random_.one_in(3);
        const int axis = rows ? 0 : first.rank - 1;
        std::vector<int> parts{value};
        const int wanted = random_.between(2, 4);
        for (int tries = 0; tries < 20 && static_cast<int>(parts.size()) < wanted; ++tries) {
            const int part = random_.between(0, values() - 1);
            Extents e = extents(part);
            if (e.rank != first.rank) continue;
            e.set(axis, first[axis]);
            bool twice = false;
            for (const int p : parts) twice = twice || p == part;
            if (e == first && (!twice || random_.one_in(8))) parts.push_back(part);
        }
        if (parts.size() < 2) return;
        for (std::size_t i = parts.size(); i-- > 1;)
            std::swap(parts[i], parts[static_cast<std::size_t>(random_.between(0, static_cast<int>(i)))]);
        Op op = op_on(OpKind::concat, extents(parts[0]), extents(parts[0]));
        op.axis = axis;
        int sum = 0;
        for (const int p : parts) sum += extents(p)[axis];
        op.out.set(axis, sum);
        if (op.out.elems() > most_elems_ || nodes_.edge_count + static_cast<int>(parts.size()) > capacity) return;
        std::string module = std::string(rows ? "ConcatRows" : "Concat");
        tarn::Node& node = add_node(op.kind, parts[0], op.in, op.out);
        node.op = op;
        node.first_edge = nodes_.edge_count;
        node.edge_count = static_cast<int>(parts.size());
        for (const int p : parts) {
            nodes_.edges[nodes_.edge_count++] = p;
            module += ", \"v" + std::to_string(p) + "\"";
        }
        parts_.push_back("Layer<\"v" + std::to_string(nodes_.count) + "\", " + module + ">");
    }
    /// Some features, or all of them in two parts.
    void slices(int value) {
        const Extents in = extents(value);
        if (in.last() < 2) return;
        const int cut = random_.between(1, in.last() - 1);
        const auto slice = [&](int begin, int count) {
            Op op = op_on(OpKind::slice, in, in.with_last(count));
            op.begin = begin;
            add(op, value, "Slice<" + list(begin, count) + ">");
        };
        slice(0, cut);
        if (random_.one_in(2)) slice(cut, in.last() - cut);
    }
    void enlarge(int value) {
        const Extents in = extents(value);
        const int h = random_.between(1, 3), w = random_.between(1, 3);
        const bool learned = random_.one_in(2);
        const int out = learned ? channels() : in.last();
        Op op = op_on(learned ? OpKind::up_conv2d : OpKind::upsample, in, tarn::extents_of(in[0] * h, in[1] * w, out));
        op.window.stride_h = h, op.window.stride_w = w;
        if (!learned) return add(op, value, "Upsample<" + list(h, w) + ">");
        op.window.kernel_h = h, op.window.kernel_w = w;
        op.bias = true;
        add(op, value,
            "ConvTranspose2d<" + list(in.last(), out) + ", Kernel<" + list(h, w) + ">, Stride<" + list(h, w) + ">>");
    }
    void recurrent(int value) {
        const Extents in = extents(value);
        if (in.rank != 2) return linear(value);
        const bool gru = random_.one_in(2);
        const int hidden = random_.one_in(2) ? in.last() : channels();
        Op op = op_on(gru ? OpKind::gru : OpKind::lstm, in, in.with_last(hidden));
        op.bias = true;
        add(op, value, (gru ? "GRU<" : "LSTM<") + list(in.last(), hidden) + ">");
    }
    void reshape(int value) {
        const Extents in = extents(value);
        const auto all = static_cast<int>(in.elems());
        if (in.rank == 3) {
            const int kind = random_.between(0, 3);
            if (kind == 0) return add(op_on(OpKind::flatten_pytorch, in, tarn::extents_of(all)), value, "Flatten");
            if (kind == 1) return add(op_on(OpKind::flatten, in, tarn::extents_of(all)), value, "FlattenChannelsLast");
            const Extents to =
                kind == 2 ? tarn::extents_of(in[0] * in[1], in[2]) : tarn::extents_of(in[0], in[1] * in[2]);
            return add(op_on(OpKind::flatten, in, to), value, "Reshape<" + shape(to) + ">");
        }
        for (const int c : {random_.between(1, 8), 4, 2, 1}) {
            if (all % c != 0) continue;
            const Extents to = random_.one_in(2) ? tarn::extents_of(all / c, c) : tarn::extents_of(1, all / c, c);
            return add(op_on(OpKind::flatten, in, to), value, "Reshape<" + shape(to) + ">");
        }
    }
    /// x + activation(body(x)), with the body's channels kept.
    void residual(int value) {
        const Extents in = extents(value);
        const int before = nodes_.count;
        Op op;
        std::string module;
        if (in.rank == 3 && random_.one_in(2)) {
            const Window w{3, 3, 1, 1, 1, 1, 1, 1};
            op = windowed_op(OpKind::conv2d, in, in.last(), w);
            op.groups = random_.one_in(2) ? in.last() : 1;
            module = "Conv2d<" + list(in.last(), in.last()) + ", " + options(w, op.groups) + ">";
        } else {
            op = op_on(OpKind::linear, in, in);
            module = "Linear<" + list(in.last(), in.last()) + ">";
            if (in.last() > 400) return;
        }
        op.bias = true;
        add(op, value, module);
        if (nodes_.count == before) return;
        int body = nodes_.count;
        if (random_.one_in(2)) {
            Op relu = op_on(OpKind::activation, in, in);
            relu.act = tarn::Activation::relu;
            add(relu, body, "ReLU");
            body = nodes_.count;
        }
        Op total = op_on(OpKind::add, in, in);
        total.add = true;
        add(total, body, "Add", value);
    }

    void take_outputs() {
        std::vector<int> outputs{values() - 1};
        std::vector<bool> read(static_cast<std::size_t>(values()), false);
        for (int n = 0; n < nodes_.count; ++n)
            for (const int v : {nodes_.nodes[n].input, nodes_.nodes[n].other})
                if (v >= 0) read[static_cast<std::size_t>(v)] = true;
        for (int e = 0; e < nodes_.edge_count; ++e) read[static_cast<std::size_t>(nodes_.edges[e])] = true;
        // Else most of a large network would be dead.
        for (int v = values() - 2; v >= 0 && outputs.size() < 4; --v)
            if (!read[static_cast<std::size_t>(v)] && !random_.one_in(3)) outputs.push_back(v);
        while (random_.one_in(5) && outputs.size() < 6) outputs.push_back(random_.between(0, values() - 1));
        for (const int v : outputs) {
            nodes_.outputs[nodes_.output_count++] = v;
            parts_.push_back("Output<\"v" + std::to_string(v) + "\">");
        }
    }

    Random random_;
    std::size_t most_elems_;
    NodeList nodes_{};
    std::vector<std::string> parts_, shapes_;
};

} // namespace tarn_test
