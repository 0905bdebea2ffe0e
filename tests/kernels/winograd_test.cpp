// SPDX-License-Identifier: MIT
// 3x3 convolutions by Winograd's tiles against the reference in double, at ragged shapes and every padding, their
// rounding beside that of direct sums, and at the tightest overlap.
// Knows kernels and footprints; nothing of plans.
#include "kernels/overlap_check.hpp"

#include <tarn/reference/layers.hpp>

using namespace tarn;
using namespace tarn_test;

namespace {

/// With a bias, as the reference of a layer takes it.
constexpr Op tiled(Extents in, int out, int m, const Window& w = window_of(3, 1, 1)) {
    Op op = winograd_op(m, in, out, w);
    op.bias = true;
    return op;
}
constexpr Window padded(int top, int bottom, int left, int right) { return {3, 3, 1, 1, top, bottom, left, right}; }

struct Error {
    double largest = 0.0, of = 0.0;
};

/// The largest difference from the reference, its inputs in [-1, 1] and its weights small enough for outputs of a few
/// units. Scratch and outputs are poisoned and guarded.
template <Op O, class Kernels, Schedule S> Error error_of(const SomeWeights& some, Random& random) {
    using G = cpu::Geometry<O>;
    const std::vector<float> in = random.reals(O.in.elems()), other = random.reals(O.add ? O.out.elems() : 0);
    const auto weights = std::make_unique<typename G::Packed>();
    cpu::pack<O>(*weights, some.raw);
    Poisoned out(O.out.elems()), scratch(S.staged ? G::footprint().scratch_elems : G::footprint().direct_scratch);
    Kernels::template run<O, S>(in.data(), O.add ? other.data() : nullptr, out.at(0), scratch.at(0), *weights);
    REQUIRE(out.guards_intact());
    REQUIRE(scratch.guards_intact());

    const std::vector<double> exact_in(in.begin(), in.end()), exact_other(other.begin(), other.end());
    std::vector<double> expected(O.out.elems());
    Op plain = O;
    plain.add = false, plain.act = Activation::none;
    reference::layer(plain, exact_in.data(), nullptr, expected.data(), {some.raw.weight, some.raw.bias});
    Error error;
    const std::vector<float> found = out.get(0, O.out.elems());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        double want = expected[i] + (O.add ? exact_other[i] : 0.0);
        if (O.act == Activation::relu) want = std::max(want, 0.0);
        const double off = std::abs(want - static_cast<double>(found[i]));
        error.of = std::max(error.of, std::abs(want));
        if (!(off <= error.largest)) error.largest = std::isnan(off) ? HUGE_VAL : off;
    }
    return error;
}

template <Op O> void check_tiles(double tolerance = 3e-6) {
    INFO(O.in[0] << 'x' << O.in[1] << 'x' << O.in[2] << " to " << O.out[2] << ", F(" << O.winograd << ", 3)");
    Random random(static_cast<unsigned>(O.in.elems()));
    const SomeWeights some(O, random);
    const double scale = std::sqrt(9.0 * O.in[2]); // of a sum of so many products
    const auto check = [&]<class Kernels>(Kernels) {
        INFO(Kernels::name);
        CHECK(error_of<O, Kernels, Schedule{}>(some, random).largest <= tolerance * scale);
        CHECK(error_of<O, Kernels, Schedule{true, true}>(some, random).largest <= tolerance * scale);
    };
    check(cpu::BaseKernels{});
    if constexpr (!std::is_same_v<cpu::BaseKernels, cpu::BestKernels>) {
        if (Cpu<>::takes_best()) check(cpu::BestKernels{});
    }
}

} // namespace

TEST_CASE("Winograd's tiles against the reference") {
    check_tiles<tiled(extents_of(8, 8, 16), 16, 4)>();
    check_tiles<tiled(extents_of(8, 8, 16), 16, 2)>();
    check_tiles<tiled(extents_of(7, 9, 13), 19, 4)>(); // ragged tiles, channels and panels
    check_tiles<tiled(extents_of(7, 9, 13), 19, 2)>();
    check_tiles<tiled(extents_of(1, 1, 3), 5, 4)>(); // one pixel
    check_tiles<tiled(extents_of(1, 1, 3), 5, 2)>();
    check_tiles<tiled(extents_of(2, 13, 1), 33, 4)>(); // one channel
    check_tiles<tiled(extents_of(13, 2, 24), 8, 4)>();
    check_tiles<tiled(extents_of(21, 6, 40), 24, 4)>(); // several blocks, the last one shorter
    check_tiles<tiled(extents_of(9, 30, 72), 48, 4)>();
    check_tiles<tiled(extents_of(14, 14, 130), 70, 2)>();
}

