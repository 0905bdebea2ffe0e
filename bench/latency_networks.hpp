// SPDX-License-Identifier: MIT
// The networks of latency_bench, each as tarn has it and as an ONNX graph with the same weights.
// Parameters come in the order of parameter_names, as PyTorch lays them out.
// Knows the public face and the ONNX writer.
#pragma once

#include "latency_onnx.hpp"
#include "networks.hpp"

namespace tarn_bench {

/// One input [48], one output [12]: what steers a quadruped robot.
using Policy = Model<Sequential<BatchNorm1d<48>, Linear<48, 512>, SiLU, Linear<512, 256>, SiLU, Linear<256, 128>, SiLU,
                                Linear<128, 24>, Slice<0, 12>, Tanh>,
                     Shape<48>>;
constexpr int stream_hidden = 16;
using Listener = Model<Sequential<GRU<1, stream_hidden>, Linear<stream_hidden, 1>>, Shape<64, 1>>;

using Parameters = std::vector<const float*>;

inline OnnxModel digits_onnx(const Parameters& p) {
    OnnxModel model;
    model.input("x", {1, 1, 8, 8});
    model.output("y", {1, 10});
    const std::vector<OnnxModel::Attribute> same{{"pads", {1, 1, 1, 1}}, {"kernel_shape", {3, 3}}};
    const std::vector<OnnxModel::Attribute> half{{"strides", {2, 2}}, {"kernel_shape", {2, 2}}};
    model.constant("w0", {16, 1, 3, 3}, p[0]);
    model.constant("b0", {16}, p[1]);
    model.constant("w1", {32, 16, 3, 3}, p[2]);
    model.constant("b1", {32}, p[3]);
    model.constant("w2", {10, 128}, p[4]);
    model.constant("b2", {10}, p[5]);
    model.node("Conv", {"x", "w0", "b0"}, {"c0"}, same);
    model.node("Relu", {"c0"}, {"r0"});
    model.node("MaxPool", {"r0"}, {"p0"}, half);
    model.node("Conv", {"p0", "w1", "b1"}, {"c1"}, same);
    model.node("Relu", {"c1"}, {"r1"});
    model.node("MaxPool", {"r1"}, {"p1"}, half);
    model.node("Flatten", {"p1"}, {"f"}, {{"axis", {1}, true}});
    model.node("Gemm", {"f", "w2", "b2"}, {"y"}, {{"transB", {1}, true}});
    return model;
}

inline OnnxModel policy_onnx(const Parameters& p) {
    OnnxModel model;
    model.input("x", {1, 48});
    model.output("y", {1, 12});
    const char* const norm[] = {"scale", "shift", "mean", "variance"};
    for (std::size_t i = 0; i < 4; ++i) model.constant(norm[i], {48}, p[i]);
    model.node("BatchNormalization", {"x", "scale", "shift", "mean", "variance"}, {"v0"});
    const std::int64_t widths[] = {48, 512, 256, 128, 24};
    std::string last = "v0";
    for (std::size_t i = 0; i < 4; ++i) {
        const std::string number = std::to_string(i + 1), made = "m" + number, weight = "w" + number;
        const std::int64_t outputs = i == 3 ? 12 : widths[i + 1]; // of the last layer half is looked at
        model.constant(weight, {outputs, widths[i]}, p[5 + 2 * i]);
        model.constant("b" + number, {outputs}, p[6 + 2 * i]);
        model.node("Gemm", {last, weight, "b" + number}, {made}, {{"transB", {1}, true}});
        last = made;
        if (i == 3) break;
        model.node("Sigmoid", {made}, {"s" + number});
        model.node("Mul", {made, "s" + number}, {"v" + number});
        last = "v" + number;
    }
    model.node("Tanh", {last}, {"y"});
    return model;
}

/// One step: the state goes in as h and comes out as next. ONNX has the gates as update, reset, new.
inline OnnxModel listener_onnx(const Parameters& p) {
    constexpr std::int64_t hidden = stream_hidden;
    const auto by_onnx = [&](const float* rows, std::int64_t columns) {
        const auto gate = static_cast<std::ptrdiff_t>(hidden * columns);
        std::vector<float> made(rows + gate, rows + 2 * gate);
        made.insert(made.end(), rows, rows + gate);
        made.insert(made.end(), rows + 2 * gate, rows + 3 * gate);
        return made;
    };
    std::vector<float> bias = by_onnx(p[2], 1);
    const std::vector<float> hidden_bias = by_onnx(p[3], 1);
    bias.insert(bias.end(), hidden_bias.begin(), hidden_bias.end());
    OnnxModel model;
    model.input("x", {1, 1, 1});
    model.input("h", {1, 1, hidden});
    model.output("y", {1, 1, 1});
    model.output("next", {1, 1, hidden});
    model.constant("w", {1, 3 * hidden, 1}, by_onnx(p[0], 1).data());
    model.constant("r", {1, 3 * hidden, hidden}, by_onnx(p[1], hidden).data());
    model.constant("b", {1, 6 * hidden}, bias.data());
    model.constant("dense", {hidden, 1}, p[4]);
    model.constant("dense_bias", {1}, p[5]);
    model.node("GRU", {"x", "w", "r", "b", "", "h"}, {"", "next"},
               {{"hidden_size", {hidden}, true}, {"linear_before_reset", {1}, true}});
    model.node("MatMul", {"next", "dense"}, {"m"});
    model.node("Add", {"m", "dense_bias"}, {"y"});
    return model;
}

} // namespace tarn_bench
