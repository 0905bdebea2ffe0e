// SPDX-License-Identifier: MIT
// The zoo's networks as nodes: output shapes, parameters and MACs, against the published numbers; and the steps that
// are left once norms, activations and sums are fused.
// Tests include/tarn/zoo with plan/flatten and plan/fuse; no kernel and no plan.
#include "support/catch.hpp"
#include "zoo/cases.hpp"

#include <tarn/plan/flatten.hpp>
#include <tarn/plan/fuse.hpp>
#include <tarn/plan/network.hpp>

#include <cstddef>

using namespace tarn;
using namespace tarn_test;

namespace {

struct Facts {
    std::size_t learned = 0, macs = 0;
    int steps = 0, outputs = 0;
    Extents output{}, second{};

    friend constexpr bool operator==(const Facts&, const Facts&) = default;
};

/// Elements that a layer learns: PyTorch's parameters(), running statistics not counted.
constexpr std::size_t learned_by(const Op& op) {
    const auto in = static_cast<std::size_t>(op.in.last()), out = static_cast<std::size_t>(op.out.last());
    const std::size_t bias = op.bias ? out : 0;
    const auto taps = static_cast<std::size_t>(op.window.kernel_h * op.window.kernel_w);
    switch (op.kind) {
    case OpKind::linear:
        return out * in + bias;
    case OpKind::conv2d:
    case OpKind::up_conv2d:
        return out * (in / static_cast<std::size_t>(op.groups)) * taps + bias;
    case OpKind::batch_norm:
        return 2 * out;
    default:
        return 0;
    }
}

template <class Case> constexpr Facts facts_of() {
    constexpr auto nodes = flatten<typename Case::Net, typename Case::Input>();
    static_assert(nodes.fault.rule == Rule::none);
    constexpr auto steps = fuse(nodes, false);
    Facts facts;
    for (int n = 0; n < nodes.count; ++n) {
        facts.learned += learned_by(nodes.nodes[n].op);
        facts.macs += macs_of(nodes.nodes[n].op);
    }
    for (int s = 0; s < steps.count; ++s) facts.steps += steps.steps[s].op.kind != OpKind::copy ? 1 : 0;
    facts.outputs = nodes.output_count;
    facts.output = nodes.extents(nodes.outputs[0]);
    if (nodes.output_count > 1) facts.second = nodes.extents(nodes.outputs[1]);
    return facts;
}

/// What a network of one output should be.
constexpr Facts one(std::size_t learned, std::size_t macs, int steps, Extents output) {
    return {learned, macs, steps, 1, output, {}};
}

// Parameters: torchvision's and Keras's published counts. Steps: a convolution or linear layer each with its norm, its
// activation and the sum after it; a pool each; a softmax. Copies into concats are the planner's choice and left out.
static_assert(facts_of<zoo_cases::MobileNetV1>() == one(4231976, 568740352, 27 + 1 + 1, extents_of(1000)));
static_assert(facts_of<zoo_cases::MobileNetV1Quarter>() == one(213586, 7489664, 27 + 1 + 1, extents_of(2)));
static_assert(facts_of<zoo_cases::MobileNetV2>() == one(3504872, 300774272, 52 + 1 + 1, extents_of(1000)));
static_assert(facts_of<zoo_cases::MobileNetV2Same>() == one(3504872, 300774272, 52 + 1 + 1, extents_of(1000)));
static_assert(facts_of<zoo_cases::MobileNetV2Narrow>() == one(1677128, 26660752, 52 + 1 + 1, extents_of(1000)));
static_assert(facts_of<zoo_cases::MCUNet320>() == one(530736, 79262192, 51 + 1 + 1, extents_of(1000)));
static_assert(facts_of<zoo_cases::ResNet8>() == one(78666 - 480, 12501632, 9 + 1 + 1 + 1, extents_of(10)));
static_assert(facts_of<zoo_cases::DSCNN>() == one(24908 - 1152, 2656768, 9 + 1 + 1 + 1, extents_of(12)));
static_assert(facts_of<zoo_cases::ResNet18>() == one(11689512, 1814073344, 20 + 2 + 1, extents_of(1000)));
static_assert(facts_of<zoo_cases::ResNet50>() == one(25557032, 4089184256, 53 + 2 + 1, extents_of(1000)));
static_assert(facts_of<zoo_cases::SqueezeNet>() == one(1235496, 349151936, 26 + 3 + 1, extents_of(1000)));
static_assert(facts_of<zoo_cases::VGG16>() == one(138357544, 15470264320, 13 + 5 + 3, extents_of(1000)));
static_assert(facts_of<zoo_cases::UNet>() == one(31037698, 48171581440, 18 + 4 + 4 + 4 + 1, extents_of(256, 256, 2)));
// Late concats: the first and the last of the first dense block.
static_assert(Network<zoo_cases::DenseNet121::Net, zoo_cases::DenseNet121::Input>::late_concats().count == 2);
static_assert(facts_of<zoo_cases::UltraFace>() ==
              Facts{276292, 100418560, 52 + 2 + 1, 2, extents_of(4420, 2), extents_of(4420, 4)});
static_assert(facts_of<zoo_cases::TCN>().output == extents_of(100, 16));
static_assert(zoo_cases::TCN::Net::receptive_field == 61);

// DenseNet's norms stand before their convolutions and read what others read too, so half of them are steps: those of
// 58 dense layers, 3 transitions, and the last; each with its ReLU.
static_assert(facts_of<zoo_cases::DenseNet121>() ==
              one(7978856, 2834161664, 120 + 1 + 58 + 3 + 1 + 2 + 3, extents_of(1000)));

// Norms folded into biases, as in the detector's ONNX file: 273,888 weights.
static_assert(facts_of<zoo_cases::Case<zoo::UltraFace<240, 320, zoo::Norms::folded>, Shape<240, 320, 3>, 1>>() ==
              Facts{273888, 100418560, 52 + 2 + 1, 2, extents_of(4420, 2), extents_of(4420, 4)});

// One block of micro-TCN on 1 channel: a convolution of 4 taps with its norm, and the way around it.
static_assert(facts_of<zoo_cases::Case<zoo::MicroTCNBlock<1, 32, 4, 1>, Shape<64, 1>, 1>>() ==
              one(32 * 4 + 2 * 32 + 32, 64 * 32 * 5, 2, extents_of(64, 32)));

} // namespace

