// SPDX-License-Identifier: MIT
// What networks become as nodes: who reads whom, shapes, windows, results, and the fault with its position where a
// part does not fit. From Parallel and Graph to whole skeletons (inception, squeeze-excite, U-Net, dense, detector).
// Knows modules and plan/flatten; no kernel and no plan.
#include "support/catch.hpp"

#include <tarn/nn/activation.hpp>
#include <tarn/nn/conv.hpp>
#include <tarn/nn/graph.hpp>
#include <tarn/nn/join.hpp>
#include <tarn/nn/linear.hpp>
#include <tarn/nn/norm.hpp>
#include <tarn/nn/pool.hpp>
#include <tarn/nn/recurrent.hpp>
#include <tarn/nn/shape_ops.hpp>
#include <tarn/nn/upsample.hpp>
#include <tarn/plan/flatten.hpp>

#include <string>
#include <type_traits>
#include <vector>

using namespace tarn;

namespace {

using Lines = std::vector<std::string>;

const char* word_of(OpKind kind) {
    constexpr const char* words[] = {"linear", "conv", "up conv", "max pool",   "avg pool", "upsample",
                                     "norm",   "act",  "softmax", "layer norm", "flatten",  "flatten pytorch",
                                     "add",    "mul",  "gru",     "lstm",       "copy",     "concat",
                                     "slice",  "input"};
    return words[static_cast<int>(kind)];
}

/// A line a node, "conv(0) [8, 8, 4]" with the values it reads, then the results: "-> 3, 1".
template <int Capacity> Lines lines_of(const Nodes<Capacity>& nodes) {
    Lines lines;
    const auto list = [](const int* values, int count) {
        std::string text;
        for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
        return text;
    };
    for (int n = 0; n < nodes.count; ++n) {
        const Node& node = nodes.nodes[n];
        const int read[] = {node.input, node.other};
        const bool concat = node.op.kind == OpKind::concat;
        const Extents out = node.op.out;
        const int extents[] = {out[0], out[1], out[2], out[3]};
        lines.push_back(
            word_of(node.op.kind) + std::string("(") +
            (concat ? list(nodes.edges + node.first_edge, node.edge_count) : list(read, node.other < 0 ? 1 : 2)) +
            ") [" + list(extents, out.rank) + "]");
    }
    lines.push_back("-> " + list(nodes.outputs, nodes.output_count));
    return lines;
}

/// The lines of a network that fits, in room for exactly as many nodes or edges as there are.
template <class Net, class In> Lines nodes_of() {
    constexpr auto nodes = flatten<Net, In>();
    STATIC_REQUIRE(nodes.fault.rule == Rule::none);
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(nodes)>,
                                  Nodes<(nodes.count > nodes.edge_count ? nodes.count : nodes.edge_count)>>);
    STATIC_REQUIRE(Accepts<Net, In>);
    for (int n = 0; n < nodes.count; ++n) {
        const Node& node = nodes.nodes[n];
        if (node.op.kind == OpKind::concat)
            CHECK(node.op.in == nodes.extents(nodes.edges[node.first_edge]));
        else if (node.op.kind != OpKind::input)
            CHECK(node.op.in == nodes.extents(node.input));
    }
    return lines_of(nodes);
}

struct At {
    Rule rule;
    std::vector<int> path;
    Extents found{}, wanted{};
};
template <class Net, class In> void check_fault(const At& expected) {
    constexpr auto nodes = flatten<Net, In>();
    STATIC_REQUIRE_FALSE(Accepts<Net, In>);
    CHECK(nodes.fault.rule == expected.rule);
    CHECK(std::vector<int>(nodes.fault.path, nodes.fault.path + nodes.fault.depth) == expected.path);
    CHECK(nodes.fault.found == expected.found);
    CHECK(nodes.fault.wanted == expected.wanted);
}

template <int I, int O, int K, int S = 1> using Conv = Conv2d<I, O, Kernel<K>, Stride<S>, Padding<K / 2>>;

} // namespace

