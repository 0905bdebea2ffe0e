// SPDX-License-Identifier: MIT
// Networks under the policy Winograd: against the reference in double, the same bits whatever else is wished, input
// outside and in the arena; and that no other policy ever takes sums apart.
// Knows the public face, and plans to see which steps run by tiles.
#include "io/temporary_file.hpp"
#include "support/model_check.hpp"

#include <tarn/io/packed.hpp>

using namespace tarn;
using namespace tarn_test;

namespace {

template <class M> constexpr int tiled_steps() {
    int count = 0;
    for (int s = 0; s < M::step_count; ++s) count += M::Facts::steps.steps[s].op.winograd > 0;
    return count;
}

/// Whether some task of a plan runs tiles row by row, upwards or downwards.
template <class Plan> constexpr bool streams_tiles(bool downwards) {
    for (int t = 0; t < Plan::task_count; ++t) {
        const Task& task = Plan::problem.tasks[t];
        if (!task.rows || Plan::plan.schedule[t].descending != downwards) continue;
        for (int s = task.first; s <= task.last; ++s)
            if (Plan::steps.steps[s].op.winograd > 0) return true;
    }
    return false;
}

template <int In, int Out>
using Block = Sequential<Conv2d<In, Out, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<Out>, ReLU>;
using Body = Sequential<Block<32, 32>, Conv2d<32, 32, Kernel<3>, Padding<1>>, BatchNorm2d<32>>;

/// A strided stem, a residual, a concat of parts, a convolution without padding to odd channels, a head.
using Net = Sequential<Conv2d<3, 32, Kernel<3>, Stride<2>, Padding<1>>, Residual<Body>, ReLU, Block<32, 48>,
                       Parallel<Block<48, 40>, Block<48, 24>>, Concat, Conv2d<64, 33, Kernel<3>>, GlobalAvgPool2d,
                       Flatten, Linear<33, 7>>;
using In = Shape<34, 42, 3>;

template <class Net, class In, class Device> void check_policies() {
    const RandomParameters<Net> parameters(11);
    const std::vector<float> input = random_floats(In::elems, 12);
    const float* const pointers[] = {input.data()};
    const auto expected = reference_outputs<Net, In>(pointers, parameters.pointers());

    using Small = Model<Net, In, Device, Winograd<Smallest>>;
    const auto small = check_one<Small>(input, parameters.pointers(), expected, 1e-5);
    const auto weights = packed<Small>(parameters.pointers());
    const auto same = [&]<class Policy>(Policy) {
        using M = Model<Net, In, Device, Policy>;
        static_assert(std::is_same_v<typename M::Weights, typename Small::Weights>);
        CHECK(same_bits(run_external<M>(input, *weights), small));
        CHECK(same_bits(run_in_place<M>(input, *weights), small));
    };
    same(WholeTensors<Winograd<Fastest>>{});
    same(Winograd<KeepAll>{});
}

} // namespace

TEST_CASE("a network by Winograd's tiles, baseline") { check_policies<Net, In, Cpu<cpu::Baseline>>(); }
TEST_CASE("a network by Winograd's tiles, best set") {
    if (!Cpu<>::takes_best()) return skip("this processor has no AVX2");
    using Tiled = Model<Net, In, Cpu<cpu::Avx2>, Winograd<Smallest>>;
    STATIC_REQUIRE(tiled_steps<Tiled>() == 6);
    STATIC_REQUIRE(streams_tiles<Tiled::PlanOf<false>>(false));
    check_policies<Net, In, Cpu<cpu::Avx2>>();
}

TEST_CASE("tiles row by row, the last row of the image first") {
    using Growing = Sequential<Block<32, 32>, Residual<Body>, Block<32, 40>, Block<40, 56>>;
    using Image = Shape<37, 26, 32>;
    STATIC_REQUIRE(streams_tiles<Model<Growing, Image, Cpu<>, Winograd<Smallest>>::PlanOf<true>>(true));
    check_policies<Growing, Image, Cpu<>>();
}

TEST_CASE("tiles of an image that comes row by row") {
    using Pushable =
        Sequential<Conv2d<3, 32, Kernel<3>, Padding<1>>, ReLU, Block<32, 32>, Conv2d<32, 32, Kernel<3>>, MaxPool2d<2>>;
    using Image = Shape<27, 22, 3>;
    using M = Model<Pushable, Image, Cpu<>, Winograd<Smallest>>;
    STATIC_REQUIRE(tiled_steps<M>() == 2);
    const RandomParameters<Pushable> parameters(21);
    const std::vector<float> image = random_floats(Image::elems, 22);
    const auto weights = packed<M>(parameters.pointers());
    const std::vector<float> expected = run_external<M>(image, *weights);
    const auto session = std::make_unique<RowSession<M>>(*weights);
    for (int round = 0; round < 2; ++round) {
        bool done = false;
        for (std::size_t row = 0; row < 27; ++row) {
            REQUIRE_FALSE(done);
            done = session->push_row(std::span<const float, 66>{image.data() + row * 66, 66});
        }
        REQUIRE(done);
        const auto found = session->output();
        CHECK(same_bits(std::vector<float>(found.begin(), found.end()), expected));
    }
}

TEST_CASE("no other policy takes sums apart") {
    STATIC_REQUIRE(tiled_steps<Model<Net, In>>() == 0);
    STATIC_REQUIRE(tiled_steps<Model<Net, In, Cpu<>, Fastest>>() == 0);
    STATIC_REQUIRE(tiled_steps<Model<Net, In, Cpu<>, Exact<Winograd<Fastest>>>>() == 0);
    STATIC_REQUIRE(std::is_same_v<Model<Net, In>::Weights, Model<Net, In, Cpu<>, Exact<Fastest>>::Weights>);
    STATIC_REQUIRE(Model<Net, In, Cpu<>, Winograd<Smallest>>::weight_bytes > 3 * Model<Net, In>::weight_bytes);
    STATIC_REQUIRE(Model<Net, In, Cpu<>, Winograd<Smallest>>::macs == Model<Net, In>::macs);
}

TEST_CASE("weights packed for tiles are refused by a model without") {
    using Tiled = Model<Net, In, Cpu<>, Winograd<Smallest>>;
    const RandomParameters<Net> parameters(3);
    const TemporaryFile file;
    REQUIRE(save_packed<Tiled>(file.path(), *packed<Tiled>(parameters.pointers())));
    CHECK(map_packed<Tiled>(file.path()));
    CHECK_FALSE(map_packed<Model<Net, In>>(file.path()));
}
