// SPDX-License-Identifier: MIT
// Batch: up to N samples a call, in the arena of one, with the bits of single forwards; errors of UpTo and Batch; the
// program of docs/batch.md; agreement with the reference.
// Knows the public face only.
#include "support/model_check.hpp"

#include <tarn/run/batch.hpp>
#include <tarn/run/up_to.hpp>

#include <cstdio>

using namespace tarn;

namespace {

using Image = Shape<12, 9, 2>;
using Net =
    Sequential<Conv2d<2, 8, Kernel<3>, Stride<2>, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<8 * 3 * 2, 5>>;
using Heads = Graph<Input<"x">, Layer<"a", Conv2d<2, 3, Kernel<3>>, "x">, Layer<"b", GlobalAvgPool2d, "a">, Output<"b">,
                    Output<"a">>;

template <class TheNet> void check_batch(unsigned seed) {
    using One = Model<TheNet, Image>;
    using Four = Model<TheNet, Batch<4, Image>>;
    STATIC_REQUIRE(Four::arena_bytes == One::arena_bytes);
    const tarn_test::RandomParameters<TheNet> parameters(seed);
    const auto weights = tarn_test::packed<Four>(parameters.pointers());
    const auto single = std::make_unique<typename One::Session>(*weights);
    tarn_test::GuardedArena<Four::arena_bytes> arena;
    const auto session = std::make_unique<typename Four::BorrowedSession>(*weights, arena.bytes());
    const std::vector<float> samples = tarn_test::random_floats(4 * Image::elems, seed + 1);
    for (const std::size_t count : {4U, 1U, 3U, 2U}) {
        arena.poison();
        Checked<std::span<const float>> made(SizeError::empty);
        CHECK(tarn_test::calls_to_memory_of(
                  [&] { made = session->forward(std::span(samples).first(count * Image::elems)); }) == 0);
        CHECK(arena.intact());
        REQUIRE(made);
        std::vector<float> all(made->begin(), made->end()), expected;
        if constexpr (One::output_count > 1)
            all.insert(all.end(), session->template output<1>().begin(), session->template output<1>().end());
        const auto run = [&](std::size_t i) {
            single->forward(std::span<const float, Image::elems>{samples.data() + i * Image::elems, Image::elems});
        };
        const auto append = [&](std::span<const float> result) {
            expected.insert(expected.end(), result.begin(), result.end());
        };
        for (std::size_t i = 0; i < count; ++i) run(i), append(single->output());
        if constexpr (One::output_count > 1)
            for (std::size_t i = 0; i < count; ++i) run(i), append(single->template output<1>());
        CHECK(tarn_test::same_bits(all, expected));
    }
}

using Frames = Sequential<Conv1d<3, 4, Kernel<5>, Stride<2>>, ReLU, Linear<4, 2>>;

} // namespace

TEST_CASE("a batch has the bits of single forwards and the arena of one") {
    check_batch<Net>(1);
    check_batch<Heads>(2);
    STATIC_REQUIRE(Model<Net, Batch<4, Image>>::result_bytes == 4 * 5 * sizeof(float));
}

TEST_CASE("inputs of wrong sizes are errors, and the session goes on") {
    using M = Model<Frames, UpTo<Shape<20, 3>>>;
    const tarn_test::RandomParameters<Frames> parameters(3);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    const auto session = std::make_unique<M::Session>(*weights);
    const auto owning = std::make_unique<M::InPlaceSession>(*weights);
    const std::vector<float> input = tarn_test::random_floats(64, 4);
    const std::span<const float> all(input);
    CHECK(session->output().empty());
    CHECK(session->forward(all.first(0)).error() == SizeError::empty);
    CHECK(session->forward(all.first(20)).error() == SizeError::not_whole);
    CHECK(session->forward(all.first(12)).error() == SizeError::too_small);
    CHECK(session->forward(all.first(63)).error() == SizeError::too_large);
    const auto made = session->forward(all.first(60));
    REQUIRE(made);
    CHECK(made->size() == 8 * 2);
    const std::vector<float> kept(made->begin(), made->end());
    CHECK_FALSE(session->forward(all.first(3)));
    CHECK(std::equal(kept.begin(), kept.end(), session->output().begin(), session->output().end()));
    CHECK(session->forward(all.first(15))->size() == 2);
    CHECK(owning->forward_in_place(0).error() == SizeError::empty);
    CHECK(owning->forward_in_place(-1).error() == SizeError::empty);
    CHECK(owning->forward_in_place(4).error() == SizeError::too_small);
    CHECK(owning->forward_in_place(21).error() == SizeError::too_large);

    using B = Model<Net, Batch<2, Image>>;
    const tarn_test::RandomParameters<Net> of_net(5);
    const auto batch_weights = tarn_test::packed<B>(of_net.pointers());
    const auto batch = std::make_unique<B::Session>(*batch_weights);
    const std::vector<float> samples(3 * Image::elems);
    CHECK(batch->forward({}).error() == SizeError::empty);
    CHECK(batch->forward(std::span(samples).first(7)).error() == SizeError::not_whole);
    CHECK(batch->forward(samples).error() == SizeError::too_large);
    CHECK(batch->forward(std::span(samples).first(2 * Image::elems)));
    for (const SizeError error :
         {SizeError::empty, SizeError::not_whole, SizeError::too_large, SizeError::too_small, SizeError::uneven})
        CHECK(std::string(text_of(error)).find("give") + std::string(text_of(error)).find("split") !=
              2 * std::string::npos);
}

TEST_CASE("thirteen of twenty rows agree with the reference") {
    using M = Model<Frames, UpTo<Shape<20, 3>>>;
    const tarn_test::RandomParameters<Frames> parameters(6);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    const auto session = std::make_unique<M::Session>(*weights);
    const std::vector<float> input = tarn_test::random_floats(13 * 3, 7);
    const auto expected =
        reference_forward<Frames, Shape<13, 3>>(std::span<const float, 39>{input.data(), 39}, parameters.pointers());
    const auto made = session->forward(input);
    REQUIRE(made);
    REQUIRE(made->size() == expected.size());
    CHECK(tarn_test::worst_difference(expected, *made) <= 1e-5);
}

namespace {
// docs/batch.md shows these lines
using Words = Sequential<Conv1d<40, 64, Kernel<5>, Stride<2>, Padding<2>>, ReLU, GRU<64, 64>, Linear<64, 29>, Softmax>;
using Speech = Model<Words, UpTo<Shape<600, 40>>>; // up to 600 frames of 40 features
static_assert(Speech::arena_bytes <= 80 * 1024);   // for 600; fewer need no more

int transcribe(Speech::Session& session, std::span<const float> frames) {
    const auto scores = session.forward(frames); // [(frames + 1) / 2, 29], or an error; nothing allocated
    if (!scores) return std::fprintf(stderr, "%s\n", text_of(scores.error())), 0;
    return static_cast<int>(scores->size() / 29);
}
} // namespace

TEST_CASE("the program of docs/batch.md") {
    const tarn_test::RandomParameters<Words> parameters(8);
    const auto weights = tarn_test::packed<Speech>(parameters.pointers());
    const auto session = std::make_unique<Speech::Session>(*weights);
    const std::vector<float> frames = tarn_test::random_floats(600 * 40, 9);
    CHECK(transcribe(*session, frames) == 300);
    CHECK(transcribe(*session, std::span(frames).first(7 * 40)) == 4);
    CHECK(session->output().size() == 4 * 29);
}
