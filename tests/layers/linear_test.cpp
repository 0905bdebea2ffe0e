// SPDX-License-Identifier: MIT
// Linear as PyTorch computes it: one row and many, features beside the block of features.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("matrix products over the last axis", "[layers]") {
    const Fixtures file("linear");
    check_case<Linear<1, 1>, Shape<1, 1>>(file, "linear_t1_1_1");
    check_case<Linear<7, 5>, Shape<3, 7>>(file, "linear_t3_7_5");
    check_case<Linear<64, 10>, Shape<1, 64>>(file, "linear_t1_64_10");
    check_case<Linear<128, 33>, Shape<1, 128>>(file, "linear_t1_128_33");
    check_case<Linear<128, 33>, Shape<6, 128>>(file, "linear_t6_128_33");
    check_case<Linear<128, 33>, Shape<13, 128>>(file, "linear_t13_128_33");
    check_case<Linear<24, 17, NoBias>, Shape<5, 24>>(file, "linear_t5_24_17_nobias");
    check_case<Linear<1, 9>, Shape<2, 1>>(file, "linear_t2_1_9");
    check_case<Linear<31, 1>, Shape<9, 31>>(file, "linear_t9_31_1");
}
