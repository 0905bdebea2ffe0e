// SPDX-License-Identifier: MIT
// Rival of cpu_bench: ONNX Runtime on a graph of one layer, where Python's package of it is installed. Its graph begins
// and ends in ONNX's layout, channels first, so images are turned around inside it where its kernels want that.
// Products are timed without a bias, as the other libraries' are; weights are packed when the session is made.
// Knows the interface of rivals.hpp and the ONNX writer.
#include "latency_onnx.hpp"
#include "latency_onnxruntime.hpp"
#include "rivals.hpp"

namespace tarn_bench {
namespace {

using tarn::Activation;
using tarn::Op;
using tarn::OpKind;
using Tensor = OnnxRuntime::Tensor;
constexpr const char* name = "ONNX Runtime";

/// An image [H, W, C] as [C, H, W], or back.
void turn(const float* from, float* to, int outer, int inner) {
    for (std::ptrdiff_t o = 0; o < outer; ++o)
        for (std::ptrdiff_t i = 0; i < inner; ++i) to[i * outer + o] = from[o * inner + i];
}

/// Runs a graph from "x" to "y".
Contender running(const Problem& p, const OnnxModel& model, const Dims& in, const Dims& out, bool image) {
    const auto x = std::make_shared<Buffer>(p.op.in.elems(), p.pages);
    const auto y = std::make_shared<Buffer>(p.op.out.elems(), p.pages);
    if (image)
        turn(p.input, x->data(), p.op.in[0] * p.op.in[1], p.op.in[2]);
    else
        turn(p.input, x->data(), 1, static_cast<int>(p.op.in.elems()));
    const auto session = std::make_shared<OnnxRuntime>(model.file(), std::vector<Tensor>{{"x", in, x->data()}},
                                                       std::vector<Tensor>{{"y", out, y->data()}});
    Contender made = contender(
        name, [session, x] { session->run(); }, y);
    if (image)
        made.result = [session, y, op = p.op](float* to) {
            session->run();
            turn(y->data(), to, op.out[2], op.out[0] * op.out[1]);
        };
    return made;
}

void add_product(const Problem& p, std::vector<Contender>& to) {
    OnnxModel model;
    const Dims in{p.m(), p.k()}, out{p.m(), p.n()};
    model.input("x", in);
    model.output("y", out);
    const auto weights = transposed(p.parameters[0], p.n(), p.k(), p.pages);
    model.constant("w", {p.k(), p.n()}, weights->data());
    model.node("MatMul", {"x", "w"}, {"y"});
    Contender made = running(p, model, in, out, false);
    made.result = with_bias(made.result, p);
    to.push_back(std::move(made));
}

void add_image(const Problem& p, std::vector<Contender>& to) {
    const Op& op = p.op;
    OnnxModel model;
    const Dims in{1, op.in[2], op.in[0], op.in[1]}, out{1, op.out[2], op.out[0], op.out[1]};
    model.input("x", in);
    model.output("y", out);
    const tarn::Window& w = op.window;
    std::vector<OnnxModel::Attribute> window{{"kernel_shape", {w.kernel_h, w.kernel_w}},
                                             {"strides", {w.stride_h, w.stride_w}},
                                             {"pads", {w.pad_top, w.pad_left, w.pad_bottom, w.pad_right}}};
    if (op.kind == OpKind::conv2d) {
        const bool acts = op.act == Activation::relu;
        window.push_back({"group", {op.groups}, true});
        model.constant("w", {op.out[2], op.in[2] / op.groups, w.kernel_h, w.kernel_w}, p.parameters[0]);
        model.constant("b", {op.out[2]}, p.parameters[1]);
        model.node("Conv", {"x", "w", "b"}, {acts ? "c" : "y"}, window);
        if (acts) model.node("Relu", {"c"}, {"y"});
    } else {
        if (op.kind == OpKind::avg_pool2d) window.push_back({"count_include_pad", {op.count_include_pad}, true});
        model.node(op.kind == OpKind::max_pool2d ? "MaxPool" : "AveragePool", {"x"}, {"y"}, window);
    }
    to.push_back(running(p, model, in, out, true));
}

/// Batch norm and upsampling of an image.
void add_pixels(const Problem& p, std::vector<Contender>& to) {
    const Op& op = p.op;
    OnnxModel model;
    const Dims in{1, op.in[2], op.in[0], op.in[1]}, out{1, op.out[2], op.out[0], op.out[1]};
    model.input("x", in);
    model.output("y", out);
    if (op.kind == OpKind::batch_norm) {
        const std::vector<std::string> names{"x", "scale", "shift", "mean", "variance"};
        for (std::size_t i = 1; i < names.size(); ++i) model.constant(names[i], {op.in[2]}, p.parameters[i - 1]);
        model.node("BatchNormalization", names, {"y"});
    } else {
        const float scales[] = {1, 1, static_cast<float>(op.window.stride_h), static_cast<float>(op.window.stride_w)};
        model.constant("scales", {4}, scales);
        model.node("Resize", {"x", "", "scales"}, {"y"});
    }
    to.push_back(running(p, model, in, out, true));
}

void add_layer_norm(const Problem& p, std::vector<Contender>& to) {
    OnnxModel model;
    const Dims dims{p.m(), p.n()};
    model.input("x", dims);
    model.output("y", dims);
    model.constant("scale", {p.n()}, p.parameters[0]);
    model.constant("shift", {p.n()}, p.parameters[1]);
    model.node("LayerNormalization", {"x", "scale", "shift"}, {"y"});
    to.push_back(running(p, model, dims, dims, false));
}

void add_sum(const Problem& p, std::vector<Contender>& to) {
    OnnxModel model;
    const Dims dims{p.n()};
    model.input("x", dims);
    model.output("y", dims);
    model.constant("other", dims, p.other);
    model.node("Add", {"x", "other"}, {"y"});
    to.push_back(running(p, model, dims, dims, false));
}

void add_rows(const Problem& p, const char* kind, std::vector<Contender>& to) {
    OnnxModel model;
    const Dims dims{p.m(), p.n()};
    model.input("x", dims);
    model.output("y", dims);
    model.node(kind, {"x"}, {"y"});
    to.push_back(running(p, model, dims, dims, false));
}

const char* function_of(Activation act) {
    switch (act) {
    case Activation::relu:
        return "Relu";
    case Activation::tanh:
        return "Tanh";
    case Activation::sigmoid:
        return "Sigmoid";
    case Activation::elu:
        return "Elu";
    default:
        return nullptr;
    }
}

void add(const Problem& p, std::vector<Contender>& to) {
    switch (p.op.kind) {
    case OpKind::linear:
        return add_product(p, to);
    case OpKind::conv2d:
    case OpKind::max_pool2d:
    case OpKind::avg_pool2d:
        return add_image(p, to);
    case OpKind::softmax:
        return add_rows(p, "Softmax", to);
    case OpKind::layer_norm:
        return add_layer_norm(p, to);
    case OpKind::batch_norm:
    case OpKind::upsample:
        return add_pixels(p, to);
    case OpKind::add:
        return add_sum(p, to);
    case OpKind::activation:
        if (const char* const kind = function_of(p.op.act)) add_rows(p, kind, to);
        return;
    default:
        return;
    }
}

[[maybe_unused]] const bool added = add_rival({name, add, OnnxRuntime::available});

} // namespace
} // namespace tarn_bench
