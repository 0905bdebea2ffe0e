// SPDX-License-Identifier: MIT
// Layers on a card whose outputs wait in registers for a barrier of the grid and go where the inputs were.
// Cooperative launches; some of few blocks, some of one block a multiprocessor. Knows Ops by value.
#include "bodies.cuh"

#include "card_facts.hpp"

using namespace tarn;
using namespace tarn_test;

namespace tarn_bench {

namespace {

constexpr Op linear_op(int rows, int in, int out) { return pixel_op(OpKind::linear, extents_of(rows, in), out); }
constexpr int all = card_multiprocessors;
constexpr auto here = Where::on_input;
using tarn::cuda::Factor;

struct Held {
    static constexpr BodyCase cases[] = {
        {"held: linear 70 x 19 to 45", linear_op(70, 19, 45), here, 3},
        {"held: linear 512 x 512 to 512", linear_op(512, 512, 512), here, all},
        {"held: linear 1000 x 130 to 1021", linear_op(1000, 130, 1021), here, all},
        {"held: linear 512 x 512 to 512, f16", linear_op(512, 512, 512), here, all, Factor::f16},
        {"held: linear 512 x 512 to 512, bf16", linear_op(512, 512, 512), here, all, Factor::bf16},
        {"held: linear 512 x 512 to 512, tf32", linear_op(512, 512, 512), here, all, Factor::tf32},
        {"held: one row, 130 to 70", linear_op(1, 130, 70), here, 2},
        {"held: four rows, 1024 to 4000", linear_op(4, 1024, 4000), here, all},
        {"held: sum of four rows, on the other", fused(linear_op(4, 24, 100), true, Activation::relu), Where::on_other,
         1},
        {"held: 3x3, padded", conv_op(extents_of(9, 7, 5), 11, window_of(3, 1, 1)), here, 2},
        {"held: 3x3 of 56 x 56 x 64, sum, relu",
         fused(conv_op(extents_of(56, 56, 64), 64, window_of(3, 1, 1)), true, Activation::relu), here, all},
        {"held: transposed 2x2", enlarging_op(OpKind::up_conv2d, extents_of(14, 14, 64), 32, 2, 2), here, all},
        {"held: depthwise 3x3", depthwise_op(extents_of(9, 8, 13), window_of(3, 1, 1)), here, 2},
        {"held: depthwise 3x3 of 56 x 56 x 96", depthwise_op(extents_of(56, 56, 96), window_of(3, 1, 1)), here, all},
        {"held: largest of 2x2, relu",
         fused(max_pool_op(extents_of(9, 8, 13), window_of(2, 2)), false, Activation::relu), here, 2},
        {"held: upsampling by 2", enlarging_op(OpKind::upsample, extents_of(3, 5, 7), 7, 2, 2), here, 2},
    };
};

} // namespace

void check_held_bodies(Report& report) { check_list<Held>(report); }

} // namespace tarn_bench
