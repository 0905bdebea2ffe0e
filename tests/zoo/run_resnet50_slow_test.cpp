// SPDX-License-Identifier: MIT
// ResNet-50 run under every policy: the same bits, and PyTorch's answers.
// What is compared: run_check.hpp.
// Knows the public face only.
#include "zoo/run_check.hpp"

using namespace tarn_test;

TEST_CASE("zoo: ResNet-50 runs", "[zoo]") { check_run<zoo_cases::ResNet50>(); }
TEST_CASE("zoo: ResNet-50 runs by Winograd's tiles", "[zoo]") { check_winograd<zoo_cases::ResNet50>(); }
