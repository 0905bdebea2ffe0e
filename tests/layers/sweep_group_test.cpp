// SPDX-License-Identifier: MIT
// Grouped and depthwise convolutions drawn at random.
// Every way a network can run, against the reference in double.
// Knows the public face only.
#include "layers/sweep.hpp"

using tarn_test::Drawn;
using tarn_test::sweep;

TEST_CASE("grouped convolutions drawn at random", "[layers]") { sweep<Drawn::grouped, 0, 6>(); }

TEST_CASE("depthwise convolutions drawn at random", "[layers]") { sweep<Drawn::depthwise, 0, 8>(); }