TEST_CASE("zoo: other extents than the published", "[zoo]") {
    STATIC_REQUIRE(flatten<zoo::ResNet18<7>, Shape<65, 33, 3>>().fault.rule == Rule::none);
    STATIC_REQUIRE(flatten<zoo::UNet<2, 4>, Shape<16, 32, 3>>().fault.rule == Rule::none);
    STATIC_REQUIRE(flatten<zoo::UltraFace<480, 640>, Shape<480, 640, 3>>().extents(1) == extents_of(240, 320, 16));
    STATIC_REQUIRE(flatten<zoo::UltraFace<480, 640>, Shape<480, 640, 3>>().fault.rule == Rule::none);

    // A fault says which layer, as in any Sequential: features, then the first convolution.
    constexpr auto gray = flatten<zoo::MobileNetV2<>, Shape<224, 224, 1>>();
    STATIC_REQUIRE(gray.fault.rule == Rule::conv_channels);
    STATIC_REQUIRE(gray.fault.depth == 3);
    STATIC_REQUIRE(flatten<zoo::UNet<>, Shape<40, 40, 3>>().fault.rule == Rule::concat_shapes);
}

TEST_CASE("zoo: widths of MobileNets", "[zoo]") {
    using Third = std::ratio<35, 100>;
    STATIC_REQUIRE(zoo::scaled<std::ratio<1, 4>>(1024) == 256);
    STATIC_REQUIRE(zoo::scaled<std::ratio<1, 3>>(32) == 10);
    // torchvision's _make_divisible, value by value
    STATIC_REQUIRE(zoo::scaled_by_eights<Third>(16) == 8);
    STATIC_REQUIRE(zoo::scaled_by_eights<Third>(24) == 8);
    STATIC_REQUIRE(zoo::scaled_by_eights<Third>(32) == 16); // 11.2: 8 is less than 90 % of it
    STATIC_REQUIRE(zoo::scaled_by_eights<Third>(96) == 32);
    STATIC_REQUIRE(zoo::scaled_by_eights<Third>(320) == 112);
    STATIC_REQUIRE(zoo::scaled_by_eights<std::ratio<14, 10>>(24) == 32);
    STATIC_REQUIRE(zoo::scaled_by_eights<std::ratio<14, 10>>(1280) == 1792);
    STATIC_REQUIRE(zoo::scaled_by_eights<std::ratio<1>>(3) == 8);
}
