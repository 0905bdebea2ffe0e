// SPDX-License-Identifier: MIT
// Chains by rows: kernels 1-7 of strides 1 and 2.
// Which chains: sweep_nets.hpp.
// Knows the public face only.
#include "plan/sweep_nets.hpp"

using tarn_test::sweep_chains;

TEST_CASE("kernels 1-7, strides 1 and 2, by rows", "[plan]") { sweep_chains<0, 14, 10>(); }
