// SPDX-License-Identifier: MIT
// Subjects: the networks that memory, models and compile measure, with the figures published or computed elsewhere.
// Read by CMake and compile_bench.py too: a subject is a line that begins `struct NAME : Subject`.
// Knows networks as types; nothing of plans.
#pragma once

#include <tarn/core/shape.hpp>
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

#include <cstddef>
#include <ratio>

namespace tarn_bench {

/// Figures of others, in elements (bytes of an int8 network, a fourth of the bytes of a float one); 0 where none is
/// known. lb1, lb2: an independent model of the graph, whole tensors overlapped, blocks streamed.
struct Published {
    std::size_t lb1 = 0, lb2 = 0;
    std::size_t peak = 0;         ///< the least that somebody reports to run in
    const char* peak_source = ""; ///< who, and how where it is not whole tensors
};

/// What Smallest must reach; below its own LB1 where nothing stands here.
struct Target {
    std::size_t owned = 0, external = 0;
};

struct Subject {
    static constexpr Published published{};
    static constexpr Target target{};
    static constexpr double least_speed = 0.95; ///< of whole tensors over Smallest
};

using tarn::Shape;
namespace zoo = tarn::zoo;

struct MobileNetV1At224 : Subject {
    static constexpr const char* name = "MobileNetV1 1.0/224";
    using Net = zoo::MobileNetV1<>;
    using In = Shape<224, 224, 3>;
    static constexpr Published published{802816, 0, 1204224, "petewarden analyser"};
};
struct MobileNetV1At96 : Subject {
    static constexpr const char* name = "MobileNetV1 0.25/96";
    using Net = zoo::MobileNetV1<std::ratio<1, 4>, 2>;
    using In = Shape<96, 96, 3>;
    static constexpr Published published{36864, 0, 68567, "ST 66.96 KiB"};
};
struct MobileNetV2At224 : Subject {
    static constexpr const char* name = "MobileNetV2 1.0/224";
    using Net = zoo::MobileNetV2<std::ratio<1>, 1000, zoo::SamePads>;
    using In = Shape<224, 224, 3>;
    static constexpr Published published{1204224, 239680, 172000, "MCUNetV2 patches, recomputes"};
    static constexpr Target target{215000, 140000};
    static constexpr double least_speed = 1.0;
};
struct MobileNetV2At144 : Subject {
    static constexpr const char* name = "MobileNetV2 0.35/144";
    using Net = zoo::MobileNetV2<std::ratio<35, 100>, 1000, zoo::SamePads>;
    using In = Shape<144, 144, 3>;
    static constexpr Published published{248832, 67392, 63000, "MCUNetV2 patches, recomputes"};
    static constexpr Target target{70000, 31000};
    static constexpr double least_speed = 1.0;
};
struct MCUNetAt176 : Subject {
    static constexpr const char* name = "MCUNet-320KB/176";
    using Net = zoo::MCUNet320<1000, zoo::SamePads>;
    using In = Shape<176, 176, 3>;
    static constexpr Published published{196656, 99264, 102700, "vMCU 102.7 KB"};
    static constexpr Target target{102000, 72000};
};
struct ResNet8At32 : Subject {
    static constexpr const char* name = "ResNet8/32";
    using Net = zoo::ResNet8<>;
    using In = Shape<32, 32, 3>;
    static constexpr Published published{33296, 0, 55296, "TFLM 54 KiB"};
};
struct DSCNNAt49 : Subject {
    static constexpr const char* name = "DS-CNN 49x10";
    using Net = zoo::DSCNN<>;
    using In = Shape<49, 10, 1>;
    static constexpr Published published{8384};
};
struct ResNet18At224 : Subject {
    static constexpr const char* name = "ResNet-18/224";
    using Net = zoo::ResNet18<>;
    using In = Shape<224, 224, 3>;
    static constexpr Published published{804780};
};
struct ResNet50At224 : Subject {
    static constexpr const char* name = "ResNet-50/224";
    using Net = zoo::ResNet50<>;
    using In = Shape<224, 224, 3>;
    static constexpr Published published{1605632, 0, 1806336, "ONNX Runtime order, in place"};
};
struct SqueezeNetAt224 : Subject {
    static constexpr const char* name = "SqueezeNet 1.1/224";
    using Net = zoo::SqueezeNet<>;
    using In = Shape<224, 224, 3>;
    static constexpr Published published{789833};
};
struct DenseNet121At224 : Subject {
    static constexpr const char* name = "DenseNet-121/224";
    using Net = zoo::DenseNet121<>;
    using In = Shape<224, 224, 3>;
    static constexpr Published published{1105696};
};
struct VGG16At224 : Subject {
    static constexpr const char* name = "VGG16/224";
    using Net = zoo::VGG16<>;
    using In = Shape<224, 224, 3>;
    static constexpr Published published{3225664};
};
struct UNetAt256 : Subject {
    static constexpr const char* name = "U-Net 256, base 64";
    using Net = zoo::UNet<>;
    using In = Shape<256, 256, 3>;
    static constexpr Published published{8421504};
};
struct UltraFaceAt320 : Subject {
    static constexpr const char* name = "UltraFace RFB-320";
    using Net = zoo::UltraFace<>;
    using In = Shape<240, 320, 3>;
    static constexpr Published published{0, 0, 921600, "in place, live peak"};
    static constexpr double least_speed = 1.0;
};
struct TCNOf1024 : Subject {
    static constexpr const char* name = "TCN 8 x 32, 1024 frames";
    using Net = zoo::TCN<1, 32, 3, 8>;
    using In = Shape<1024, 1>;
};

} // namespace tarn_bench