TEST_CASE("parallel branches read the same values; concat joins them in order", "[plan]") {
    using Inception = Sequential<Parallel<Conv<6, 8, 1>, Sequential<Conv<6, 4, 1>, ReLU, Conv<4, 12, 3>>,
                                          Sequential<MaxPool2d<3, Stride<1>, Padding<1>>, Conv<6, 2, 1>>, Identity>,
                                 Concat, ReLU>;
    CHECK(nodes_of<Inception, Shape<5, 7, 6>>() == Lines{"conv(0) [5, 7, 8]", "conv(0) [5, 7, 4]", "act(2) [5, 7, 4]",
                                                         "conv(3) [5, 7, 12]", "max pool(0) [5, 7, 6]",
                                                         "conv(5) [5, 7, 2]", "concat(1, 4, 6, 0) [5, 7, 28]",
                                                         "act(7) [5, 7, 28]", "-> 8"});
    constexpr auto nodes = flatten<Inception, Shape<5, 7, 6>>();
    CHECK(nodes.nodes[6].op.axis == 2);
    CHECK(nodes.parameter_count == 8);
}

TEST_CASE("a parallel passes several values through each of its branches", "[plan]") {
    using Net = Sequential<Parallel<ReLU, Tanh>, Parallel<Add, Mul, Identity>, Concat>;
    CHECK(nodes_of<Net, Shape<3>>() ==
          Lines{"act(0) [3]", "act(0) [3]", "add(1, 2) [3]", "mul(1, 2) [3]", "concat(3, 4, 1, 2) [12]", "-> 5"});
}

TEST_CASE("a residual runs its body before its shortcut", "[plan]") {
    using Net =
        Sequential<Residual<Sequential<Conv<2, 4, 3, 2>, ReLU, Conv<4, 4, 3>>, Conv<2, 4, 1, 2>>, Residual<ReLU>>;
    CHECK(nodes_of<Net, Shape<6, 6, 2>>() == Lines{"conv(0) [3, 3, 4]", "act(1) [3, 3, 4]", "conv(2) [3, 3, 4]",
                                                   "conv(0) [3, 3, 4]", "add(3, 4) [3, 3, 4]", "act(5) [3, 3, 4]",
                                                   "add(6, 5) [3, 3, 4]", "-> 7"});
}

TEST_CASE("sums and products of several values are chains; a pixel is the second factor", "[plan]") {
    CHECK(nodes_of<Sequential<Parallel<Identity, ReLU, Tanh, Sigmoid>, Add>, Shape<4>>() ==
          Lines{"act(0) [4]", "act(0) [4]", "act(0) [4]", "add(0, 1) [4]", "add(4, 2) [4]", "add(5, 3) [4]", "-> 6"});
    using Gate = Sequential<GlobalAvgPool2d, Conv<4, 2, 1>, ReLU, Conv<2, 4, 1>, Sigmoid>;
    const Lines gate{"avg pool(0) [1, 1, 4]",
                     "conv(1) [1, 1, 2]",
                     "act(2) [1, 1, 2]",
                     "conv(3) [1, 1, 4]",
                     "act(4) [1, 1, 4]",
                     "mul(0, 5) [3, 5, 4]",
                     "-> 6"};
    CHECK(nodes_of<Sequential<Parallel<Identity, Gate>, Mul>, Shape<3, 5, 4>>() == gate);
    CHECK(nodes_of<Sequential<Parallel<Gate, Identity>, Mul>, Shape<3, 5, 4>>() == gate);
    constexpr auto excited = flatten<Sequential<Parallel<Gate, Identity>, Mul>, Shape<3, 5, 4>>();
    CHECK(excited.nodes[5].op.broadcast);
    constexpr auto squared = flatten<Sequential<Parallel<Identity, Identity>, Mul>, Shape<3, 5, 4>>();
    CHECK_FALSE(squared.nodes[0].op.broadcast);
}

