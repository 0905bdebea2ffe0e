// SPDX-License-Identifier: MIT
// Rows of layers that work pixel by pixel, and of those that enlarge: the bits of the whole image.
// Matrix products, activations, sums, products, norms, softmax, upsampling, transposed convolution.
// Knows kernels; nothing of plans.
#include "kernels/row_check.hpp"

using namespace tarn;
using namespace tarn_test;

TEST_CASE("matrix products by rows") {
    check_rows<conv_op(extents_of(5, 7, 8), 24, window_of(1))>();
    check_rows<conv_op(extents_of(3, 28, 33), 50, window_of(1))>();
    check_rows<conv_op(extents_of(4, 14, 16), 16, window_of(1))>();
    check_rows<conv_op(extents_of(1, 1, 1), 1, window_of(1))>();
    check_rows<conv_op(extents_of(2, 7, 32), 64, window_of(1), 2)>();
    check_rows<conv_op(extents_of(5, 3), 70, window_of(1))>();
    check_rows<pixel_op(OpKind::linear, extents_of(9, 48), 32)>();
    check_rows<pixel_op(OpKind::linear, extents_of(7, 5), 300)>();
    check_rows<pixel_op(OpKind::linear, extents_of(2, 6, 10), 3)>();
    check_rows<pixel_op(OpKind::linear, extents_of(64), 100)>();
    check_rows<fused(conv_op(extents_of(5, 5, 24), 24, window_of(1)), true, Activation::relu)>();
}

TEST_CASE("elementwise layers by rows") {
    check_rows<fused(pixel_op(OpKind::activation, extents_of(3, 5, 7)), false, Activation::gelu)>();
    check_rows<fused(pixel_op(OpKind::activation, extents_of(6, 9)), false, Activation::sigmoid)>();
    check_rows<fused(pixel_op(OpKind::activation, extents_of(37)), false, Activation::relu)>();
    check_rows<pixel_op(OpKind::add, extents_of(4, 3, 5))>();
    check_rows<fused(pixel_op(OpKind::add, extents_of(4, 3, 16)), true, Activation::relu)>();
    check_rows<pixel_op(OpKind::mul, extents_of(4, 3, 9))>();
    check_rows<broadcast(pixel_op(OpKind::mul, extents_of(4, 3, 9)))>();
    check_rows<broadcast(pixel_op(OpKind::mul, extents_of(5, 16)))>();
    check_rows<pixel_op(OpKind::copy, extents_of(3, 3, 11))>();
    check_rows<pixel_op(OpKind::batch_norm, extents_of(4, 3, 13))>();
    check_rows<pixel_op(OpKind::batch_norm, extents_of(4, 8))>();
    check_rows<pixel_op(OpKind::softmax, extents_of(6, 17))>();
    check_rows<pixel_op(OpKind::softmax, extents_of(2, 3, 5))>();
    check_rows<layer_norm_op(extents_of(6, 37))>();
    check_rows<fused(layer_norm_op(extents_of(2, 3, 5)), false, Activation::gelu)>();
    check_rows<layer_norm_op(extents_of(2, 1, 48), false)>();
}

TEST_CASE("upsampling and transposed convolutions by rows") {
    check_rows<enlarging_op(OpKind::upsample, extents_of(3, 4, 5), 5, 2, 2)>();
    check_rows<enlarging_op(OpKind::upsample, extents_of(2, 3, 8), 8, 1, 3)>();
    check_rows<enlarging_op(OpKind::upsample, extents_of(5, 17), 17, 4, 1)>();
    check_rows<enlarging_op(OpKind::upsample, extents_of(1, 1, 1), 1, 3, 2)>();
    check_rows<enlarging_op(OpKind::up_conv2d, extents_of(4, 5, 6), 3, 2, 2)>();
    check_rows<enlarging_op(OpKind::up_conv2d, extents_of(3, 14, 32), 16, 2, 2)>();
    check_rows<enlarging_op(OpKind::up_conv2d, extents_of(2, 7, 5), 40, 3, 2)>();
    check_rows<enlarging_op(OpKind::up_conv2d, extents_of(1, 1, 1), 1, 4, 4)>();
    check_rows<enlarging_op(OpKind::up_conv2d, extents_of(6, 8), 20, 3, 1)>();
    check_rows<fused(enlarging_op(OpKind::up_conv2d, extents_of(3, 4, 8), 12, 2, 2), true, Activation::relu)>();
}
