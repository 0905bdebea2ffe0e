// SPDX-License-Identifier: MIT
// Products in the emulated grid: linear, convolution, transposed, few rows, row panels, tensor cores; apart, and in
// place with a barrier of the grid.
// Extents that no tile divides, three orders of threads each. Knows bodies; nothing of plans.
#include "cuda/body_check.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

constexpr int threads = 64;

constexpr Op linear_op(int rows, int in, int out) { return pixel_op(OpKind::linear, extents_of(rows, in), out); }
constexpr Op pitched(Op op, int in, int out) {
    op.in_pitch = in, op.out_pitch = out;
    return op;
}

/// In place with the grid's barrier: every output waits in registers.
template <Op O, int Blocks> void check_held(double tolerance = 2e-6) {
    using Body = cuda::BodyFor<O, threads, cuda::Factor::f32, Blocks>;
    static_assert(Body::fits);
    check_body<Body, O, threads>({Blocks, Out::on_input, tolerance});
    check_body<Body, O, threads>({Blocks + 2, Out::on_input, tolerance}); // more blocks than asked for
}

} // namespace

TEST_CASE("linear layers of many rows and of few") {
    check_op<linear_op(70, 19, 45)>({3, Out::apart, 1e-5});
    check_op<fused(linear_op(33, 8, 10), true, Activation::relu)>({2, Out::apart, 1e-5});
    check_op<pitched(linear_op(37, 21, 9), 24, 16)>({4, Out::apart, 1e-5});
    check_op<linear_op(1, 130, 70)>({2, Out::apart, 1e-5});
    check_op<fused(linear_op(3, 9, 5), true, Activation::tanh)>({2});
    check_op<pixel_op(OpKind::linear, extents_of(31), 10)>({1, Out::apart, 1e-5});
}

TEST_CASE("linear layers of a few rows and many columns, on blocks of any size") {
    check_op<linear_op(5, 11, 300), 256>({2, Out::apart, 1e-5});
    check_op<linear_op(16, 9, 1030), 256>({1, Out::apart, 1e-5});
    check_op<linear_op(7, 10, 140), 128>({2, Out::apart, 1e-5});
    check_op<linear_op(6, 12, 70), 32>({2, Out::apart, 1e-5});
    check_op<linear_op(40, 9, 530), 512>({1, Out::apart, 1e-5});
}

TEST_CASE("convolutions of any window, groups and padding") {
    check_op<conv_op(extents_of(9, 7, 5), 11, window_of(3, 1, 1))>({3, Out::apart, 1e-5});
    check_op<fused(conv_op(extents_of(9, 8, 3), 20, window_of(3, 2, 1)), true, Activation::relu)>(
        {2, Out::apart, 1e-5});
    check_op<conv_op(extents_of(11, 10, 4), 6, {3, 2, 2, 1, 2, 0, 1, 3, 2, 3})>({2, Out::apart, 1e-5});
    check_op<conv_op(extents_of(7, 6, 12), 18, window_of(3, 1, 1), 3)>({3, Out::apart, 1e-5});
    check_op<conv_op(extents_of(40, 6), 9, {5, 1, 1, 1, 4, 0, 0, 0, 1, 1})>({2, Out::apart, 1e-5});
    check_op<pitched(conv_op(extents_of(6, 7, 8), 5, window_of(1)), 11, 9)>({2, Out::apart, 1e-5});
    check_op<enlarging_op(OpKind::up_conv2d, extents_of(5, 6, 7), 9, 2, 3)>({3, Out::apart, 1e-5});
    check_op<fused(enlarging_op(OpKind::up_conv2d, extents_of(2, 1, 6), 4, 2, 2), true, Activation::relu)>({2});
}

TEST_CASE("a layer's outputs wait in registers and go where its inputs were") {
    check_held<linear_op(70, 19, 45), 3>(1e-5);
    check_held<conv_op(extents_of(9, 7, 5), 11, window_of(3, 1, 1)), 2>(1e-5);
    check_held<linear_op(1, 130, 70), 2>(1e-5);
    check_held<linear_op(4, 24, 100), 1>(1e-5);
    check_held<depthwise_op(extents_of(9, 8, 13), window_of(3, 1, 1)), 2>();
    check_held<fused(max_pool_op(extents_of(9, 8, 13), window_of(2, 2)), false, Activation::relu), 2>();
    check_held<enlarging_op(OpKind::upsample, extents_of(3, 5, 7), 7, 2, 2), 2>();
}

TEST_CASE("row panels overwrite their own rows at a row pitch") {
    constexpr Op wider = pitched(linear_op(23, 20, 36), 36, 36), narrower = pitched(linear_op(23, 36, 20), 40, 40);
    check_body<cuda::Panel<wider, threads, 5>, wider, threads>({3, Out::on_input, 1e-5});
    check_body<cuda::Panel<narrower, threads, 4>, narrower, threads>({4, Out::on_input, 1e-5});
    static_assert(cuda::Panel<wider, threads, 5>::in_place);
    static_assert(!cuda::Panel<linear_op(23, 20, 36), threads, 5>::in_place); // compact rows
}

TEST_CASE("tensor cores: factors rounded, sums in float") {
    constexpr Op matrix = linear_op(45, 27, 37), image = conv_op(extents_of(7, 6, 5), 9, window_of(3, 1, 1));
    check_body<cuda::Conv<matrix, threads, cuda::Factor::tf32>, matrix, threads>({2, Out::apart, 4e-3});
    check_body<cuda::Conv<matrix, threads, cuda::Factor::bf16>, matrix, threads>({2, Out::apart, 3e-2});
    check_body<cuda::Conv<matrix, threads, cuda::Factor::f16>, matrix, threads>({2, Out::apart, 4e-3});
    check_body<cuda::Conv<image, threads, cuda::Factor::tf32>, image, threads>({2, Out::apart, 6e-3});
    check_body<cuda::Conv<matrix, 128, cuda::Factor::tf32, 1>, matrix, 128>({1, Out::on_input, 4e-3});
}
