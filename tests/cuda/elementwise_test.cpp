// SPDX-License-Identifier: MIT
// Bodies without products in the emulated grid: elementwise, rows, pools, depthwise, enlarging; in place where they
// may. Extents that no grid divides, pitches, three orders of threads each. Knows bodies; nothing of plans.
#include "cuda/body_check.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

constexpr Op pitched(Op op, int in, int out, int other = 0) {
    op.in_pitch = in, op.out_pitch = out, op.other_pitch = other;
    return op;
}
constexpr Op activation(Activation act, Extents in) { return fused(pixel_op(OpKind::activation, in), false, act); }

} // namespace

TEST_CASE("activations, sums and products, apart and in place") {
    constexpr Extents image = extents_of(5, 7, 11);
    check_op<activation(Activation::relu, image)>();
    check_op<activation(Activation::gelu, image)>({3, Out::on_input});
    check_op<activation(Activation::elu, extents_of(1000))>({2, Out::on_input});
    check_op<pixel_op(OpKind::add, image)>();
    check_op<fused(pixel_op(OpKind::add, image), true, Activation::hard_swish)>({3, Out::on_other});
    check_op<fused(pixel_op(OpKind::mul, image), false, Activation::silu)>({3, Out::on_input});
    check_op<broadcast(pixel_op(OpKind::mul, image))>({3, Out::on_input});
    check_op<pitched(pixel_op(OpKind::add, image), 13, 16, 12)>();
    check_op<pitched(pixel_op(OpKind::copy, image), 0, 17)>();
    check_op<pixel_op(OpKind::batch_norm, image)>({3, Out::on_input});
    check_op<pitched(fused(pixel_op(OpKind::batch_norm, image), false, Activation::relu6), 12, 14)>();
}

TEST_CASE("softmax and layer norm, a warp a row") {
    check_op<pixel_op(OpKind::softmax, extents_of(10))>({1, Out::on_input});
    check_op<pixel_op(OpKind::softmax, extents_of(7, 100))>({2, Out::on_input});
    check_op<pitched(pixel_op(OpKind::softmax, extents_of(5, 33)), 40, 36)>();
    constexpr Op norm = [] {
        Op op = pixel_op(OpKind::layer_norm, extents_of(7, 45));
        op.affine = true;
        op.eps_bits = ratio_bits<std::ratio<1, 100000>>();
        return op;
    }();
    check_op<norm>({2, Out::on_input, 1e-5});
    check_op<pitched(norm, 48, 48)>({3, Out::on_input, 1e-5});
}

TEST_CASE("pools, upsampling and the permutation") {
    check_op<max_pool_op(extents_of(9, 7, 5), window_of(3, 2, 1))>();
    check_op<avg_pool_op(extents_of(9, 7, 5), window_of(3, 2, 1))>();
    check_op<avg_pool_op(extents_of(9, 7, 5), window_of(3, 2, 1), false)>();
    check_op<pitched(max_pool_op(extents_of(8, 6, 3), window_of(2, 2)), 5, 7)>();
    check_op<fused(avg_pool_op(extents_of(7, 5, 50), {7, 5, 7, 5}), false, Activation::sigmoid)>();
    check_op<max_pool_op(extents_of(4, 4, 70), window_of(4, 4))>({2});
    check_op<enlarging_op(OpKind::upsample, extents_of(3, 5, 7), 7, 2, 3)>();
    check_op<pixel_op(OpKind::flatten_pytorch, extents_of(3, 5, 7))>();
}

TEST_CASE("depthwise convolution") {
    check_op<depthwise_op(extents_of(9, 8, 13), window_of(3, 1, 1))>();
    check_op<fused(depthwise_op(extents_of(9, 8, 13), window_of(3, 2, 1)), true, Activation::relu6)>();
    check_op<depthwise_op(extents_of(11, 9, 5), {3, 5, 2, 1, 2, 0, 1, 3, 2, 1})>();
    check_op<pitched(depthwise_op(extents_of(20, 6), {5, 1, 1, 1, 4, 0, 0, 0, 1, 1}), 8, 9)>();
}
