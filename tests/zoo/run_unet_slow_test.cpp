// SPDX-License-Identifier: MIT
// U-Net 256 run under every policy: the same bits, and PyTorch's answers.
// What is compared: run_check.hpp.
// Knows the public face only.
#include "zoo/run_check.hpp"

using namespace tarn_test;

TEST_CASE("zoo: U-Net 256 runs", "[zoo]") { check_run<zoo_cases::UNet>(); }
TEST_CASE("zoo: U-Net 256 runs by Winograd's tiles", "[zoo]") { check_winograd<zoo_cases::UNet>(); }
