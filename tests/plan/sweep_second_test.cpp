// SPDX-License-Identifier: MIT
// Chains by rows: kernels 1-7 of strides 3 and 4.
// Which chains: sweep_nets.hpp.
// Knows the public face only.
#include "plan/sweep_nets.hpp"

using tarn_test::sweep_chains;

TEST_CASE("kernels 1-7, strides 3 and 4, by rows", "[plan]") { sweep_chains<14, 14, 10>(); }
