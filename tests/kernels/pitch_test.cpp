// SPDX-License-Identifier: MIT
// Every kind of layer with gaps between the pixels of inputs and output, as where a tensor is a slice of a wider one:
// the bits it gives without, and the gaps as they were.
// Knows kernels; nothing of plans.
#include "kernels/row_check.hpp"

using namespace tarn;
using namespace tarn_test;

TEST_CASE("windowed layers with gaps between pixels") {
    check_pitch<conv_op(extents_of(5, 14, 5), 40, window_of(3, 1, 1))>();
    check_pitch<conv_op(extents_of(9, 11, 3), 8, window_of(3, 2, 1))>();
    check_pitch<conv_op(extents_of(8, 7, 4), 17, window_of(3, 1, 2, 2))>();
    check_pitch<conv_op(extents_of(6, 8, 12), 36, window_of(3), 3)>();
    check_pitch<conv_op(extents_of(12, 5), 9, {3, 1, 1, 1, 2, 0, 0, 0, 1, 1})>();
    check_pitch<fused(conv_op(extents_of(5, 6, 18), 18, window_of(3, 1, 1)), true, Activation::relu)>();
    check_pitch<depthwise_op(extents_of(6, 9, 17), window_of(3, 1, 1))>();
    check_pitch<depthwise_op(extents_of(8, 7, 8), window_of(5, 2, 2))>();
    check_pitch<fused(depthwise_op(extents_of(5, 6, 12), window_of(3, 1, 1)), true, Activation::relu6)>();
    check_pitch<max_pool_op(extents_of(7, 6, 17), window_of(3, 2, 1))>();
    check_pitch<avg_pool_op(extents_of(4, 5, 8), {4, 5, 1, 1, 0, 0, 0, 0, 1, 1})>();
    check_pitch<avg_pool_op(extents_of(5, 6, 9), window_of(3, 1, 1), false)>();
}

TEST_CASE("layers of single pixels with gaps between them") {
    check_pitch<conv_op(extents_of(5, 7, 8), 24, window_of(1))>();
    check_pitch<fused(conv_op(extents_of(3, 13, 24), 40, window_of(1)), true, Activation::silu)>();
    check_pitch<pixel_op(OpKind::linear, extents_of(29, 48), 32)>();
    check_pitch<pixel_op(OpKind::linear, extents_of(5), 20)>();
    check_pitch<fused(pixel_op(OpKind::activation, extents_of(3, 5, 7)), false, Activation::gelu)>();
    check_pitch<pixel_op(OpKind::add, extents_of(4, 3, 16))>();
    check_pitch<pixel_op(OpKind::mul, extents_of(4, 3, 9))>();
    check_pitch<broadcast(pixel_op(OpKind::mul, extents_of(4, 3, 9)))>();
    check_pitch<pixel_op(OpKind::copy, extents_of(3, 3, 11))>();
    check_pitch<pixel_op(OpKind::batch_norm, extents_of(4, 3, 13))>();
    check_pitch<pixel_op(OpKind::softmax, extents_of(6, 17))>();
    check_pitch<layer_norm_op(extents_of(4, 3, 13))>();
}

TEST_CASE("layers that enlarge, and recurrent ones, with gaps between pixels") {
    check_pitch<enlarging_op(OpKind::upsample, extents_of(3, 4, 9), 9, 2, 3)>();
    check_pitch<enlarging_op(OpKind::up_conv2d, extents_of(4, 5, 6), 3, 2, 2)>();
    check_pitch<enlarging_op(OpKind::up_conv2d, extents_of(2, 14, 8), 40, 2, 3)>();
    check_pitch<fused(enlarging_op(OpKind::up_conv2d, extents_of(3, 4, 8), 12, 2, 2), true, Activation::relu)>();
    check_pitch<pixel_op(OpKind::gru, extents_of(7, 5), 19)>();
    check_pitch<pixel_op(OpKind::lstm, extents_of(6, 9), 8)>();
}