TEST_CASE("split makes a slice for each count; concat of one value is that value", "[plan]") {
    using Shuffle = Sequential<Split<2, 1, 3>, Concat, Sequential<Concat>, Slice<1, 4>>;
    CHECK(nodes_of<Shuffle, Shape<5, 6>>() == Lines{"slice(0) [5, 2]", "slice(0) [5, 1]", "slice(0) [5, 3]",
                                                    "concat(1, 2, 3) [5, 6]", "slice(4) [5, 4]", "-> 5"});
    constexpr auto nodes = flatten<Shuffle, Shape<5, 6>>();
    CHECK(nodes.nodes[0].op.begin == 0);
    CHECK(nodes.nodes[1].op.begin == 2);
    CHECK(nodes.nodes[2].op.begin == 3);
    CHECK(nodes.nodes[3].op.axis == 1);
    CHECK(nodes.nodes[4].op.begin == 1);
}

TEST_CASE("a graph reads by name: a U-Net's skeleton", "[plan]") {
    using UNet = Graph<Input<"image">,                                                         //
                       Layer<"down1", Sequential<Conv<3, 4, 3>, ReLU>, "image">,               //
                       Layer<"down2", Sequential<MaxPool2d<2>, Conv<4, 8, 3>, ReLU>, "down1">, //
                       Layer<"bottom", Sequential<MaxPool2d<2>, Conv<8, 16, 3>>, "down2">,     //
                       Layer<"up2", ConvTranspose2d<16, 8, Kernel<2>, Stride<2>>, "bottom">,   //
                       Layer<"right2", Sequential<Concat, Conv<16, 8, 3>>, "up2", "down2">,    //
                       Layer<"up1", Upsample<2>, "right2">,                                    //
                       Layer<"right1", Sequential<Concat, Conv<12, 2, 1>>, "down1", "up1">,    //
                       Output<"right1">>;
    CHECK(nodes_of<UNet, Shape<8, 12, 3>>() ==
          Lines{"conv(0) [8, 12, 4]", "act(1) [8, 12, 4]", "max pool(2) [4, 6, 4]", "conv(3) [4, 6, 8]",
                "act(4) [4, 6, 8]", "max pool(5) [2, 3, 8]", "conv(6) [2, 3, 16]", "up conv(7) [4, 6, 8]",
                "concat(8, 5) [4, 6, 16]", "conv(9) [4, 6, 8]", "upsample(10) [8, 12, 8]", "concat(2, 11) [8, 12, 12]",
                "conv(12) [8, 12, 2]", "-> 13"});
    constexpr auto nodes = flatten<UNet, Shape<8, 12, 3>>();
    CHECK(nodes.nodes[7].op.window == Window{2, 2, 2, 2});
    CHECK(nodes.nodes[7].op.bias);
    CHECK(nodes.nodes[10].op.window == Window{1, 1, 2, 2});
    CHECK(nodes.nodes[7].first_parameter == 6);
    CHECK(nodes.nodes[12].first_parameter == 10);
}

TEST_CASE("a graph of two inputs and two outputs; layers that nobody reads stay nodes", "[plan]") {
    using Net =
        Graph<Input<"image">, Input<"gate">,                                                    //
              Layer<"features", Conv<3, 4, 3>, "image">, Layer<"dead", Conv<3, 9, 1>, "image">, //
              Layer<"gated", Mul, "gate", "features">, Layer<"both", Sequential<Add, ReLU>, "gated", "features">,
              Output<"both">, Output<"gate">, Output<"gated">>;
    CHECK(nodes_of<Net, Inputs<Shape<4, 4, 3>, Shape<1, 1, 4>>>() ==
          Lines{"input(0) [1, 1, 4]", "conv(0) [4, 4, 4]", "conv(0) [4, 4, 9]", "mul(2, 1) [4, 4, 4]",
                "add(4, 2) [4, 4, 4]", "act(5) [4, 4, 4]", "-> 6, 1, 4"});
    constexpr auto nodes = flatten<Net, Inputs<Shape<4, 4, 3>, Shape<1, 1, 4>>>();
    CHECK(nodes.input == extents_of(4, 4, 3));
    CHECK(nodes.nodes[0].op.in == extents_of(1, 1, 4));
}

