// SPDX-License-Identifier: MIT
// MLPerf Tiny's ResNet8 and DS-CNN run under every policy: the same bits, and PyTorch's answers.
// What is compared: run_check.hpp.
// Knows the public face only.
#include "zoo/run_check.hpp"

using namespace tarn_test;

TEST_CASE("zoo: ResNet8 runs", "[zoo]") { check_run<zoo_cases::ResNet8>(); }
TEST_CASE("zoo: ResNet8 runs by Winograd's tiles", "[zoo]") { check_winograd<zoo_cases::ResNet8>(); }
TEST_CASE("zoo: DS-CNN runs", "[zoo]") { check_run<zoo_cases::DSCNN>(); }
