// SPDX-License-Identifier: MIT
// A network in words that other runtimes' models can be written from: its layers as JSON, its weights as safetensors.
// The one generator: every rival runs what is written here. Read by bench/rivals/network.py.
// Knows the unfused graph; nothing of plans.
#pragma once

#include "networks.hpp"

#include <tarn/io/safetensors_write.hpp>
#include <tarn/plan/network.hpp>

#include <cstdio>
#include <string>

namespace tarn_bench {

inline const char* kind_name(tarn::OpKind kind) noexcept {
    constexpr const char* names[] = {
        "linear",     "conv2d",  "up_conv2d",  "max_pool2d", "avg_pool2d",      "upsample", "batch_norm",
        "activation", "softmax", "layer_norm", "flatten",    "flatten_pytorch", "add",      "mul",
        "gru",        "lstm",    "copy",       "concat",     "slice",           "input"};
    return names[static_cast<int>(kind)];
}
inline const char* activation_name(tarn::Activation act) noexcept {
    constexpr const char* names[] = {"none", "relu",      "relu6", "leaky_relu", "sigmoid", "tanh",
                                     "gelu", "gelu_tanh", "silu",  "hard_swish", "elu"};
    return names[static_cast<int>(act)];
}

/// JSON, written key by key. Texts are names of layers and tensors: nothing in them wants escaping.
class JsonText {
  public:
    void key(const char* name) {
        comma();
        text_ += std::string("\"") + name + "\": ";
        begun_ = true;
    }
    void open(char bracket) {
        comma();
        text_ += bracket;
        begun_ = true;
    }
    void close(char bracket) {
        text_ += bracket;
        begun_ = false;
    }
    void word(const std::string& value) {
        comma();
        text_ += '"' + value + '"';
    }
    void number(double value) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.9g", value);
        comma();
        text_ += digits;
    }
    void numbers(std::initializer_list<int> values) {
        open('[');
        for (const int value : values) number(value);
        close(']');
    }
    void extents(const tarn::Extents& shape) {
        open('[');
        for (int i = 0; i < shape.rank; ++i) number(shape[i]);
        close(']');
    }
    const std::string& text() const noexcept { return text_; }

  private:
    void comma() {
        if (!begun_) text_ += ", ";
        begun_ = false;
    }

    std::string text_;
    bool begun_ = true; // nothing stands before what comes next
};

/// How many parameters a layer has.
inline int parameters_of(const tarn::Op& op) noexcept {
    switch (op.kind) {
    case tarn::OpKind::linear:
    case tarn::OpKind::conv2d:
    case tarn::OpKind::up_conv2d:
        return op.bias ? 2 : 1;
    case tarn::OpKind::batch_norm:
        return 5;
    default:
        return 0;
    }
}

/// The layers in the order they run. Value 0 is the input, value i + 1 what layer i makes; images are [H, W, C].
/// window: kernel, stride, dilation (h, w each), padding (top, bottom, left, right).
template <class TheSubject> std::string description_of() {
    constexpr auto& graph = tarn::Network<typename TheSubject::Net, typename TheSubject::In>::graph;
    const auto names = tarn::parameter_names<typename TheSubject::Net>();
    JsonText json;
    json.open('{');
    json.key("name"), json.word(TheSubject::name);
    json.key("input"), json.extents(graph.input);
    json.key("layers"), json.open('[');
    for (int n = 0; n < graph.count; ++n) {
        const auto& node = graph.nodes[n];
        const tarn::Op& op = node.op;
        const tarn::Window& w = op.window;
        json.open('{');
        json.key("kind"), json.word(kind_name(op.kind));
        json.key("inputs"), json.open('[');
        if (op.kind == tarn::OpKind::concat) {
            for (int e = 0; e < node.edge_count; ++e) json.number(graph.edges[node.first_edge + e]);
        } else {
            json.number(node.input);
            if (node.other >= 0) json.number(node.other);
        }
        json.close(']');
        json.key("in"), json.extents(op.in);
        json.key("out"), json.extents(op.out);
        json.key("window");
        json.numbers({w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h, w.dilation_w, w.pad_top,
                      w.pad_bottom, w.pad_left, w.pad_right});
        json.key("groups"), json.number(op.groups);
        json.key("axis"), json.number(op.axis);
        json.key("begin"), json.number(op.begin);
        json.key("count_padding"), json.number(op.count_include_pad ? 1 : 0);
        json.key("activation"), json.word(activation_name(op.act));
        json.key("eps"), json.number(static_cast<double>(op.eps()));
        json.key("parameters"), json.open('[');
        for (int p = 0; p < parameters_of(op); ++p)
            json.word(names[static_cast<std::size_t>(node.first_parameter + p)].name);
        json.close(']');
        json.close('}');
    }
    json.close(']');
    json.key("outputs"), json.open('[');
    for (int o = 0; o < graph.output_count; ++o) json.number(graph.outputs[o]);
    json.close(']');
    json.close('}');
    return json.text();
}

/// Writes a network's random parameters. Empty, or why it could not.
template <class Net> std::string write_random_parameters(const char* path) {
    const RandomParameters parameters = random_parameters<Net>();
    std::vector<tarn::TensorToWrite> tensors;
    for (std::size_t i = 0; i < parameters.names.size(); ++i) {
        const tarn::NamedParameter& parameter = parameters.names[i];
        if (parameter.ignored) continue;
        std::vector<std::int64_t> shape;
        for (int d = 0; d < parameter.shape.rank; ++d) shape.push_back(parameter.shape[d]);
        tensors.push_back({parameter.name, tarn::Dtype::f32, shape, std::as_bytes(std::span(parameters.values[i]))});
    }
    const auto file = tarn::to_safetensors(tensors);
    if (!file) return file.error().text;
    const auto written = tarn::write_file(path, *file);
    return written ? std::string() : written.error().text;
}

} // namespace tarn_bench
