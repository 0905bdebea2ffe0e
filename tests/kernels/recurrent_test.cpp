// SPDX-License-Identifier: MIT
// GRU and LSTM against the reference in double, to 1e-6; a step at a time against the whole, bit for bit.
// Hidden widths of one panel and of several, and such as no vector divides.
// Knows kernels; nothing of plans.
#include "kernels/row_check.hpp"

#include <tarn/reference/layers.hpp>

using namespace tarn;
using namespace tarn_test;

namespace {

template <Op O, class Kernels> std::vector<float> by_steps(const std::vector<float>& x, const void* packed) {
    using G = cpu::Geometry<O>;
    const auto& w = *static_cast<const typename G::Packed*>(packed);
    std::vector<float> state(G::state_elems), scratch(G::row_scratch_elems), made;
    constexpr auto in = static_cast<std::size_t>(O.in.last()), out = static_cast<std::size_t>(O.out.last());
    for (std::size_t t = 0; t < O.in.rows(); ++t) {
        std::vector<float> row(x.begin() + static_cast<long>(t * in), x.begin() + static_cast<long>((t + 1) * in));
        row.resize(std::max(in, out)); // the output in the input's place
        std::fill(scratch.begin(), scratch.end(), std::numeric_limits<float>::quiet_NaN());
        Kernels::template recur<O>(row.data(), row.data(), state.data(), scratch.data(), w);
        made.insert(made.end(), row.begin(), row.begin() + static_cast<long>(out));
    }
    return made;
}

template <Op O, bool Bias = true> void check_recurrent() {
    INFO("kind " << static_cast<int>(O.kind) << " input " << O.in.last() << " hidden " << O.out.last());
    Random random(static_cast<unsigned>(O.out.last()));
    SomeWeights weights(O, random);
    if (!Bias) weights.raw.bias = weights.raw.bias_hh = nullptr;
    const auto packed = std::make_unique<typename cpu::Geometry<O>::Packed>();
    cpu::pack<O>(*packed, weights.raw);
    const auto x = random.reals(O.in.elems());
    const std::vector<double> in(x.begin(), x.end());
    std::vector<double> expected(O.out.elems());
    reference::LayerWeights w;
    w.weight = weights.raw.weight, w.bias = weights.raw.bias;
    w.weight_hh = weights.raw.weight_hh, w.bias_hh = weights.raw.bias_hh;
    reference::layer(O, in.data(), nullptr, expected.data(), w);
    for_each_set<O>([&]<class Kernels>() {
        INFO(Kernels::name);
        std::vector<float> out(O.out.elems());
        std::vector<float> scratch(cpu::Geometry<O>::footprint().direct_scratch,
                                   std::numeric_limits<float>::quiet_NaN());
        Kernels::template run<O, Schedule{}>(x.data(), nullptr, out.data(), scratch.data(), *packed);
        for (std::size_t i = 0; i < out.size(); ++i) {
            INFO("at " << i);
            REQUIRE(std::abs(double{out[i]} - expected[i]) < 1e-6);
        }
        REQUIRE(equal_bits(by_steps<O, Kernels>(x, packed.get()), out));
    });
}

} // namespace

TEST_CASE("GRU gives the reference's numbers") {
    check_recurrent<pixel_op(OpKind::gru, extents_of(12, 1), 8)>();
    check_recurrent<pixel_op(OpKind::gru, extents_of(12, 8), 16)>();
    check_recurrent<pixel_op(OpKind::gru, extents_of(12, 5), 19)>();
    check_recurrent<pixel_op(OpKind::gru, extents_of(12, 40), 64)>();
    check_recurrent<pixel_op(OpKind::gru, extents_of(3, 3), 1)>();
    check_recurrent<pixel_op(OpKind::gru, extents_of(5, 33), 12), false>();
}

TEST_CASE("LSTM gives the reference's numbers") {
    check_recurrent<pixel_op(OpKind::lstm, extents_of(12, 1), 8)>();
    check_recurrent<pixel_op(OpKind::lstm, extents_of(12, 8), 16)>();
    check_recurrent<pixel_op(OpKind::lstm, extents_of(12, 5), 19)>();
    check_recurrent<pixel_op(OpKind::lstm, extents_of(12, 40), 64)>();
    check_recurrent<pixel_op(OpKind::lstm, extents_of(3, 3), 1)>();
    check_recurrent<pixel_op(OpKind::lstm, extents_of(5, 33), 12), false>();
}

TEST_CASE("a recurrent layer's activation is outside its state") {
    constexpr Op plain = pixel_op(OpKind::gru, extents_of(6, 4), 10);
    constexpr Op active = fused(plain, false, Activation::relu);
    Random random(3);
    const SomeWeights weights(plain, random);
    const auto packed = std::make_unique<typename cpu::Geometry<plain>::Packed>();
    cpu::pack<plain>(*packed, weights.raw);
    const auto x = random.reals(plain.in.elems());
    auto expected = by_steps<plain, cpu::BaseKernels>(x, packed.get());
    CHECK(std::any_of(expected.begin(), expected.end(), [](float v) { return v < 0.F; }));
    for (float& v : expected) v = std::max(v, 0.F);
    CHECK(equal_bits(by_steps<active, cpu::BaseKernels>(x, packed.get()), expected));
}
