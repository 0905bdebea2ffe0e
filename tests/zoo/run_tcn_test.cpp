// SPDX-License-Identifier: MIT
// A TCN and a small U-Net run under every policy: the same bits, and PyTorch's answers.
// What is compared: run_check.hpp.
// Knows the public face only.
#include "zoo/run_check.hpp"

using namespace tarn_test;

TEST_CASE("zoo: TCN runs", "[zoo]") { check_run<zoo_cases::TCN>(); }
TEST_CASE("zoo: a small U-Net runs", "[zoo]") { check_run<zoo_cases::UNetSmall>(); }