TEST_CASE("a name stands for all values of its module: graphs nest", "[plan]") {
    using Backbone = Graph<Input<"x">, Layer<"c3", Conv<1, 2, 3, 2>, "x">, Layer<"c4", Conv<2, 4, 3, 2>, "c3">,
                           Output<"c3">, Output<"c4">>;
    using Neck = Graph<Input<"fine">, Input<"coarse">, Layer<"up", Sequential<Conv<4, 2, 1>, Upsample<2>>, "coarse">,
                       Layer<"p3", Add, "fine", "up">, Output<"p3">, Output<"coarse">>;
    // Heads of different shapes as rows of two, one after the other: a detector's end.
    using Head = Sequential<Parallel<Identity, Identity>, Graph<Input<"boxes">, Input<"scores">, Output<"scores">>,
                            Reshape<Shape<64, 2>>>;
    using Net = Graph<Input<"image">, Layer<"backbone", Backbone, "image">, Layer<"neck", Neck, "backbone">,
                      Layer<"heads",
                            Sequential<Graph<Input<"p3">, Input<"p4">, Layer<"a", Head, "p3">,
                                             Layer<"b", Reshape<Shape<32, 2>>, "p4">, Output<"a">, Output<"b">>,
                                       ConcatRows>,
                            "neck">,
                      Output<"heads">, Output<"neck">>;
    CHECK(nodes_of<Net, Shape<16, 16, 1>>() == Lines{"conv(0) [8, 8, 2]", "conv(1) [4, 4, 4]", "conv(2) [4, 4, 2]",
                                                     "upsample(3) [8, 8, 2]", "add(1, 4) [8, 8, 2]",
                                                     "flatten(5) [64, 2]", "flatten(2) [32, 2]", "concat(6, 7) [96, 2]",
                                                     "-> 8, 5, 2"});
    constexpr auto nodes = flatten<Net, Shape<16, 16, 1>>();
    CHECK(nodes.nodes[7].op.axis == 0);
}

TEST_CASE("a dense block reads everything before it, again and again", "[plan]") {
    using Dense =
        Graph<Input<"x">, Layer<"1", Conv<4, 2, 3>, "x">, Layer<"2", Sequential<Concat, Conv<6, 2, 3>>, "x", "1">,
              Layer<"3", Sequential<Concat, Conv<8, 2, 3>>, "x", "1", "2">, Layer<"all", Concat, "x", "1", "2", "3">,
              Output<"all">>;
    CHECK(nodes_of<Dense, Shape<3, 3, 4>>() == Lines{"conv(0) [3, 3, 2]", "concat(0, 1) [3, 3, 6]", "conv(2) [3, 3, 2]",
                                                     "concat(0, 1, 3) [3, 3, 8]", "conv(4) [3, 3, 2]",
                                                     "concat(0, 1, 3, 5) [3, 3, 10]", "-> 6"});
}

TEST_CASE("networks without a node", "[plan]") {
    CHECK(nodes_of<Identity, Shape<3>>() == Lines{"-> 0"});
    CHECK(nodes_of<Named<"net", Parallel<Identity, Identity>>, Shape<3>>() == Lines{"-> 0, 0"});
    CHECK(nodes_of<Graph<Input<"a">, Input<"b">, Output<"b">>, Inputs<Shape<3>, Shape<4>>>() ==
          Lines{"input(0) [4]", "-> 1"});
}

