// SPDX-License-Identifier: MIT
// Networks whose concats are no memory of their own: skips that wait for long, and dense blocks at the peak.
// A convolution of such a concat is a sum of convolutions; a concat at the peak is put together late, by copies.
// Knows the public face, and plans to see that this is what happens.
#include "support/model_check.hpp"

#include <tarn/zoo/densenet.hpp>
#include <tarn/zoo/unet.hpp>

using namespace tarn;
using tarn_test::check_network;

namespace {

/// Steps that are one of several convolutions of a layer; steps that copy.
template <class Net, class In> constexpr int parts_of() {
    int count = 0;
    for (int s = 0; s < Network<Net, In>::count; ++s) count += Network<Net, In>::steps.steps[s].features > 0;
    return count;
}
template <class Net, class In> constexpr int copies_of() {
    int count = 0;
    for (int s = 0; s < Network<Net, In>::count; ++s) count += Network<Net, In>::steps.steps[s].op.kind == OpKind::copy;
    return count;
}

/// x, four layers that x waits for, then the two side by side into Last.
template <int Channels, class Last>
using Waiting = Sequential<
    Parallel<Identity, Sequential<Conv2d<Channels, 6, Kernel<3>, Padding<1>>, ReLU, Conv2d<6, 8, Kernel<3>, Padding<1>>,
                                  Conv2d<8, 6, Kernel<1>>, Tanh, Conv2d<6, 5, Kernel<3>, Padding<1>>>>,
    Concat, Last>;

} // namespace

TEST_CASE("a small U-Net: skips and what comes up again are read apart") {
    using Net = zoo::UNet<3, 8, 2>;
    check_network<Net, Shape<32, 16, 2>>(1);
    STATIC_REQUIRE(parts_of<Net, Shape<32, 16, 2>>() == 8);
    STATIC_REQUIRE(copies_of<Net, Shape<32, 16, 2>>() == 0);
}

TEST_CASE("a convolution of parts: norm, activation, stride, odd channels, a sum after it") {
    using Strided = Sequential<Conv2d<12, 20, Kernel<5>, Stride<2>, Padding<2>>, BatchNorm2d<20>, SiLU>;
    check_network<Sequential<Conv2d<3, 7, Kernel<3>>, Waiting<7, Strided>>, Shape<11, 9, 3>>(2);
    STATIC_REQUIRE(parts_of<Sequential<Conv2d<3, 7, Kernel<3>>, Waiting<7, Strided>>, Shape<11, 9, 3>>() == 2);
    // The image itself is a part; the layer's result is added to what it was made from.
    using Pointwise = Residual<Waiting<1, Conv2d<6, 1, Kernel<1>, NoBias>>>;
    check_network<Pointwise, Shape<6, 7, 1>>(3);
    STATIC_REQUIRE(parts_of<Pointwise, Shape<6, 7, 1>>() == 2);
}

TEST_CASE("no convolution of parts: others read the concat, or groups cross the parts") {
    using Grouped = Conv2d<12, 12, Kernel<3>, Padding<1>, Groups<4>>;
    check_network<Waiting<7, Grouped>, Shape<5, 6, 7>>(4);
    STATIC_REQUIRE(parts_of<Waiting<7, Grouped>, Shape<5, 6, 7>>() == 0);
    check_network<Waiting<7, Residual<Conv2d<12, 12, Kernel<3>, Padding<1>>>>, Shape<5, 6, 7>>(5);
    STATIC_REQUIRE(parts_of<Waiting<7, Residual<Conv2d<12, 12, Kernel<3>, Padding<1>>>>, Shape<5, 6, 7>>() == 0);
}

TEST_CASE("a dense block at the peak: its concats come late, its norms row by row") {
    using Net = Sequential<Conv2d<3, 16, Kernel<3>, Stride<2>, Padding<1>>, zoo::DenseBlock<16, 8, 4>::Body,
                           zoo::DenseTransition<48>::Body>;
    using In = Shape<24, 20, 3>;
    check_network<Net, In>(6);
    STATIC_REQUIRE(copies_of<Net, In>() > 0);
    using Whole = Model<Net, In, Cpu<>, WholeTensors<Smallest>>;
    // 40 features a pixel of the block and 32 that a layer makes of them, out of which the next 8 come by a 3x3, a row
    // and a pixel behind; the plan needs a row of norms more, or the convolution's scratch.
    constexpr std::size_t bound = (40 + 32) * 12 * 10 + 11 * 8;
    STATIC_REQUIRE(Whole::bounds.lb1 == bound);
    STATIC_REQUIRE(Whole::arena_bytes <= sizeof(float) * (bound + 40 * 10 + 64));
}
