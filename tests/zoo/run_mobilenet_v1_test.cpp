// SPDX-License-Identifier: MIT
// MobileNetV1 0.25/96 run under every policy: the same bits, and PyTorch's answers.
// What is compared: run_check.hpp.
// Knows the public face only.
#include "zoo/run_check.hpp"

using namespace tarn_test;

TEST_CASE("zoo: MobileNetV1 0.25/96 runs", "[zoo]") { check_run<zoo_cases::MobileNetV1Quarter>(); }
