// SPDX-License-Identifier: MIT
// Windows and padding where other libraries went wrong: SAME on even images, max pools that saw a zero, uneven pads.
// Answers computed by hand or by a loop in the test.
// Knows the public face only.
#include "cases/answer.hpp"

using namespace tarn;
using tarn_test::answer;
using tarn_test::counted;
using Values = std::vector<float>;

TEST_CASE("SAME padding on an even image puts the odd pixel where its name says", "[cases]") {
    const Values ones(4, 1.F), kernel = counted(9, 0.F);
    CHECK(answer<Conv2d<1, 1, Kernel<3>, Stride<2>, SameUpper, NoBias>, Shape<2, 2, 1>>(ones, {kernel}) == Values{8});
    CHECK(answer<Conv2d<1, 1, Kernel<3>, Stride<2>, SameLower, NoBias>, Shape<2, 2, 1>>(ones, {kernel}) == Values{24});
    // The depthwise kernel has its own loops.
    const Values twice(8, 1.F);
    Values kernels = kernel;
    kernels.insert(kernels.end(), kernel.rbegin(), kernel.rend());
    CHECK(answer<Conv2d<2, 2, Kernel<3>, Stride<2>, SameUpper, Groups<2>, NoBias>, Shape<2, 2, 2>>(twice, {kernels}) ==
          Values{8, 24});
}

TEST_CASE("a max pool of negative values ignores its padding", "[cases]") {
    const Values image{-1, -2, -3, -3, -4, -5, -2, -3, -6};
    const Values wanted{-1, -2, -2, -3};
    CHECK(answer<MaxPool2d<3, Stride<2>, Padding<1>>, Shape<3, 3, 1>>(image) == wanted);

    // 17 channels: a full vector of any set and a tail.
    Values wide, wide_wanted;
    for (const float value : image) wide.insert(wide.end(), 17, value);
    for (const float value : wanted) wide_wanted.insert(wide_wanted.end(), 17, value);
    CHECK(answer<MaxPool2d<3, Stride<2>, Padding<1>>, Shape<3, 3, 17>>(wide) == wide_wanted);
}

TEST_CASE("padding above and below only gives a 4 x 2 image from 7 x 5", "[cases]") {
    using Net = Conv2d<1, 1, Kernel<3>, Stride<2>, Padding<1, 1, 0, 0>, NoBias>;
    STATIC_REQUIRE(std::is_same_v<Model<Net, Shape<7, 5, 1>>::Output, Shape<4, 2, 1>>);
    const Values image = counted(35), kernel = counted(9);
    Values wanted;
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 2; ++column) {
            float sum = 0.F;
            for (int y = 0; y < 3; ++y)
                for (int x = 0; x < 3; ++x) {
                    const int from = row * 2 + y - 1;
                    if (from < 0 || from >= 7) continue;
                    sum += image[static_cast<std::size_t>(from * 5 + column * 2 + x)] *
                           kernel[static_cast<std::size_t>(y * 3 + x)];
                }
            wanted.push_back(sum);
        }
    CHECK(answer<Net, Shape<7, 5, 1>>(image, {kernel}) == wanted);
}

TEST_CASE("the mean over rows keeps the columns apart", "[cases]") {
    // 0..11 as three rows of four features; the mean of a pool over pixels, with features as channels.
    CHECK(answer<GlobalAvgPool2d, Shape<3, 1, 4>>(counted(12, 0.F)) == Values{4, 5, 6, 7});
    CHECK(answer<Pool2d<PoolMode::average, Kernel<3, 1>>, Shape<3, 1, 4>>(counted(12, 0.F)) == Values{4, 5, 6, 7});
}

TEST_CASE("a window of 3 with stride 2 over a width of 7 gives 3", "[cases]") {
    STATIC_REQUIRE(std::is_same_v<Model<Conv2d<1, 1, Kernel<3>, Stride<2>>, Shape<7, 7, 1>>::Output, Shape<3, 3, 1>>);
    STATIC_REQUIRE(std::is_same_v<Model<MaxPool2d<3, Stride<2>>, Shape<7, 7, 1>>::Output, Shape<3, 3, 1>>);
    STATIC_REQUIRE(std::is_same_v<Model<AvgPool2d<3, Stride<2>>, Shape<7, 7, 1>>::Output, Shape<3, 3, 1>>);
}
