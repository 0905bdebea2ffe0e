// SPDX-License-Identifier: MIT
// Chains by rows: with sweep_most_slow_test, all kernels, strides and dilations that the other two leave out.
// Which chains: sweep_nets.hpp.
// Knows the public face only.
#include "plan/sweep_nets.hpp"

using tarn_test::sweep_chains;

TEST_CASE("more kernels, strides and dilations, by rows", "[plan]") { sweep_chains<28, 28, 18>(); }