TEST_CASE("Winograd's tiles under every padding") {
    check_tiles<tiled(extents_of(6, 7, 8), 24, 4, padded(0, 0, 0, 0))>();
    check_tiles<tiled(extents_of(3, 3, 8), 16, 4, padded(0, 0, 0, 0))>();
    check_tiles<tiled(extents_of(5, 6, 8), 24, 4, padded(0, 2, 2, 0))>();
    check_tiles<tiled(extents_of(5, 6, 8), 24, 2, padded(2, 0, 0, 2))>();
    check_tiles<tiled(extents_of(1, 2, 8), 16, 4, padded(2, 2, 2, 2))>();
    check_tiles<tiled(extents_of(4, 4, 8), 16, 2, padded(7, 6, 5, 9))>(); // tiles that see no input at all
    check_tiles<tiled(extents_of(4, 4, 8), 16, 4, padded(7, 6, 5, 9))>();
}

TEST_CASE("Winograd's tiles with what the planner fuses") {
    check_tiles<fused(tiled(extents_of(9, 10, 16), 17, 4), true, Activation::relu)>();
    check_tiles<fused(tiled(extents_of(9, 10, 16), 17, 2), true, Activation::relu)>();
    check_tiles<fused(tiled(extents_of(5, 5, 8), 32, 4), false, Activation::relu)>();
}

// Weights in [-1, 1], so sums of 2304 products are tens of units large.
TEST_CASE("Winograd's tiles round no worse than direct sums, twice") {
    if (!Cpu<>::takes_best()) return skip("this processor has no AVX2");
    constexpr Op by4 = tiled(extents_of(14, 14, 256), 32, 4), by2 = tiled(extents_of(14, 14, 256), 32, 2),
                 direct = tiled(extents_of(14, 14, 256), 32, 0);
    Random random(5);
    const SomeWeights some(direct, random);
    const auto share = [](const Error& error) { return error.largest / error.of; };
    Random a = random, b = random, c = random; // the same inputs
    const double four = share(error_of<by4, cpu::BestKernels, Schedule{}>(some, a)),
                 two = share(error_of<by2, cpu::BestKernels, Schedule{}>(some, b)),
                 plain = share(error_of<direct, cpu::BestKernels, Schedule{}>(some, c));
    WARN("largest error of 256 channels over the largest output: direct " << plain << ", F(4, 3) " << four
                                                                          << ", F(2, 3) " << two);
    CHECK(four <= 2 * plain);
    CHECK(two <= plain);
    CHECK(four <= 4e-6);
}

TEST_CASE("Winograd's tiles at the tightest overlap") {
    OverlapTally tally;
    check_overlap<tiled(extents_of(7, 9, 13), 19, 4)>(tally);
    check_overlap<tiled(extents_of(25, 6, 24), 24, 4)>(tally);
    check_overlap<tiled(extents_of(25, 6, 24), 40, 2)>(tally);
    check_overlap<tiled(extents_of(21, 14, 40), 16, 4)>(tally);
    check_overlap<tiled(extents_of(18, 16, 16), 16, 4, padded(0, 0, 0, 0))>(tally);
    check_overlap<fused(tiled(extents_of(25, 6, 24), 24, 4), true, Activation::relu)>(tally);
    check_overlap<fused(tiled(extents_of(12, 7, 16), 33, 2), true, Activation::silu)>(tally);
    WARN(tally.ops << " convolutions by tiles, " << tally.runs << " overlapped runs right. A block of outputs below "
                   << "the law " << tally.block_below_wrong << " of " << tally.below << " wrong");
    CHECK(tally.block_below_wrong > 0);
}

TEST_CASE("where Winograd's tiles are chosen") {
    const auto choice = [](Extents in, int out, const Window& w) { return cpu::winograd_choice(conv_op(in, out, w)); };
    const Window same = window_of(3, 1, 1);
    CHECK(choice(extents_of(56, 56, 64), 64, same) == 4);
    CHECK(choice(extents_of(28, 28, 128), 128, same) == 4);
    CHECK(choice(extents_of(14, 14, 256), 256, same) == 4);
    CHECK(choice(extents_of(7, 7, 512), 512, same) == 2); // four times the weights would have to come from memory
    CHECK(choice(extents_of(224, 224, 3), 64, same) == 0);
    CHECK(choice(extents_of(56, 56, 64), 64, window_of(3, 2, 1)) == 0);
    CHECK(choice(extents_of(56, 56, 64), 64, window_of(3, 1, 2, 2)) == 0);
    CHECK(choice(extents_of(56, 56, 64), 64, window_of(5, 1, 2)) == 0);
    CHECK(choice(extents_of(56, 56, 64), 64, window_of(1)) == 0);
    CHECK(cpu::winograd_choice(conv_op(extents_of(56, 56, 64), 64, same, 2)) == 0);
}
