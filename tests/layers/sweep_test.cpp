// SPDX-License-Identifier: MIT
// Convolutions drawn at random: kernels, strides, dilations, paddings, channels of every form.
// Every way a network can run, against the reference in double.
// Knows the public face only.
#include "layers/sweep.hpp"

using tarn_test::Drawn;
using tarn_test::sweep;

TEST_CASE("dense convolutions drawn at random", "[layers]") { sweep<Drawn::dense, 0, 20>(); }
