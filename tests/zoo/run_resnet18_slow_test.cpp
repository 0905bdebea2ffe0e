// SPDX-License-Identifier: MIT
// ResNet-18 run under every policy: the same bits, and PyTorch's answers.
// What is compared: run_check.hpp.
// Knows the public face only.
#include "zoo/run_check.hpp"

using namespace tarn_test;

TEST_CASE("zoo: ResNet-18 runs", "[zoo]") { check_run<zoo_cases::ResNet18>(); }
TEST_CASE("zoo: ResNet-18 runs by Winograd's tiles", "[zoo]") { check_winograd<zoo_cases::ResNet18>(); }
