// SPDX-License-Identifier: MIT
// Order: branches run in the order that keeps less alive, whatever order they are written in.
// Worked by hand; the arenas of a graph written both ways must agree.
#include "support/model_check.hpp"

#include <tarn/plan/order.hpp>

using namespace tarn;

namespace {

// A wide branch that ends narrow, and one that is always narrow: the wide one first, since what it leaves is small.
using Wide = Sequential<Conv2d<4, 64, Kernel<1>>, ReLU, Conv2d<64, 4, Kernel<1>>>;
using Narrow = Sequential<Conv2d<4, 16, Kernel<1>>, ReLU>;
using WideFirst = Graph<Input<"x">, Layer<"stem", Conv2d<4, 4, Kernel<1>>, "x">, Layer<"wide", Wide, "stem">,
                        Layer<"narrow", Narrow, "stem">, Layer<"joined", Concat, "wide", "narrow">, Output<"joined">>;
using NarrowFirst = Graph<Input<"x">, Layer<"stem", Conv2d<4, 4, Kernel<1>>, "x">, Layer<"narrow", Narrow, "stem">,
                          Layer<"wide", Wide, "stem">, Layer<"joined", Concat, "wide", "narrow">, Output<"joined">>;
using In = Shape<8, 8, 4>;

template <class Net> constexpr std::size_t peak_as_written() { return alive_peak(flatten<Net, In>()); }
template <class Net> constexpr std::size_t peak_ordered() { return alive_peak(ordered(flatten<Net, In>())); }

} // namespace

TEST_CASE("the branch that needs more beyond what it leaves runs first") {
    // 64 pixels: stem 4, wide 64 then 4, narrow 16 channels.
    STATIC_REQUIRE(peak_as_written<WideFirst>() == 64 * (4 + 64 + 4));
    STATIC_REQUIRE(peak_as_written<NarrowFirst>() == 64 * (16 + 64 + 4));
    STATIC_REQUIRE(peak_ordered<NarrowFirst>() == 64 * (4 + 64 + 4));
    STATIC_REQUIRE(peak_ordered<WideFirst>() == peak_as_written<WideFirst>());
}

TEST_CASE("reordered networks give the same results from the same arena") {
    using A = Model<WideFirst, In, Cpu<>, WholeTensors<Smallest>>;
    using B = Model<NarrowFirst, In, Cpu<>, WholeTensors<Smallest>>;
    STATIC_REQUIRE(A::arena_bytes == B::arena_bytes);
    tarn_test::check_network<NarrowFirst, In>(1);
    tarn_test::check_network<WideFirst, In>(2);
}
