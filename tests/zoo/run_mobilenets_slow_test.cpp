// SPDX-License-Identifier: MIT
// MobileNetV1 and MobileNetV2 of full size run under every policy: the same bits, and PyTorch's answers.
// What is compared: run_check.hpp.
// Knows the public face only.
#include "zoo/run_check.hpp"

using namespace tarn_test;

TEST_CASE("zoo: MobileNetV1 1.0/224 runs", "[zoo]") { check_run<zoo_cases::MobileNetV1>(); }
TEST_CASE("zoo: MobileNetV2 1.0/224 runs", "[zoo]") { check_run<zoo_cases::MobileNetV2>(); }
