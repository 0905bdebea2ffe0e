// SPDX-License-Identifier: MIT
// UpTo and Batch: the arenas against those of a Model of the maximum. Prints the table of docs/batch.md when asked:
// `test_run_up_to_sizes "[table]"`.
// Knows the public face only.
#include "support/catch.hpp"

#include <tarn/run/batch.hpp>
#include <tarn/run/up_to.hpp>
#include <tarn/tarn.hpp>

#include <cstdio>

using namespace tarn;

namespace {

using Features = Sequential<Linear<64, 256>, ReLU, Linear<256, 10>, Softmax>;
template <int Distance>
using Block = Residual<Sequential<Conv1d<32, 32, Kernel<3>, Dilation<Distance>, Causal>, ReLU,
                                  Conv1d<32, 32, Kernel<3>, Dilation<Distance>, Causal>>>;
using Tcn = Sequential<Conv1d<40, 32, Kernel<1>>, Block<1>, ReLU, Block<2>, ReLU, Block<4>, ReLU, Linear<32, 12>>;
using Words = Sequential<Conv1d<40, 64, Kernel<5>, Stride<2>, Padding<2>>, ReLU, GRU<64, 64>, Linear<64, 29>, Softmax>;
using Classifier =
    Sequential<Conv2d<3, 16, Kernel<3>, Stride<2>, Padding<1>>, ReLU, Conv2d<16, 16, Kernel<3>, Padding<1>, Groups<16>>,
               Conv2d<16, 32, Kernel<1>>, ReLU, GlobalAvgPool2d, Flatten, Linear<32, 10>>;

template <class Net, class In> struct Sizes {
    using Fixed = Model<Net, In>;
    using Whole = Model<Net, In, Cpu<>, WholeTensors<Smallest>>;
    using Counted = Model<Net, UpTo<In>>;
    static void print(const char* name) {
        std::printf("| %s | %zu | %zu | %zu | %zu | %zu |\n", name, Whole::arena_bytes, Fixed::arena_bytes,
                    Counted::arena_bytes, Fixed::arena_bytes_in_place, Counted::arena_bytes_in_place);
    }
    static constexpr bool no_larger_than_whole = Counted::arena_bytes <= Whole::arena_bytes;
};
using OfFeatures = Sizes<Features, Shape<64, 64>>;
using OfTcn = Sizes<Tcn, Shape<400, 40>>;
using OfWords = Sizes<Words, Shape<600, 40>>;
using OfClassifier = Sizes<Classifier, Shape<128, 64, 3>>;

} // namespace

TEST_CASE("planned by rows, the maximum needs no more than with whole tensors") {
    STATIC_REQUIRE(OfFeatures::no_larger_than_whole);
    STATIC_REQUIRE(OfTcn::no_larger_than_whole);
    STATIC_REQUIRE(OfWords::no_larger_than_whole);
    STATIC_REQUIRE(OfClassifier::no_larger_than_whole);
}

TEST_CASE("table", "[.][table]") {
    OfFeatures::print("Linear 64-256-10, Softmax, 64 rows");
    OfTcn::print("TCN of three residual blocks, 400 frames");
    OfWords::print("Conv1d, GRU, Linear, 600 frames");
    OfClassifier::print("image classifier, 128 x 64");
}
