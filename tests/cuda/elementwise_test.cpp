// SPDX-License-Identifier: MIT
// Bodies without products in the emulated grid: elementwise, rows, pools, depthwise, enlarging; in place where they
// may. Extents that no grid divides, pitches, three orders of threads each. Knows bodies; nothing of plans.
#include "cuda/body_check.hpp"

#include <tarn/cuda/filter.hpp>

using namespace tarn;
using namespace tarn_test;

namespace {

constexpr Op pitched(Op op, int in, int out, int other = 0) {
    op.in_pitch = in, op.out_pitch = out, op.other_pitch = other;
    return op;
}
constexpr Op activation(Activation act, Extents in) { return fused(pixel_op(OpKind::activation, in), false, act); }

/// What is left to do behind a library's convolution O, on its own sums.
template <Op O> void check_finish() {
    using Body = cuda::Finish<O, 64>;
    const int channels = O.out.last(), pitch = O.out_pitch > 0 ? O.out_pitch : channels;
    Random random(static_cast<unsigned>(O.out.elems()));
    SomeWeights weights(O, random);
    weights.fold_norm();
    const auto packed = std::make_unique<typename Body::Packed>();
    cuda::pack_filter<O>(*packed, weights.raw);
    const std::vector<float> sums = random.reals(O.out.elems());
    const std::vector<float> other = random.reals(O.add ? O.out.elems() : 0);
    const DeviceFloats second(spread(other, channels, O.other_pitch));
    for (const Execution& execution : fibre_executions) {
        DeviceFloats out(spread(sums, channels, pitch));
        const std::string fault = launch<64>(3, Body::shared_bytes, execution, [&](const auto& context) {
            Body::run(context, second.data(), out.data(), *packed);
        });
        REQUIRE(fault == "");
        const std::vector<float> found = gathered(out.data(), sums.size(), channels, pitch);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::size_t c = i % static_cast<std::size_t>(channels);
            const double scale = double{weights.scale[c]} / std::sqrt(double{weights.variance[c]});
            const double bias =
                double{weights.bias[c]} * scale + double{weights.bias[c]} - double{weights.mean[c]} * scale;
            const double sum = double{sums[i]} + bias + (O.add ? double{other[i]} : 0.0);
            REQUIRE(std::abs(double{found[i]} - reference::activate(O.act, sum, 0.0)) <= 4e-6);
        }
        REQUIRE(out.intact());
        REQUIRE(second.intact());
        REQUIRE(std::count_if(out.data(), out.data() + out.size(), [](float x) { return std::isnan(x); }) ==
                static_cast<long>(out.size() - sums.size()));
    }
}

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

TEST_CASE("what a library's convolution leaves to do") {
    constexpr Op conv = conv_op(extents_of(9, 8, 6), 11, window_of(3, 2, 1));
    check_finish<conv>();
    check_finish<fused(conv, true, Activation::relu)>();
    check_finish<pitched(fused(conv, false, Activation::silu), 8, 13)>();
    check_finish<pitched(fused(conv, true, Activation::relu6), 0, 16, 12)>();
}

TEST_CASE("weights for a library of convolutions") {
    // Filters [2][2 x 1][3 of 6 channels], of which a concat's first two belong to another step.
    constexpr Op op = conv_op(extents_of(4, 4, 3), 2, {2, 1, 1, 1});
    std::vector<float> weight(2 * 6 * 2), bias = {3.F, 4.F}, ones = {1.F, 1.F}, half = {0.5F, 0.5F},
                                          quarter = {.25F, 4.F};
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<float>(i);
    RawWeights raw;
    raw.weight = weight.data(), raw.bias = bias.data(), raw.features = 6, raw.feature = 2;
    raw.norm_weight = raw.norm_bias = ones.data(), raw.norm_mean = half.data(), raw.norm_var = quarter.data();
    const auto packed = std::make_unique<cuda::FilterPacked<2, 2, 1, 3>>();
    cuda::pack_filter<op>(*packed, raw);
    // PyTorch's [O][I][KH][KW]; scales 2 and 1/2.
    CHECK(packed->weight[0][0][0][0] == 2.F * 4.F);
    CHECK(packed->weight[0][1][0][0] == 2.F * 5.F);
    CHECK(packed->weight[0][0][0][2] == 2.F * 8.F);
    CHECK(packed->weight[1][1][0][1] == 0.5F * 19.F);
    CHECK(packed->bias[1] == 0.F); // the first step of the concat adds it
    raw.feature = 0;
    cuda::pack_filter<op>(*packed, raw);
    CHECK(packed->bias[1] == 0.5F * (4.F - 0.5F) + 1.F);
}
