// SPDX-License-Identifier: MIT
// Transposed convolutions, products, and windows over sequences against the reference in double, to 2e-6 of the terms.
// Batch norm folded into a transposed convolution too.
// Knows kernels; nothing of plans.
#include "kernels/row_check.hpp"

#include <tarn/reference/layers.hpp>

using namespace tarn;
using namespace tarn_test;

namespace {

/// One Op against the reference; Norm: a batch norm after it, folded into its weights.
template <Op O, bool Norm = false> void check_reference() {
    Random random(77);
    SomeWeights weights(O, random);
    if (Norm) weights.fold_norm();
    const auto packed = std::make_unique<typename cpu::Geometry<O>::Packed>();
    cpu::pack<O>(*packed, weights.raw);
    const auto x = random.reals(O.in.elems()), second = random.reals(O.out.elems());
    const std::vector<double> in(x.begin(), x.end()), other(second.begin(), second.end());
    std::vector<double> expected(O.out.elems());
    reference::LayerWeights w;
    w.weight = weights.weight.data();
    w.bias = weights.bias.data();
    reference::layer(O, in.data(), other.data(), expected.data(), w);
    if (Norm) {
        Op norm = O;
        norm.kind = OpKind::batch_norm;
        norm.in = O.out;
        const auto made = expected;
        reference::layer(norm, made.data(), nullptr, expected.data(),
                         {weights.scale.data(), weights.bias.data(), weights.mean.data(), weights.variance.data()});
    }
    for_each_set<O>([&]<class Kernels>() {
        INFO(Kernels::name);
        std::vector<float> out(O.out.elems());
        Kernels::template run<O, Schedule{}>(x.data(), second.data(), out.data(), nullptr, *packed);
        for (std::size_t i = 0; i < out.size(); ++i) {
            INFO("at " << i);
            REQUIRE(std::abs(double{out[i]} - expected[i]) < 2e-6 * (O.in.last() * O.window.kernel_h + 1));
        }
    });
}

} // namespace

TEST_CASE("transposed convolutions give the reference's numbers") {
    check_reference<enlarging_op(OpKind::up_conv2d, extents_of(4, 5, 6), 3, 2, 2)>();
    check_reference<enlarging_op(OpKind::up_conv2d, extents_of(3, 14, 16), 40, 2, 3)>();
    check_reference<enlarging_op(OpKind::up_conv2d, extents_of(7, 9), 17, 3, 1)>();
    check_reference<enlarging_op(OpKind::up_conv2d, extents_of(3, 4, 5), 18, 2, 2), true>();
    check_reference<enlarging_op(OpKind::upsample, extents_of(3, 4, 5), 5, 2, 3)>();
}

TEST_CASE("products, copies and windows over sequences give the reference's numbers") {
    check_reference<pixel_op(OpKind::mul, extents_of(3, 4, 5))>();
    check_reference<broadcast(pixel_op(OpKind::mul, extents_of(3, 4, 5)))>();
    check_reference<pixel_op(OpKind::copy, extents_of(3, 4, 5))>();
    check_reference<conv_op(extents_of(14, 5), 9, {3, 1, 2, 1, 2, 1, 0, 0, 2, 1})>();
    check_reference<conv_op(extents_of(9, 6), 6, {4, 1, 1, 1, 3, 0, 0, 0, 1, 1}, 6)>();
    check_reference<max_pool_op(extents_of(9, 5), {3, 1, 2, 1, 1, 1, 0, 0, 1, 1})>();
    check_reference<avg_pool_op(extents_of(9, 5), {3, 1, 2, 1, 1, 0, 0, 0, 1, 1}, false)>();
}
