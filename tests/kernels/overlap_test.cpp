// SPDX-License-Identifier: MIT
// Depthwise convolutions, pools, norms, softmax, activations and sums at the tightest overlap, bit for bit.
// The dense layers are in overlap_conv_test and overlap_matrix_test.
// Knows kernels and footprints; nothing of plans.
#include <tarn/nn/activation.hpp>
#include <tarn/nn/conv.hpp>
#include <tarn/nn/norm.hpp>
#include <tarn/nn/pool.hpp>

#include "kernels/overlap_check.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

template <int C, class... Options> using Depthwise = Conv2d<C, C, Groups<C>, Options...>;

template <int C> void check_depthwise(OverlapTally& tally) {
    check_layer<Depthwise<C, Kernel<3>, Padding<1>>, Shape<6, 9, C>>(tally);
    check_layer<Depthwise<C, Kernel<5>, Stride<2>, Padding<2>>, Shape<8, 7, C>>(tally);
}

template <int C> void check_pools(OverlapTally& tally) {
    check_layer<MaxPool2d<2>, Shape<6, 8, C>>(tally);
    check_layer<MaxPool2d<3, Stride<2>, Padding<1>, CeilMode>, Shape<7, 6, C>>(tally);
    check_layer<AvgPool2d<3, Stride<1>, Padding<1>>, Shape<5, 6, C>>(tally); // as large as its input
    check_layer<AvgPool2d<2, Stride<3>, ExcludePadding>, Shape<8, 9, C>>(tally);
    check_layer<GlobalAvgPool2d, Shape<4, 5, C>>(tally);
}

} // namespace

TEST_CASE("depthwise convolutions at the tightest overlap") {
    OverlapTally tally;
    check_depthwise<3>(tally);
    check_depthwise<8>(tally);
    check_depthwise<17>(tally);
    check_layer<Depthwise<8, Kernel<3>, Stride<2>, Padding<1>>, Shape<7, 10, 8>>(tally);
    check_layer<Depthwise<17, Kernel<3>, Stride<2>, Padding<1>>, Shape<6, 9, 17>>(tally);
    check_layer<Depthwise<3, Kernel<5>, Padding<2>>, Shape<5, 7, 3>>(tally);
    check_layer<Depthwise<9, Kernel<3>, Padding<2>, Dilation<2>>, Shape<6, 7, 9>>(tally);
    check_layer<Depthwise<8, Kernel<3>, Padding<0, 2, 1, 0>>, Shape<6, 3, 8>>(tally);
    check_fused<Depthwise<12, Kernel<3>, Padding<1>>, Shape<5, 6, 12>, true, Activation::relu6>(tally);
    CHECK(tally.runs > tally.ops * 8);
}

TEST_CASE("pools at the tightest overlap") {
    OverlapTally tally;
    check_pools<3>(tally);
    check_pools<8>(tally);
    check_pools<17>(tally);
    check_fused<MaxPool2d<3, Stride<1>, Padding<1>>, Shape<5, 4, 11>, false, Activation::tanh>(tally);
    CHECK(tally.runs > tally.ops * 8);
}

namespace {

template <Op O> void check_sum_of_one() {
    // x + x, the output in x's own place.
    const auto x = Random(5).reals(O.in.elems());
    Poisoned memory(x.size());
    memory.put(0, x);
    typename cpu::Geometry<O>::Packed nothing{};
    cpu::BestKernels::run<O, Schedule{}>(memory.at(0), memory.at(0), memory.at(0), nullptr, nothing);
    CHECK(memory.guards_intact());
    for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(*memory.at(i) == x[i] + x[i]);
}

} // namespace

TEST_CASE("elementwise layers at the tightest overlap") {
    OverlapTally tally;
    check_layer<ReLU, Shape<37>>(tally);
    check_layer<GELU, Shape<3, 5, 7>>(tally);
    check_layer<HardSwish, Shape<64>>(tally);
    check_layer<BatchNorm2d<5>, Shape<4, 3, 5>>(tally);
    check_layer<BatchNorm2d<16>, Shape<3, 3, 16>>(tally);
    check_fused<BatchNorm2d<17>, Shape<2, 3, 17>, false, Activation::elu>(tally);
    check_layer<Softmax, Shape<10>>(tally);
    check_layer<Softmax, Shape<6, 17>>(tally);
    check_layer<Softmax, Shape<9, 3>>(tally);
    check_layer<LayerNorm<1>, Shape<7, 1>>(tally);
    check_layer<LayerNorm<33>, Shape<6, 33>>(tally);
    check_fused<LayerNorm<20, NoAffine>, Shape<3, 2, 20>, false, Activation::relu>(tally);
    check_overlap<pixel_op(OpKind::add, extents_of(5, 7, 3))>(tally);
    check_overlap<pixel_op(OpKind::add, extents_of(64))>(tally);
    if (Cpu<>::takes_best()) check_sum_of_one<pixel_op(OpKind::add, extents_of(5, 7, 3))>();
    CHECK(tally.runs > tally.ops * 4);
}

TEST_CASE("products, copies and recurrent layers at the tightest overlap") {
    OverlapTally tally;
    check_overlap<pixel_op(OpKind::mul, extents_of(5, 7, 3))>(tally);
    check_overlap<fused(pixel_op(OpKind::mul, extents_of(64)), false, Activation::relu)>(tally);
    check_overlap<broadcast(pixel_op(OpKind::mul, extents_of(5, 4, 11)))>(tally);
    check_overlap<pixel_op(OpKind::copy, extents_of(3, 4, 5))>(tally);
    check_overlap<pixel_op(OpKind::gru, extents_of(9, 5), 7)>(tally);
    check_overlap<pixel_op(OpKind::gru, extents_of(8, 24), 3)>(tally);
    check_overlap<pixel_op(OpKind::lstm, extents_of(9, 20), 33)>(tally);
    check_overlap<pixel_op(OpKind::lstm, extents_of(7, 16), 16)>(tally);
    check_overlap<pixel_op(OpKind::lstm, extents_of(1, 3), 2)>(tally);
    CHECK(tally.runs > tally.ops * 4);
}

TEST_CASE("layers that enlarge, at the tightest overlap") {
    OverlapTally tally;
    check_overlap<enlarging_op(OpKind::upsample, extents_of(4, 5, 3), 3, 2, 2)>(tally);
    check_overlap<enlarging_op(OpKind::upsample, extents_of(3, 4, 17), 17, 1, 3)>(tally);
    check_overlap<enlarging_op(OpKind::upsample, extents_of(3, 4, 8), 8, 3, 1)>(tally);
    check_overlap<enlarging_op(OpKind::upsample, extents_of(5, 9), 9, 4, 1)>(tally);
    check_overlap<enlarging_op(OpKind::up_conv2d, extents_of(4, 5, 6), 3, 2, 2)>(tally);
    check_overlap<enlarging_op(OpKind::up_conv2d, extents_of(4, 15, 3), 40, 2, 2)>(tally);
    check_overlap<enlarging_op(OpKind::up_conv2d, extents_of(3, 100, 2), 5, 1, 3)>(tally); // longer than a block
    check_overlap<enlarging_op(OpKind::up_conv2d, extents_of(3, 4, 36), 2, 2, 2)>(tally);
    check_overlap<enlarging_op(OpKind::up_conv2d, extents_of(6, 8), 20, 3, 1)>(tally);
    check_overlap<fused(enlarging_op(OpKind::up_conv2d, extents_of(3, 4, 8), 12, 2, 2), true, Activation::relu)>(tally);
    CHECK(tally.runs > tally.ops * 8);
}
