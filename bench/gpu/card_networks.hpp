// SPDX-License-Identifier: MIT
// The networks that are run on a card, each a template over mode and policy: those of the tests, and ResNet-18.
// Included by host code and by the kernels' files that run.sh writes. Knows the public face only.
#pragma once

#include "card_facts.hpp" // written by run.sh: card_multiprocessors, have_cudnn
#include "cuda/networks.hpp"

#include <tarn/cuda.hpp>
#include <tarn/zoo/resnet.hpp>

namespace tarn_bench {

using Grid = tarn::cuda::DeviceGrid<256, card_multiprocessors>;

/// A type of its own for each, since names may not reach a kernel's template arguments.
template <class Mode, class Policy>
struct MlpOn : tarn::Model<tarn_test::Mlp, tarn_test::MlpIn, tarn::Cuda<Mode, Grid>, Policy> {};
template <class Mode, class Policy>
struct ResidualOn : tarn::Model<tarn_test::ResidualNet, tarn_test::ResidualIn, tarn::Cuda<Mode, Grid>, Policy> {};
template <class Mode, class Policy>
struct MobileOn : tarn::Model<tarn_test::MobileNet, tarn_test::MobileIn, tarn::Cuda<Mode, Grid>, Policy> {};
template <class Mode, class Policy>
struct UNetOn : tarn::Model<tarn_test::UNet, tarn_test::UNetIn, tarn::Cuda<Mode, Grid>, Policy> {};
template <class Mode, class Policy>
struct GruOn : tarn::Model<tarn_test::GruNet, tarn_test::GruIn, tarn::Cuda<Mode, Grid>, Policy> {};
template <class Mode, class Policy>
struct ResNet18On : tarn::Model<tarn::zoo::ResNet18<>, tarn::Shape<224, 224, 3>, tarn::Cuda<Mode, Grid>, Policy> {};

} // namespace tarn_bench
