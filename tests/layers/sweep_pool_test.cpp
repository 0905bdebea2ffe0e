// SPDX-License-Identifier: MIT
// Pools drawn at random.
// Every way a network can run, against the reference in double.
// Knows the public face only.
#include "layers/sweep.hpp"

using tarn_test::Drawn;
using tarn_test::sweep;

TEST_CASE("max pools drawn at random", "[layers]") { sweep<Drawn::max_pool, 0, 8>(); }

TEST_CASE("average pools drawn at random", "[layers]") { sweep<Drawn::average_pool, 0, 8>(); }
