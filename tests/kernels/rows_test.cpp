// SPDX-License-Identifier: MIT
// Rows of windowed layers, one at a time from rows that lie anywhere: the bits of the whole image.
// The other kinds are in rows_pixel_test.
// Knows kernels; nothing of plans.
#include "kernels/row_check.hpp"

using namespace tarn;
using namespace tarn_test;

TEST_CASE("convolutions by rows") {
    check_rows<conv_op(extents_of(6, 7, 5), 9, window_of(3, 1, 1))>();
    check_rows<conv_op(extents_of(1, 1, 1), 1, window_of(3, 1, 1))>();
    check_rows<conv_op(extents_of(9, 20, 3), 16, window_of(3, 2, 1))>();
    check_rows<conv_op(extents_of(5, 13, 16), 40, window_of(3, 1, 1))>();
    check_rows<conv_op(extents_of(8, 9, 4), 33, window_of(5, 3, 2))>();
    check_rows<conv_op(extents_of(10, 11, 2), 8, window_of(7, 4, 3))>();
    check_rows<conv_op(extents_of(3, 4, 3), 24, window_of(7, 1, 3))>();   // the kernel larger than the image
    check_rows<conv_op(extents_of(2, 2, 6), 7, window_of(2, 1, 4, 3))>(); // windows wholly in the padding
    check_rows<conv_op(extents_of(12, 13, 3), 17, window_of(3, 1, 2, 2))>();
    check_rows<conv_op(extents_of(11, 10, 4), 5, window_of(3, 2, 3, 3))>();
    check_rows<conv_op(extents_of(7, 6, 3), 20, {3, 4, 1, 2, 0, 2, 3, 1, 1, 1})>();
    check_rows<conv_op(extents_of(6, 9, 12), 36, window_of(3, 1, 1), 3)>();
    check_rows<conv_op(extents_of(5, 6, 6), 12, window_of(3, 1, 1), 6)>(); // a multiplier
    check_rows<conv_op(extents_of(7, 8, 8), 20, window_of(1, 2))>();
    check_rows<conv_op(extents_of(3, 100, 3), 4, window_of(3, 1, 1))>(); // rows longer than a block
    check_rows<conv_op(extents_of(9, 7, 96), 48, window_of(3, 1, 1))>(); // weights that outgrow a cache
    check_rows<conv_op(extents_of(5, 6, 288), 24, window_of(3, 1, 1))>();
    check_rows<conv_op(extents_of(2, 3, 320), 16, window_of(3, 1, 4, 1))>();
    check_rows<fused(conv_op(extents_of(4, 6, 288), 20, window_of(3, 1, 1)), true, Activation::relu)>();
    check_rows<fused(conv_op(extents_of(5, 9, 18), 18, window_of(3, 1, 1)), true, Activation::silu)>();
    check_rows<fused(conv_op(extents_of(5, 9, 7), 34, window_of(3, 1, 1)), true, Activation::relu)>();
}

TEST_CASE("convolutions over sequences by steps") {
    check_rows<conv_op(extents_of(12, 5), 9, {3, 1, 1, 1, 2, 0, 0, 0, 1, 1})>();
    check_rows<conv_op(extents_of(20, 8), 40, {3, 1, 2, 1, 4, 0, 0, 0, 2, 1})>();
    check_rows<conv_op(extents_of(9, 6), 6, {5, 1, 1, 1, 4, 0, 0, 0, 1, 1}, 6)>();
    check_rows<max_pool_op(extents_of(9, 3), {2, 1, 2, 1, 0, 0, 0, 0, 1, 1})>();
    check_rows<avg_pool_op(extents_of(9, 17), {3, 1, 2, 1, 1, 0, 0, 0, 1, 1})>();
}

TEST_CASE("depthwise convolutions by rows") {
    check_rows<depthwise_op(extents_of(6, 9, 3), window_of(3, 1, 1))>();
    check_rows<depthwise_op(extents_of(8, 7, 17), window_of(5, 2, 2))>();
    check_rows<depthwise_op(extents_of(9, 10, 8), window_of(3, 4, 1))>();
    check_rows<depthwise_op(extents_of(6, 7, 9), window_of(3, 1, 2, 2))>();
    check_rows<depthwise_op(extents_of(1, 1, 2), window_of(3, 1, 1))>();
    check_rows<depthwise_op(extents_of(3, 3, 16), window_of(7, 1, 3))>();
    check_rows<depthwise_op(extents_of(6, 3, 8), {3, 3, 1, 1, 0, 1, 2, 0, 1, 1})>();
    check_rows<depthwise_op(extents_of(4, 5, 8), window_of(1))>();
    check_rows<fused(depthwise_op(extents_of(5, 6, 12), window_of(3, 1, 1)), true, Activation::relu6)>();
}

TEST_CASE("pools by rows") {
    check_rows<max_pool_op(extents_of(6, 8, 3), window_of(2, 2))>();
    check_rows<max_pool_op(extents_of(7, 6, 17), window_of(3, 2, 1))>();
    check_rows<max_pool_op(extents_of(9, 9, 8), window_of(1, 4))>();
    check_rows<avg_pool_op(extents_of(5, 6, 8), window_of(3, 1, 1))>();
    check_rows<avg_pool_op(extents_of(7, 7, 9), window_of(3, 2, 1), false)>();
    check_rows<avg_pool_op(extents_of(4, 5, 40), {4, 5, 1, 1, 0, 0, 0, 0, 1, 1})>();
    check_rows<avg_pool_op(extents_of(3, 4, 2), window_of(1))>();
    check_rows<avg_pool_op(extents_of(6, 7, 3), {3, 2, 2, 1, 1, 0, 0, 1, 1, 1})>();
    check_rows<fused(max_pool_op(extents_of(6, 6, 11), window_of(2, 2)), false, Activation::tanh)>();
}
