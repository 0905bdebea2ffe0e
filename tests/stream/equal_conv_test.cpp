// SPDX-License-Identifier: MIT
// Frame by frame equals offline, bit for bit at any split: convolutions, pools and norms over time, images over time.
// Knows the public face only.
#include "stream/stream_check.hpp"

using namespace tarn;
using tarn_test::check_stream;

namespace {
template <int C, int D>
using Block = Residual<Sequential<Conv1d<C, C, Kernel<3>, Causal, Dilation<D>>, ReLU, Conv1d<C, C, Kernel<1>>>>;
} // namespace

TEST_CASE("one causal convolution") {
    using M = Model<Conv1d<3, 7, Kernel<5>, Causal>, Shape<40, 3>>;
    static_assert(M::Stream::row_per_frame && M::Stream::latency == 0 && M::Stream::receptive_field == 5);
    static_assert(M::Stream::frames_per_row == 1 && M::Stream::max_rows_per_frame == 1 && !M::Stream::recurrent);
    static_assert(M::Stream::state_bytes <= 128); // five frames and a place, in whole cache lines
    check_stream<M::Module, M::Input>(1);
}

TEST_CASE("a temporal convolution network with skips") {
    using Net = Sequential<Conv1d<2, 8, Kernel<3>, Causal>, ReLU, Block<8, 1>, Block<8, 2>, Block<8, 4>, Block<8, 8>,
                           Linear<8, 1>>;
    static_assert(Model<Net, Shape<64, 2>>::Stream::receptive_field == 2 + 1 + 2 * (1 + 2 + 4 + 8));
    check_stream<Net, Shape<64, 2>>(2);
}

TEST_CASE("strides, with and without dilation") {
    using Net =
        Sequential<Conv1d<3, 6, Kernel<4>, Stride<2>, Causal>, Tanh,
                   Conv1d<6, 5, Kernel<3>, Stride<3>, Dilation<2>, Causal>, ReLU, Conv1d<5, 4, Kernel<1>, Stride<2>>>;
    using Stream = Model<Net, Shape<60, 3>>::Stream;
    static_assert(Stream::frames_per_row == 12 && Stream::latency == 0 && !Stream::row_per_frame);
    static_assert(Stream::receptive_field == 4 + 2 * 4);
    check_stream<Net, Shape<60, 3>>(3);
    check_stream<Net, Shape<59, 3>>(4);
}

TEST_CASE("groups, one filter a channel, one frame wide") {
    using Net =
        Sequential<Conv1d<6, 12, Kernel<3>, Causal, Groups<3>>, SiLU, Conv1d<12, 12, Kernel<5>, Causal, Groups<12>>,
                   Conv1d<12, 12, Kernel<2>, Causal, Dilation<7>, Groups<12>, NoBias>, Conv1d<12, 9, Kernel<1>>>;
    check_stream<Net, Shape<33, 6>>(5);
}

TEST_CASE("windows without padding come later by their length") {
    using Net = Sequential<Conv1d<2, 5, Kernel<4>, Dilation<3>>, ReLU, Conv1d<5, 3, Kernel<2>>>;
    using Stream = Model<Net, Shape<30, 2>>::Stream;
    static_assert(Stream::latency == 10 && Stream::receptive_field == 11 && !Stream::row_per_frame);
    static_assert(Stream::frames_per_row == 1 && Stream::max_rows_per_frame == 1);
    check_stream<Net, Shape<30, 2>>(6);
    using Partly =
        Sequential<Conv1d<2, 5, Kernel<4>, Padding<1, 0>>, Conv1d<5, 4, Kernel<3>, Stride<2>, Padding<1, 0>>>;
    static_assert(Model<Partly, Shape<30, 2>>::Stream::latency == 3);
    check_stream<Partly, Shape<30, 2>>(7);
}

TEST_CASE("norms, activations and softmax on every frame") {
    using Net = Sequential<BatchNorm1d<5>, Linear<5, 9>, BatchNorm1d<9>, GELU, Conv1d<9, 9, Kernel<3>, Causal>,
                           LeakyReLU<>, LayerNorm<9>, BatchNorm1d<9>, HardSwish, Softmax>;
    check_stream<Net, Shape<20, 5>>(8);
}

TEST_CASE("pools whose windows overlap") {
    using Net =
        Sequential<MaxPool1d<3, Stride<1>, Padding<2, 0>>, Conv1d<4, 6, Kernel<2>, Causal>,
                   AvgPool1d<4, Stride<2>, Padding<3, 0>>, AvgPool1d<3, Stride<1>, Padding<1, 0>, ExcludePadding>>;
    static_assert(Model<Net, Shape<32, 4>>::Stream::latency == 2);
    check_stream<Net, Shape<32, 4>>(9);
}

TEST_CASE("pools whose windows share no frame, and convolutions behind them") {
    using Net = Sequential<Conv1d<3, 5, Kernel<3>, Causal>, MaxPool1d<4>, Conv1d<5, 6, Kernel<3>, Causal>, ReLU,
                           AvgPool1d<2, Stride<3>>, Linear<6, 4>>;
    using Stream = Model<Net, Shape<72, 3>>::Stream;
    static_assert(Stream::frames_per_row == 12 && Stream::latency == 3 + 4);
    check_stream<Net, Shape<72, 3>>(10);
    check_stream<AvgPool1d<5>, Shape<41, 17>>(11);
    // Nothing waits but the sums: a window of any length costs one row.
    static_assert(Model<AvgPool1d<500>, Shape<1000, 16>>::Stream::state_bytes <= 128);
}

TEST_CASE("images over time") {
    using Net = Sequential<Conv2d<2, 6, Kernel<3>, Padding<2, 0, 1, 1>>, ReLU,
                           Conv2d<6, 6, Kernel<3>, Padding<2, 0, 1, 1>, Groups<6>, Stride<1, 2>>,
                           Conv2d<6, 8, Kernel<1>>, MaxPool2d<2>, Reshape<Shape<10, 16>>, Linear<16, 3>>;
    using Stream = Model<Net, Shape<20, 8, 2>>::Stream;
    static_assert(Stream::input_elems == 16 && Stream::output_elems == 3 && Stream::frames_per_row == 2);
    check_stream<Net, Shape<20, 8, 2>>(12);
    using Inside =
        Sequential<Conv2d<1, 4, Kernel<2, 3>, Padding<1, 0, 0, 0>, Stride<1, 2>>,
                   Pool2d<PoolMode::average, Kernel<1, 4>>, Reshape<Shape<25, 4>>, Conv1d<4, 2, Kernel<3>, Causal>>;
    check_stream<Inside, Shape<25, 9, 1>>(13);
}

TEST_CASE("a long filter on one channel") {
    using Net = Conv1d<1, 1, Kernel<64>, Causal>;
    check_stream<Net, Shape<200, 1>>(14);
}
