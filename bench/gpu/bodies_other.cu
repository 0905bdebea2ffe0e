// SPDX-License-Identifier: MIT
// Layers without products on a card: elementwise, rows, pools, depthwise, enlarging; in place where they may.
// Beside the other bodies_*.cu. Knows Ops by value.
#include "bodies.cuh"

using namespace tarn;
using namespace tarn_test;

namespace tarn_bench {

namespace {

constexpr Op pitched(Op op, int in, int out, int other = 0) {
    op.in_pitch = in, op.out_pitch = out, op.other_pitch = other;
    return op;
}
constexpr Op activation(Activation act, Extents in) { return fused(pixel_op(OpKind::activation, in), false, act); }
constexpr Extents image = extents_of(5, 7, 11), large = extents_of(57, 53, 64);
constexpr Op norm = layer_norm_op(extents_of(7, 45));
constexpr auto here = Where::on_input, on_other = Where::on_other;

struct Other {
    static constexpr BodyCase cases[] = {
        {"relu", activation(Activation::relu, image)},
        {"gelu, in place", activation(Activation::gelu, image), here},
        {"elu, in place", activation(Activation::elu, extents_of(1000)), here},
        {"sigmoid of 57 x 53 x 64, in place", activation(Activation::sigmoid, large), here},
        {"tanh", activation(Activation::tanh, large)},
        {"sum", pixel_op(OpKind::add, image)},
        {"sum, hard swish, on the other", fused(pixel_op(OpKind::add, image), true, Activation::hard_swish), on_other},
        {"product, silu, in place", fused(pixel_op(OpKind::mul, large), false, Activation::silu), here},
        {"product with a row, in place", broadcast(pixel_op(OpKind::mul, image)), here},
        {"sum at pitches", pitched(pixel_op(OpKind::add, image), 13, 16, 12)},
        {"copy to a pitch", pitched(pixel_op(OpKind::copy, image), 0, 17)},
        {"batch norm, in place", pixel_op(OpKind::batch_norm, image), here},
        {"batch norm at pitches, relu6",
         pitched(fused(pixel_op(OpKind::batch_norm, image), false, Activation::relu6), 12, 14)},
        {"softmax of 10, in place", pixel_op(OpKind::softmax, extents_of(10)), here},
        {"softmax of 1000 rows of 1000, in place", pixel_op(OpKind::softmax, extents_of(1000, 1000)), here},
        {"softmax at pitches", pitched(pixel_op(OpKind::softmax, extents_of(5, 33)), 40, 36)},
        {"layer norm, in place", norm, here},
        {"layer norm at a pitch, in place", pitched(norm, 48, 48), here},
        {"layer norm of 512, in place", layer_norm_op(extents_of(100, 512)), here},
        {"largest of 3x3, stride 2", max_pool_op(extents_of(9, 7, 5), window_of(3, 2, 1))},
        {"largest of 3x3 of 57 x 53 x 64", max_pool_op(large, window_of(3, 2, 1))},
        {"mean of 3x3, padding counted", avg_pool_op(extents_of(9, 7, 5), window_of(3, 2, 1))},
        {"mean of 3x3, padding not counted", avg_pool_op(extents_of(9, 7, 5), window_of(3, 2, 1), false)},
        {"largest of 2x2 at pitches", pitched(max_pool_op(extents_of(8, 6, 3), window_of(2, 2)), 5, 7)},
        {"mean of all, sigmoid", fused(avg_pool_op(extents_of(7, 5, 50), {7, 5, 7, 5}), false, Activation::sigmoid)},
        {"largest of all", max_pool_op(extents_of(4, 4, 70), window_of(4, 4))},
        {"upsampling by 2x3", enlarging_op(OpKind::upsample, extents_of(3, 5, 7), 7, 2, 3)},
        {"flatten, permuted", pixel_op(OpKind::flatten_pytorch, extents_of(3, 5, 7))},
        {"depthwise 3x3", depthwise_op(extents_of(9, 8, 13), window_of(3, 1, 1))},
        {"depthwise 3x3, stride 2, sum, relu6",
         fused(depthwise_op(extents_of(57, 53, 96), window_of(3, 2, 1)), true, Activation::relu6)},
        {"depthwise 3x5, unequal strides and dilations",
         depthwise_op(extents_of(11, 9, 5), {3, 5, 2, 1, 2, 0, 1, 3, 2, 1})},
        {"depthwise 5 of a sequence, at pitches",
         pitched(depthwise_op(extents_of(20, 6), {5, 1, 1, 1, 4, 0, 0, 0, 1, 1}), 8, 9)},
    };
};

} // namespace

void check_other_bodies(Report& report) { check_list<Other>(report); }

} // namespace tarn_bench
