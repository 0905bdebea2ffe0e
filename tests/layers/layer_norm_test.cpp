// SPDX-License-Identifier: MIT
// LayerNorm as PyTorch computes it: any width, images and sequences, constant rows, rows far from zero, in networks.
// Each case of tests/fixtures is written by hand as a network and named by its name there.
// Knows the public face only.
#include "support/fixture.hpp"

using namespace tarn;
using tarn_test::check_case;
using tarn_test::Fixtures;

TEST_CASE("layer norm of rows of any width, without variance and far from zero", "[layers]") {
    const Fixtures file("layer_norm");
    check_case<Sequential<LayerNorm<1>>, Shape<3, 1>>(file, "layer_norm_t3_1");
    check_case<Sequential<LayerNorm<3>>, Shape<5, 3>>(file, "layer_norm_t5_3");
    check_case<Sequential<LayerNorm<7>>, Shape<4, 7>>(file, "layer_norm_t4_7");
    for (const char* name :
         {"layer_norm_t4_17", "layer_norm_t4_17_constant", "layer_norm_t4_17_far_constant", "layer_norm_t4_17_far"})
        check_case<Sequential<LayerNorm<17>>, Shape<4, 17>>(file, name);
    for (const char* name : {"layer_norm_t2_768", "layer_norm_t2_768_far", "layer_norm_t2_768_far_step"})
        check_case<Sequential<LayerNorm<768>>, Shape<2, 768>>(file, name);
}

TEST_CASE("layer norm of each pixel of an image", "[layers]") {
    const Fixtures file("layer_norm");
    check_case<Sequential<LayerNorm<8>>, Shape<4, 3, 8>>(file, "layer_norm_4x3x8");
    check_case<Sequential<LayerNorm<33>>, Shape<3, 5, 33>>(file, "layer_norm_3x5x33");
}

TEST_CASE("layer norm with options", "[layers]") {
    const Fixtures file("layer_norm");
    check_case<Sequential<LayerNorm<33, Eps<std::ratio<1, 1000>>>>, Shape<4, 33>>(file, "layer_norm_t4_33_eps1e-3");
    check_case<Sequential<LayerNorm<19, NoBias>>, Shape<5, 19>>(file, "layer_norm_t5_19_nobias");
    check_case<Sequential<LayerNorm<24, NoAffine>>, Shape<2, 3, 24>>(file, "layer_norm_2x3x24_noaffine");
    STATIC_REQUIRE(Model<LayerNorm<24, NoAffine>, Shape<3, 24>>::weight_bytes ==
                   Model<ReLU, Shape<3, 24>>::weight_bytes);
}

TEST_CASE("layer norm among other layers", "[layers]") {
    const Fixtures file("layer_norm");
    check_case<Sequential<Conv2d<3, 16, Kernel<3>, Padding<1>>, LayerNorm<16>, GELU>, Shape<5, 6, 3>>(
        file, "conv_layer_norm_gelu_5x6x3_16");
    check_case<Sequential<Residual<Sequential<LayerNorm<12>, Linear<12, 30>, GELU, Linear<30, 12>>>, LayerNorm<12>>,
               Shape<6, 12>>(file, "residual_layer_norm_t6_12_30");
    check_case<Sequential<Flatten, LayerNorm<24>, Linear<24, 5>>, Shape<3, 2, 4>>(file,
                                                                                  "flatten_layer_norm_linear_3x2x4_5");
}
