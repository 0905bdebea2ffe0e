// SPDX-License-Identifier: MIT
// More layers drawn at random, for the nightly build: TARN_SLOW_TESTS.
// Every way a network can run, against the reference in double.
// Knows the public face only.
#include "layers/sweep.hpp"

using tarn_test::Drawn;
using tarn_test::sweep;

TEST_CASE("more dense convolutions", "[layers]") { sweep<Drawn::dense, 100, 44>(); }

TEST_CASE("more grouped convolutions", "[layers]") { sweep<Drawn::grouped, 100, 22>(); }

TEST_CASE("more depthwise convolutions", "[layers]") { sweep<Drawn::depthwise, 100, 22>(); }

TEST_CASE("more max pools", "[layers]") { sweep<Drawn::max_pool, 100, 22>(); }

TEST_CASE("more average pools", "[layers]") { sweep<Drawn::average_pool, 100, 22>(); }
