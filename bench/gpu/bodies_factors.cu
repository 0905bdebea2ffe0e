// SPDX-License-Identifier: MIT
// Dense layers on tensor cores: factors rounded to tf32, bf16 and f16, sums in float.
// Beside the other bodies_*.cu. Knows Ops by value.
#include "bodies.cuh"

using namespace tarn;
using namespace tarn_test;

namespace tarn_bench {

namespace {

constexpr Op matrix = pixel_op(OpKind::linear, extents_of(45, 27), 37);
constexpr Op large = pixel_op(OpKind::linear, extents_of(1000, 300), 520);
constexpr Op image = conv_op(extents_of(27, 26, 20), 49, window_of(3, 1, 1));
constexpr Op strided = fused(conv_op(extents_of(29, 28, 24), 64, window_of(3, 2, 1), 2), true, Activation::gelu);
constexpr auto apart = Where::apart;
using tarn::cuda::Factor;

struct Factors {
    static constexpr BodyCase cases[] = {
        {"matrix 45 x 27 to 37, tf32", matrix, apart, 0, Factor::tf32},
        {"matrix 45 x 27 to 37, bf16", matrix, apart, 0, Factor::bf16},
        {"matrix 45 x 27 to 37, f16", matrix, apart, 0, Factor::f16},
        {"matrix 45 x 27 to 37, tf32, 64 threads", matrix, apart, 0, Factor::tf32, 64},
        {"matrix 1000 x 300 to 520, tf32", large, apart, 0, Factor::tf32},
        {"matrix 1000 x 300 to 520, bf16", large, apart, 0, Factor::bf16},
        {"matrix 1000 x 300 to 520, f16", large, apart, 0, Factor::f16},
        {"3x3 of 27 x 26 x 20 to 49, tf32", image, apart, 0, Factor::tf32},
        {"3x3 of 27 x 26 x 20 to 49, bf16", image, apart, 0, Factor::bf16},
        {"3x3 of 27 x 26 x 20 to 49, f16", image, apart, 0, Factor::f16},
        {"3x3 of two groups, stride 2, sum, gelu, tf32", strided, apart, 0, Factor::tf32},
        {"3x3 of two groups, stride 2, sum, gelu, f16", strided, apart, 0, Factor::f16},
        {"transposed 2x2, tf32", enlarging_op(OpKind::up_conv2d, extents_of(14, 13, 24), 18, 2, 2), apart, 0,
         Factor::tf32},
    };
};

} // namespace

void check_factor_bodies(Report& report) { check_list<Factors>(report); }

} // namespace tarn_bench
