// SPDX-License-Identifier: MIT
// RowSession: an image pushed row by row gives the bits of the image given whole, from a smaller arena.
// Knows the public face only; networks with residuals, strides, padding, pools and several images one after another.
#include "support/model_check.hpp"

using namespace tarn;

namespace {

template <class Net, class In> void check_pushed(unsigned seed) {
    using M = Model<Net, In>;
    using Pushing = RowSession<M>;
    const tarn_test::RandomParameters<Net> parameters(seed);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    const auto whole = std::make_unique<typename M::Session>(*weights);
    const auto pushing = std::make_unique<Pushing>(*weights);
    constexpr std::size_t row = Pushing::row_size;
    for (unsigned image = 0; image < 3; ++image) {
        const std::vector<float> input = tarn_test::random_floats(In::elems, seed + 10 + image);
        if (image == 1) { // an image begun and given up leaves nothing behind
            pushing->push_row(std::span<const float, row>{input.data(), row});
            pushing->restart();
        }
        const auto expected = whole->forward(std::span<const float, In::elems>{input.data(), In::elems});
        bool done = false;
        CHECK(tarn_test::calls_to_memory_of([&] {
                  for (int r = 0; r < Pushing::input_rows; ++r)
                      done = pushing->push_row(
                          std::span<const float, row>{input.data() + static_cast<std::size_t>(r) * row, row});
              }) == 0);
        CHECK(done);
        const auto found = pushing->output();
        CHECK(std::memcmp(found.data(), expected.data(), expected.size_bytes()) == 0);
    }
}

using Stem = Sequential<Conv2d<3, 8, Kernel<3>, Stride<2>, Padding<1>>, ReLU>;
using Block = Residual<Sequential<Conv2d<8, 24, Kernel<1>>, ReLU6, Conv2d<24, 24, Kernel<3>, Padding<1>, Groups<24>>,
                                  ReLU6, Conv2d<24, 8, Kernel<1>>>>;
using Mobile = Sequential<Stem, Block, Conv2d<8, 16, Kernel<3>, Stride<2>, Padding<0, 1, 0, 1>>, ReLU, GlobalAvgPool2d,
                          Flatten, Linear<16, 5>>;
using Plain =
    Sequential<Conv2d<1, 4, Kernel<5>, Padding<2>>, ReLU, MaxPool2d<3, Stride<2>>, Flatten, Linear<4 * 6 * 4, 3>>;
using SkipFromInput = Sequential<Residual<Conv2d<2, 2, Kernel<3>, Padding<1>>>, ReLU, AvgPool2d<2>>;
using Inception = Sequential<
    Parallel<Conv2d<2, 4, Kernel<1>>, Conv2d<2, 4, Kernel<5>, Padding<2>>, MaxPool2d<3, Stride<1>, Padding<1>>>, Concat,
    Conv2d<10, 6, Kernel<3>>, ReLU>;

} // namespace

TEST_CASE("an image pushed row by row gives the same bits as given whole") {
    check_pushed<Mobile, Shape<24, 20, 3>>(1);
    check_pushed<Plain, Shape<14, 10, 1>>(2);
    check_pushed<SkipFromInput, Shape<9, 7, 2>>(3);
    check_pushed<Inception, Shape<12, 9, 2>>(4);
}

TEST_CASE("the image is never whole in memory") {
    using M = Model<Mobile, Shape<96, 96, 3>>;
    STATIC_REQUIRE(RowSession<M>::arena_bytes < M::arena_bytes_in_place);
    STATIC_REQUIRE(RowSession<M>::arena_bytes < 96 * 96 * 3 * sizeof(float));
}
