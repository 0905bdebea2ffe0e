// SPDX-License-Identifier: MIT
// Parameter names and shapes of modules made of modules, against the state_dict of the same module in PyTorch: the
// lists are what torch 2 and torchvision print for it.
// Tests include/tarn/io/names.hpp, alone: no file and no plan.
#include "support/catch.hpp"

#include <tarn/io/names.hpp>
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
#include <vector>

using namespace tarn;

namespace {

using Names = std::vector<std::string>;

/// "0.weight [4, 3, 1, 1]", in the order of the network's nodes; "(not read)" where a file's value is ignored.
template <class Net> Names names_of() {
    Names names;
    for (const NamedParameter& parameter : parameter_names<Net>()) {
        std::string text = parameter.name + " [";
        for (int i = 0; i < parameter.shape.rank; ++i) text += (i > 0 ? ", " : "") + std::to_string(parameter.shape[i]);
        names.push_back(text + "]" + (parameter.ignored ? " (not read)" : ""));
    }
    return names;
}

/// What torch.nn.BatchNorm2d(channels) has, under a name.
void add_norm(Names& names, const std::string& name, int channels) {
    const std::string shape = " [" + std::to_string(channels) + "]";
    for (const char* parameter : {".weight", ".bias", ".running_mean", ".running_var"})
        names.push_back(name + parameter + shape);
    names.push_back(name + ".num_batches_tracked [] (not read)");
}

template <int I, int O, int K> using Conv = Conv2d<I, O, Kernel<K>, Padding<K / 2>>;
template <int I, int O, int K> using Bare = Conv2d<I, O, Kernel<K>, Padding<K / 2>, NoBias>;

} // namespace

TEST_CASE("names: branches are numbered as in a ModuleList", "[io]") {
    using Net = Sequential<
        Parallel<Linear<3, 2>, Sequential<ReLU, Linear<3, 4>>, Identity, Named<"last", Linear<3, 1, NoBias>>>, Concat,
        Linear<10, 1>>;
    CHECK(names_of<Net>() == Names{"0.0.weight [2, 3]", "0.0.bias [2]", "0.1.1.weight [4, 3]", "0.1.1.bias [4]",
                                   "0.last.weight [1, 3]", "2.weight [1, 10]", "2.bias [1]"});
    CHECK(names_of<Parallel<Linear<3, 2>, Linear<3, 2>>>() ==
          Names{"0.weight [2, 3]", "0.bias [2]", "1.weight [2, 3]", "1.bias [2]"});
}

TEST_CASE("names: torchvision's Fire and BasicBlock", "[io]") {
    // torchvision.models.squeezenet.Fire(6, 2, 4, 4), at "features.3"
    using Fire = Sequential<Named<"squeeze", Conv<6, 2, 1>>, ReLU,
                            Parallel<Sequential<Named<"", Named<"expand1x1", Conv<2, 4, 1>>>, ReLU>,
                                     Sequential<Named<"expand3x3", Conv<2, 4, 3>>, ReLU>>,
                            Concat>;
    using Branches = Named<"", Parallel<Named<"", Sequential<Named<"expand1x1", Conv<2, 4, 1>>, ReLU>>,
                                        Named<"", Sequential<Named<"expand3x3", Conv<2, 4, 3>>, ReLU>>>>;
    using Flat = Sequential<Named<"squeeze", Conv<6, 2, 1>>, ReLU, Branches, Concat>;
    const Names fire{"features.3.squeeze.weight [2, 6, 1, 1]",   "features.3.squeeze.bias [2]",
                     "features.3.expand1x1.weight [4, 2, 1, 1]", "features.3.expand1x1.bias [4]",
                     "features.3.expand3x3.weight [4, 2, 3, 3]", "features.3.expand3x3.bias [4]"};
    CHECK(names_of<Named<"features", Sequential<ReLU, ReLU, ReLU, Flat>>>() == fire);
    CHECK(names_of<Fire>()[2] == "2.0.expand1x1.weight [4, 2, 1, 1]"); // a number only where nothing else is said

    // torchvision.models.resnet.BasicBlock(4, 8, stride=2, downsample=Sequential(conv, norm)), at "layer2.0"
    using Block = Sequential<
        Named<"", Residual<Named<"", Sequential<Named<"conv1", Bare<4, 8, 3>>, Named<"bn1", BatchNorm2d<8>>, ReLU,
                                                Named<"conv2", Bare<8, 8, 3>>, Named<"bn2", BatchNorm2d<8>>>>,
                           Named<"downsample", Sequential<Bare<4, 8, 1>, BatchNorm2d<8>>>>>,
        ReLU>;
    Names block{"layer2.0.conv1.weight [8, 4, 3, 3]"};
    add_norm(block, "layer2.0.bn1", 8);
    block.push_back("layer2.0.conv2.weight [8, 8, 3, 3]");
    add_norm(block, "layer2.0.bn2", 8);
    block.push_back("layer2.0.downsample.0.weight [8, 4, 1, 1]");
    add_norm(block, "layer2.0.downsample.1", 8);
    CHECK(names_of<Sequential<Named<"layer2", Sequential<Block>>>>() == block);
}

