// SPDX-License-Identifier: MIT
// The subjects that models and profile measure beside those of subjects.hpp: two small networks from elsewhere.
// Read by CMake too: a subject is a line that begins `struct NAME : Subject`.
// Knows networks as types; nothing of plans.
#pragma once

#include "subjects.hpp"

namespace tarn_bench {

/// The ONNX model zoo's MNIST-8.
struct MNISTAt28 : Subject {
    static constexpr const char* name = "MNIST-8/28";
    using Net = tarn::Sequential<tarn::Conv2d<1, 8, tarn::Kernel<5>, tarn::SameUpper>, tarn::ReLU, tarn::MaxPool2d<2>,
                                 tarn::Conv2d<8, 16, tarn::Kernel<5>, tarn::SameUpper>, tarn::ReLU, tarn::MaxPool2d<3>,
                                 tarn::Flatten, tarn::Linear<16 * 4 * 4, 10>>;
    using In = Shape<28, 28, 1>;
};
/// The gait policy of a quadruped (Go1, of MuJoCo Playground): observations scaled, a perceptron, 12 means of 24
/// results.
struct PolicyOf48 : Subject {
    static constexpr const char* name = "quadruped policy";
    using Net =
        tarn::Sequential<tarn::BatchNorm1d<48>, tarn::Linear<48, 512>, tarn::SiLU, tarn::Linear<512, 256>, tarn::SiLU,
                         tarn::Linear<256, 128>, tarn::SiLU, tarn::Linear<128, 24>, tarn::Slice<0, 12>, tarn::Tanh>;
    using In = Shape<48>;
};

} // namespace tarn_bench
