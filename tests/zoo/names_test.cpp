// SPDX-License-Identifier: MIT
// Parameter names and shapes of the zoo's networks, and their MACs, against PyTorch's: torchvision's modules where it
// has the network. Where a hash differs, `tests/fixtures/zoo.py --names NAME` prints the list it is made of.
// Tests include/tarn/zoo with io/names and plan/flatten; no file of weights and no plan.
#include "support/catch.hpp"
#include "zoo/cases.hpp"
#include "zoo/expected.hpp"

#include <tarn/plan/flatten.hpp>

#include <algorithm>

using namespace tarn;
using namespace tarn_test;

namespace {

template <class Case> void check_names() {
    INFO(Case::name);
    const ZooFacts wanted = zoo_facts(Case::name);
    std::vector<std::string> lines;
    std::size_t learned = 0;
    for (const NamedParameter& parameter : parameter_names<typename Case::Net>()) {
        std::string line = parameter.name + " [";
        for (int i = 0; i < parameter.shape.rank; ++i) line += (i > 0 ? ", " : "") + std::to_string(parameter.shape[i]);
        lines.push_back(line + "]\n");
        if (!parameter.ignored && parameter.name.find("running_") == std::string::npos)
            learned += parameter.shape.elems();
    }
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines) all += line;
    INFO(all);
    CHECK(lines.size() == wanted.entries);
    CHECK(learned == wanted.learned);
    CHECK(fnv<std::uint64_t>(all) == wanted.names);

    static constexpr auto nodes = flatten<typename Case::Net, typename Case::Input>();
    std::size_t macs = 0;
    for (int n = 0; n < nodes.count; ++n) macs += macs_of(nodes.nodes[n].op);
    CHECK(macs == wanted.macs);
    for (int output = 0; output < nodes.output_count; ++output) // the answers are there, as many as are compared
        CHECK(zoo_expected(Case::name, output).size() ==
              sampled_positions(nodes.extents(nodes.outputs[output]).elems()).size());
}

} // namespace

TEST_CASE("zoo: names and shapes are PyTorch's", "[zoo]") {
    check_names<zoo_cases::MobileNetV1>();
    check_names<zoo_cases::MobileNetV1Quarter>();
    check_names<zoo_cases::MobileNetV2>();
    check_names<zoo_cases::MobileNetV2Same>();
    check_names<zoo_cases::MobileNetV2Narrow>();
    check_names<zoo_cases::MobileNetV2Wide>();
    check_names<zoo_cases::MCUNet320>();
    check_names<zoo_cases::ResNet8>();
    check_names<zoo_cases::DSCNN>();
    check_names<zoo_cases::ResNet18>();
    check_names<zoo_cases::ResNet50>();
    check_names<zoo_cases::SqueezeNet>();
    check_names<zoo_cases::DenseNet121>();
    check_names<zoo_cases::VGG16>();
    check_names<zoo_cases::UNet>();
    check_names<zoo_cases::UNetSmall>();
    check_names<zoo_cases::UltraFace>();
    check_names<zoo_cases::TCN>();
}

TEST_CASE("zoo: a name is found by its place in the network", "[zoo]") {
    const auto has = [](const std::vector<NamedParameter>& names, std::string_view wanted, Extents shape) {
        return std::any_of(names.begin(), names.end(), [&](const NamedParameter& parameter) {
            return parameter.name == wanted && parameter.shape == shape;
        });
    };
    CHECK(has(parameter_names<zoo::MobileNetV2<>>(), "features.1.conv.0.0.weight", extents_of(32, 1, 3, 3)));
    CHECK(has(parameter_names<zoo::MobileNetV2<>>(), "features.17.conv.2.weight", extents_of(320, 960, 1, 1)));
    CHECK(has(parameter_names<zoo::DenseNet121<>>(), "features.denseblock3.denselayer24.conv1.weight",
              extents_of(128, 992, 1, 1)));
    CHECK(has(parameter_names<zoo::UNet<>>(), "up1.up.weight", extents_of(1024, 512, 2, 2)));
    CHECK(has(parameter_names<zoo::UltraFace<>>(), "base_net.7.branch2.3.conv.weight", extents_of(16, 16, 3, 3)));
    CHECK(has(parameter_names<zoo::MicroTCNBlock<2, 32, 4, 1>>(), "res.weight", extents_of(32, 1, 1)));
}