TEST_CASE("names: a graph's layers by their own names, torchvision's DenseNet", "[io]") {
    // torchvision.models.DenseNet(growth_rate=2, block_config=(2,), num_init_features=4, bn_size=2, num_classes=3)
    using Net = Graph<
        Input<"image">, //
        Layer<"features", Sequential<Named<"conv0", Bare<3, 4, 7>>, Named<"norm0", BatchNorm2d<4>>, ReLU, MaxPool2d<2>>,
              "image">,
        Layer<"features.denseblock1.denselayer1",
              Sequential<Named<"norm1", BatchNorm2d<4>>, ReLU, Named<"conv1", Bare<4, 4, 1>>,
                         Named<"norm2", BatchNorm2d<4>>, ReLU, Named<"conv2", Bare<4, 2, 3>>>,
              "features">,
        Layer<"features.denseblock1.denselayer2",
              Sequential<Concat, Named<"norm1", BatchNorm2d<6>>, ReLU, Named<"conv1", Bare<6, 4, 1>>,
                         Named<"norm2", BatchNorm2d<4>>, ReLU, Named<"conv2", Bare<4, 2, 3>>>,
              "features", "features.denseblock1.denselayer1">,
        Layer<"features.norm5", Sequential<Concat, Named<"", BatchNorm2d<8>>>, "features",
              "features.denseblock1.denselayer1", "features.denseblock1.denselayer2">,
        Layer<"classifier", Sequential<ReLU, GlobalAvgPool2d, Flatten, Named<"", Linear<8, 3>>>, "features.norm5">,
        Output<"classifier">>;
    Names names{"features.conv0.weight [4, 3, 7, 7]"};
    add_norm(names, "features.norm0", 4);
    add_norm(names, "features.denseblock1.denselayer1.norm1", 4);
    names.push_back("features.denseblock1.denselayer1.conv1.weight [4, 4, 1, 1]");
    add_norm(names, "features.denseblock1.denselayer1.norm2", 4);
    names.push_back("features.denseblock1.denselayer1.conv2.weight [2, 4, 3, 3]");
    add_norm(names, "features.denseblock1.denselayer2.norm1", 6);
    names.push_back("features.denseblock1.denselayer2.conv1.weight [4, 6, 1, 1]");
    add_norm(names, "features.denseblock1.denselayer2.norm2", 4);
    names.push_back("features.denseblock1.denselayer2.conv2.weight [2, 4, 3, 3]");
    add_norm(names, "features.norm5", 8);
    names.push_back("classifier.weight [3, 8]");
    names.push_back("classifier.bias [3]");
    CHECK(names_of<Net>() == names);
    CHECK(names_of<Named<"", Net>>() == names);
    STATIC_REQUIRE(flatten<Net, Shape<8, 8, 3>>().fault.rule == Rule::none);
}

TEST_CASE("names: graphs inside of graphs, under a name", "[io]") {
    using Inner = Graph<Input<"a">, Input<"b">, Layer<"mix", Sequential<Add, Linear<3, 3>>, "a", "b">,
                        Layer<"gate", Named<"fc", Linear<3, 3, NoBias>>, "mix">, Output<"gate">>;
    using Net = Graph<Input<"x">, Input<"y">, Layer<"first", Linear<3, 3>, "x">, Layer<"inner", Inner, "first", "y">,
                      Output<"inner">>;
    CHECK(names_of<Named<"net", Net>>() == Names{"net.first.weight [3, 3]", "net.first.bias [3]",
                                                 "net.inner.mix.1.weight [3, 3]", "net.inner.mix.1.bias [3]",
                                                 "net.inner.gate.fc.weight [3, 3]"});
}

TEST_CASE("names: layers over time, recurrent layers and transposed convolution", "[io]") {
    CHECK(names_of<GRU<3, 5>>() ==
          Names{"weight_ih_l0 [15, 3]", "weight_hh_l0 [15, 5]", "bias_ih_l0 [15]", "bias_hh_l0 [15]"});
    CHECK(names_of<Sequential<Named<"rnn", LSTM<3, 5, NoBias>>, Linear<5, 1>>>() ==
          Names{"rnn.weight_ih_l0 [20, 3]", "rnn.weight_hh_l0 [20, 5]", "1.weight [1, 5]", "1.bias [1]"});
    CHECK(
        names_of<
            Sequential<Conv1d<4, 6, Kernel<3>, Causal, Groups<2>>, MaxPool1d<2>, Conv1d<6, 1, Kernel<5>, NoBias>>>() ==
        Names{"0.weight [6, 2, 3]", "0.bias [6]", "2.weight [1, 6, 5]"});
    CHECK(names_of<Sequential<Upsample<2>, ConvTranspose2d<4, 6, Kernel<2, 3>, Stride<2, 3>>>>() ==
          Names{"1.weight [4, 6, 2, 3]", "1.bias [6]"});
    CHECK(names_of<Sequential<Split<1, 2>, Concat, Slice<0, 2>, Reshape<Shape<2>>, BatchNorm1d<2>>>().front() ==
          "4.weight [2]");
}

TEST_CASE("names: one for each parameter that nodes have", "[io]") {
    using Net = Graph<Input<"x">, Layer<"a", Sequential<Conv1d<4, 4, Kernel<3>, Causal>, BatchNorm1d<4>>, "x">,
                      Layer<"b", Sequential<Parallel<GRU<4, 2>, LSTM<4, 2>>, Concat>, "a">,
                      Layer<"c", Residual<Linear<4, 4, NoBias>, Linear<4, 4>>, "b">, Output<"c">>;
    constexpr auto nodes = flatten<Net, Shape<9, 4>>();
    const std::vector<NamedParameter> names = parameter_names<Net>();
    REQUIRE(nodes.fault.rule == Rule::none);
    REQUIRE(static_cast<std::size_t>(nodes.parameter_count) == names.size());
    const auto first_of = [&](int node) {
        return names[static_cast<std::size_t>(nodes.nodes[node].first_parameter)].name;
    };
    CHECK(first_of(0) == "a.0.weight");
    CHECK(first_of(1) == "a.1.weight");
    CHECK(first_of(2) == "b.0.0.weight_ih_l0");
    CHECK(first_of(3) == "b.0.1.weight_ih_l0");
    CHECK(first_of(5) == "c.body.weight");
    CHECK(first_of(6) == "c.shortcut.weight");
}
