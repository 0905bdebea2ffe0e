// SPDX-License-Identifier: MIT
// Dense layers on a card, outputs apart: matrices and images at sizes no tile divides, pitches, and row panels in
// place. Beside the other bodies_*.cu. Knows Ops by value.
#include "bodies.cuh"

using namespace tarn;
using namespace tarn_test;

namespace tarn_bench {

namespace {

constexpr Op linear_op(int rows, int in, int out) { return pixel_op(OpKind::linear, extents_of(rows, in), out); }
constexpr Op pitched(Op op, int in, int out) {
    op.in_pitch = in, op.out_pitch = out;
    return op;
}
constexpr auto f32 = tarn::cuda::Factor::f32;

struct Dense {
    static constexpr BodyCase cases[] = {
        {"linear 70 x 19 to 45", linear_op(70, 19, 45)},
        {"linear 70 x 19 to 45, 64 threads", linear_op(70, 19, 45), Where::apart, 0, f32, 64},
        {"linear 1000 x 130 to 70", linear_op(1000, 130, 70)},
        {"linear 2049 x 65 to 1021, large tiles", linear_op(2049, 65, 1021)},
        {"linear 33 x 8 to 10, sum, relu", fused(linear_op(33, 8, 10), true, Activation::relu)},
        {"linear 37 x 21 to 9 at pitches", pitched(linear_op(37, 21, 9), 24, 16)},
        {"linear of one row, 130 to 70", linear_op(1, 130, 70)},
        {"linear of one row, 4096 to 1000", linear_op(1, 4096, 1000)},
        {"linear of three rows, sum, tanh", fused(linear_op(3, 9, 5), true, Activation::tanh)},
        {"linear of a vector", pixel_op(OpKind::linear, extents_of(31), 10)},
        {"3x3, padded", conv_op(extents_of(9, 7, 5), 11, window_of(3, 1, 1))},
        {"3x3 of 56 x 56 x 64", conv_op(extents_of(56, 56, 64), 64, window_of(3, 1, 1))},
        {"3x3 of 97 x 95 x 7 to 250, large tiles", conv_op(extents_of(97, 95, 7), 250, window_of(3, 1, 1))},
        {"3x3, stride 2, sum, relu",
         fused(conv_op(extents_of(9, 8, 3), 20, window_of(3, 2, 1)), true, Activation::relu)},
        {"3x2, unequal strides, pads, dilations", conv_op(extents_of(11, 10, 4), 6, {3, 2, 2, 1, 2, 0, 1, 3, 2, 3})},
        {"3x3 of three groups", conv_op(extents_of(7, 6, 12), 18, window_of(3, 1, 1), 3)},
        {"5 of a sequence, causal", conv_op(extents_of(40, 6), 9, {5, 1, 1, 1, 4, 0, 0, 0, 1, 1})},
        {"1x1 at pitches", pitched(conv_op(extents_of(6, 7, 8), 5, window_of(1)), 11, 9)},
        {"7x7, stride 2, of a picture", conv_op(extents_of(64, 61, 3), 64, window_of(7, 2, 3))},
        {"transposed 2x3", enlarging_op(OpKind::up_conv2d, extents_of(5, 6, 7), 9, 2, 3)},
        {"transposed 2x2, sum, relu",
         fused(enlarging_op(OpKind::up_conv2d, extents_of(2, 1, 6), 4, 2, 2), true, Activation::relu)},
        {"panel of 5 rows, wider, in place", pitched(linear_op(23, 20, 36), 36, 36), Where::on_input, 0, f32, 256, 5},
        {"panel of 4 rows, narrower, in place", pitched(linear_op(2300, 36, 20), 40, 40), Where::on_input, 0, f32, 256,
         4},
        {"panel of 16 rows, 64 to 128, in place", pitched(linear_op(1000, 64, 128), 128, 128), Where::on_input, 0, f32,
         256, 16},
    };
};

} // namespace

void check_dense_bodies(Report& report) { check_list<Dense>(report); }

} // namespace tarn_bench
