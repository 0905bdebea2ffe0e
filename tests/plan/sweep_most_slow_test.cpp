// SPDX-License-Identifier: MIT
// Chains by rows: with sweep_more_slow_test, all kernels, strides and dilations that the other two leave out.
// Which chains: sweep_nets.hpp.
// Knows the public face only.
#include "plan/sweep_nets.hpp"

using tarn_test::sweep_chains;

TEST_CASE("most kernels, strides and dilations, by rows", "[plan]") { sweep_chains<56, 28, 18>(); }
