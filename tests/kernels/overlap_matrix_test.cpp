// SPDX-License-Identifier: MIT
// Linear layers and 1x1 convolutions at the tightest overlap their footprints allow, bit for bit.
// Growing and shrinking, one row and many, one panel of outputs and several.
// Knows kernels and footprints; nothing of plans.
#include <tarn/nn/conv.hpp>
#include <tarn/nn/linear.hpp>

#include "kernels/overlap_check.hpp"

using namespace tarn;
using namespace tarn_test;

TEST_CASE("matrix products at the tightest overlap") {
    OverlapTally tally;
    check_layer<Conv2d<8, 24, Kernel<1>>, Shape<5, 7, 8>>(tally);
    check_layer<Conv2d<24, 8, Kernel<1>>, Shape<5, 7, 24>>(tally);
    check_layer<Conv2d<16, 16, Kernel<1>>, Shape<4, 5, 16>>(tally);
    check_layer<Conv2d<8, 20, Kernel<1>, Stride<2>>, Shape<7, 8, 8>>(tally);
    check_layer<Linear<48, 32>, Shape<29, 48>>(tally);
    check_layer<Linear<5, 1>, Shape<6, 5>>(tally);
    check_layer<Linear<7, 300>, Shape<5, 7>>(tally);
    check_layer<Linear<300, 3>, Shape<15, 300>>(tally);
    check_layer<Linear<64, 10>, Shape<64>>(tally);
    check_layer<Linear<10, 64>, Shape<10>>(tally);
    check_layer<Linear<16, 16>, Shape<40, 16>>(tally);
    check_layer<Linear<33, 34>, Shape<13, 33>>(tally);
    check_fused<Conv2d<24, 24, Kernel<1>>, Shape<5, 5, 24>, true, Activation::relu>(tally);
    check_fused<Linear<12, 12>, Shape<14, 12>, true, Activation::none>(tally);
    report(tally, "matrix products");
}
