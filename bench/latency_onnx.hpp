// SPDX-License-Identifier: MIT
// An ONNX file in memory, written field by field: as much of the format as the networks of latency_bench need.
// What ONNX Runtime is given, with the weights that tarn has.
// Knows the format's field numbers; nothing of runtimes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tarn_bench {

/// A protocol buffer: fields, each with its number.
class Message {
  public:
    Message& number(int field, std::uint64_t value) {
        varint(static_cast<std::uint64_t>(field) << 3);
        varint(value);
        return *this;
    }
    Message& bytes(int field, const std::string& value) {
        varint(static_cast<std::uint64_t>(field) << 3 | 2);
        varint(value.size());
        text_ += value;
        return *this;
    }
    Message& message(int field, const Message& value) { return bytes(field, value.text_); }
    const std::string& text() const { return text_; }

  private:
    void varint(std::uint64_t value) {
        for (; value >= 128; value >>= 7) text_ += static_cast<char>((value & 127) | 128);
        text_ += static_cast<char>(value);
    }
    std::string text_{};
};

using Dims = std::vector<std::int64_t>;

/// A graph that grows node by node. Every name is a value's.
class OnnxModel {
  public:
    struct Attribute {
        std::string name;
        Dims ints;
        bool single = false;
    };

    void input(const std::string& name, const Dims& dims) { graph_.message(11, value(name, dims)); }
    void output(const std::string& name, const Dims& dims) { graph_.message(12, value(name, dims)); }
    void constant(const std::string& name, const Dims& dims, const float* values) {
        std::size_t elems = 1;
        Message tensor;
        for (const std::int64_t dim : dims) {
            tensor.number(1, static_cast<std::uint64_t>(dim));
            elems *= static_cast<std::size_t>(dim);
        }
        tensor.number(2, float_type).bytes(8, name);
        tensor.bytes(9, std::string(reinterpret_cast<const char*>(values), elems * sizeof(float)));
        graph_.message(5, tensor);
    }
    void node(const std::string& kind, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
              const std::vector<Attribute>& attributes = {}) {
        Message node;
        for (const std::string& name : inputs) node.bytes(1, name);
        for (const std::string& name : outputs) node.bytes(2, name);
        node.bytes(3, outputs[0]).bytes(4, kind);
        for (const Attribute& attribute : attributes) {
            Message made;
            made.bytes(1, attribute.name);
            for (const std::int64_t number : attribute.ints)
                made.number(attribute.single ? 3 : 8, static_cast<std::uint64_t>(number));
            made.number(20, attribute.single ? 2 : 7);
            node.message(5, made);
        }
        graph_.message(1, node);
    }
    std::string file() const {
        Message graph = graph_, model;
        graph.bytes(2, "network");
        model.number(1, 8).message(7, graph).message(8, Message().bytes(1, "").number(2, 17));
        return model.text();
    }

  private:
    static constexpr std::uint64_t float_type = 1;

    static Message value(const std::string& name, const Dims& dims) {
        Message shape;
        for (const std::int64_t dim : dims) shape.message(1, Message().number(1, static_cast<std::uint64_t>(dim)));
        const Message tensor = Message().number(1, float_type).message(2, shape);
        return Message().bytes(1, name).message(2, Message().message(1, tensor));
    }

    Message graph_{};
};

} // namespace tarn_bench
