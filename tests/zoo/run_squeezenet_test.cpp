// SPDX-License-Identifier: MIT
// SqueezeNet 1.1 run under every policy: the same bits, and PyTorch's answers.
// What is compared: run_check.hpp.
// Knows the public face only.
#include "zoo/run_check.hpp"

using namespace tarn_test;

TEST_CASE("zoo: SqueezeNet 1.1 runs", "[zoo]") { check_run<zoo_cases::SqueezeNet>(); }
