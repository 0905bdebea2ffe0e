// SPDX-License-Identifier: MIT
// The networks of tarn/zoo as the tests try them: type, input, and the name of each in tests/fixtures/zoo.py.
// Shared by the tests of this folder, each of which takes the cases it wants.
// Knows the zoo only.
#pragma once

#include <tarn/zoo/densenet.hpp>
#include <tarn/zoo/ds_cnn.hpp>
#include <tarn/zoo/mcunet.hpp>
#include <tarn/zoo/mobilenet_v1.hpp>
#include <tarn/zoo/mobilenet_v2.hpp>
#include <tarn/zoo/resnet.hpp>
#include <tarn/zoo/squeezenet.hpp>
#include <tarn/zoo/tcn.hpp>
#include <tarn/zoo/ultraface.hpp>
#include <tarn/zoo/unet.hpp>
#include <tarn/zoo/vgg.hpp>

#include <ratio>

namespace tarn_test::zoo_cases {

using namespace tarn;

/// Gain: of the weights that tests/support/hashed_weights.hpp makes.
template <class TheNet, class TheInput, int Gain> struct Case {
    using Net = TheNet;
    using Input = TheInput;
    static constexpr int gain = Gain;
};

struct MobileNetV1 : Case<zoo::MobileNetV1<>, Shape<224, 224, 3>, 6> {
    static constexpr const char* name = "mobilenet_v1";
};
/// MLPerf Tiny's visual wake words without its softmax.
struct MobileNetV1Quarter : Case<zoo::MobileNetV1<std::ratio<1, 4>, 2, zoo::SamePads, ReLU>, Shape<96, 96, 3>, 6> {
    static constexpr const char* name = "mobilenet_v1_025";
};
struct MobileNetV2 : Case<zoo::MobileNetV2<>, Shape<224, 224, 3>, 5> {
    static constexpr const char* name = "mobilenet_v2";
};
struct MobileNetV2Same : Case<zoo::MobileNetV2<std::ratio<1>, 1000, zoo::SamePads>, Shape<224, 224, 3>, 5> {
    static constexpr const char* name = "mobilenet_v2_same";
};
struct MobileNetV2Narrow : Case<zoo::MobileNetV2<std::ratio<35, 100>, 1000, zoo::SamePads>, Shape<144, 144, 3>, 5> {
    static constexpr const char* name = "mobilenet_v2_035";
};
struct MobileNetV2Wide : Case<zoo::MobileNetV2<std::ratio<14, 10>, 10>, Shape<64, 96, 3>, 5> {
    static constexpr const char* name = "mobilenet_v2_140";
};
struct MCUNet320 : Case<zoo::MCUNet320<>, Shape<176, 176, 3>, 4> {
    static constexpr const char* name = "mcunet_320";
};
struct ResNet8 : Case<zoo::ResNet8<>, Shape<32, 32, 3>, 6> {
    static constexpr const char* name = "resnet8";
};
struct DSCNN : Case<zoo::DSCNN<>, Shape<49, 10, 1>, 6> {
    static constexpr const char* name = "ds_cnn";
};
struct ResNet18 : Case<zoo::ResNet18<>, Shape<224, 224, 3>, 3> {
    static constexpr const char* name = "resnet18";
};
struct ResNet50 : Case<zoo::ResNet50<>, Shape<224, 224, 3>, 3> {
    static constexpr const char* name = "resnet50";
};
struct SqueezeNet : Case<zoo::SqueezeNet<>, Shape<224, 224, 3>, 6> {
    static constexpr const char* name = "squeezenet";
};
struct DenseNet121 : Case<zoo::DenseNet121<>, Shape<224, 224, 3>, 5> {
    static constexpr const char* name = "densenet121";
};
struct VGG16 : Case<zoo::VGG16<>, Shape<224, 224, 3>, 6> {
    static constexpr const char* name = "vgg16";
};
struct UNet : Case<zoo::UNet<>, Shape<256, 256, 3>, 5> {
    static constexpr const char* name = "unet";
};
struct UNetSmall : Case<zoo::UNet<3, 8, 1>, Shape<48, 32, 1>, 6> {
    static constexpr const char* name = "unet_small";
};
struct UltraFace : Case<zoo::UltraFace<>, Shape<240, 320, 3>, 5> {
    static constexpr const char* name = "ultraface";
};
struct TCN : Case<zoo::TCN<4, 16, 3, 4>, Shape<100, 4>, 4> {
    static constexpr const char* name = "tcn";
};

} // namespace tarn_test::zoo_cases