TEST_CASE("layers over time are windows one pixel wide", "[plan]") {
    using Net =
        Sequential<Conv1d<4, 6, Kernel<3>, Causal, Dilation<2>>, Conv1d<6, 6, Kernel<5>, Padding<1, 3>, Stride<2>>,
                   Conv1d<6, 8, Kernel<4>, SameUpper, Groups<2>, NoBias>, MaxPool1d<3, Stride<2>, Padding<1>>,
                   AvgPool1d<2>, GRU<8, 5>, LSTM<5, 3, NoBias>, Linear<3, 2>>;
    CHECK(nodes_of<Net, Shape<20, 4>>() == Lines{"conv(0) [20, 6]", "conv(1) [10, 6]", "conv(2) [10, 8]",
                                                 "max pool(3) [5, 8]", "avg pool(4) [2, 8]", "gru(5) [2, 5]",
                                                 "lstm(6) [2, 3]", "linear(7) [2, 2]", "-> 8"});
    constexpr auto nodes = flatten<Net, Shape<20, 4>>();
    CHECK(nodes.nodes[0].op.window == Window{3, 1, 1, 1, 4, 0, 0, 0, 2, 1});
    CHECK(nodes.nodes[1].op.window == Window{5, 1, 2, 1, 1, 3, 0, 0, 1, 1});
    CHECK(nodes.nodes[2].op.window == Window{4, 1, 1, 1, 1, 2, 0, 0, 1, 1});
    CHECK(nodes.nodes[2].op.groups == 2);
    CHECK_FALSE(nodes.nodes[2].op.bias);
    CHECK(nodes.nodes[3].op.window == Window{3, 1, 2, 1, 1, 1, 0, 0, 1, 1});
    CHECK(nodes.nodes[4].op.window == Window{2, 1, 2, 1, 0, 0, 0, 0, 1, 1});
    CHECK(nodes.nodes[5].op.bias);
    CHECK_FALSE(nodes.nodes[6].op.bias);
    CHECK(nodes.nodes[5].first_parameter == 5);
    CHECK(nodes.nodes[6].first_parameter == 9);
    CHECK(nodes.nodes[7].first_parameter == 11);
    CHECK(nodes.parameter_count == 13);
}

TEST_CASE("the first fault is kept, with the positions that lead to it", "[plan]") {
    using Wrong = Linear<3, 4>;
    check_fault<Sequential<ReLU, Parallel<ReLU, Sequential<Tanh, Wrong>>, Add>, Shape<2, 5>>(
        {Rule::linear_features, {1, 1, 1}, extents_of(2, 5), extents_of(2, 3)});
    check_fault<Sequential<ReLU, Graph<Input<"x">, Layer<"a", Residual<Wrong>, "x">, Output<"a">>>, Shape<5>>(
        {Rule::linear_features, {1, 1, 0}, extents_of(5), extents_of(3)});
    check_fault<Graph<Input<"x">, Layer<"a", Slice<0, 3>, "x">, Layer<"b", Add, "x", "a", "x">, Output<"b">>, Shape<5>>(
        {Rule::add_shapes, {2}, extents_of(3), extents_of(5)});
    // The names of an inner graph go first, then the count of its values, then its layers.
    check_fault<Named<"net", Sequential<ReLU, Graph<Input<"x">, Layer<"a", Wrong, "y">, Output<"a">>>>, Shape<5>>(
        {Rule::graph_source, {1, 1}, {}, {}});
    check_fault<Sequential<ReLU, Graph<Input<"x">, Input<"y">, Layer<"a", Wrong, "y">, Output<"a">>>, Shape<5>>(
        {Rule::graph_inputs, {1}, extents_of(1), extents_of(2)});
    check_fault<Sequential<Parallel<ReLU, Wrong>, Wrong, Add>, Shape<5>>(
        {Rule::linear_features, {0, 1}, extents_of(5), extents_of(3)});
    check_fault<Parallel<>, Shape<5>>({Rule::network_outputs, {}, extents_of(0), extents_of(1)});
    check_fault<ReLU, Inputs<Shape<5>, Shape<5>>>({Rule::one_value, {}, extents_of(2), extents_of(1)});
}
