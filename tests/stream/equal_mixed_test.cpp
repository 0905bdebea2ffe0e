// SPDX-License-Identifier: MIT
// Frame by frame equals offline, bit for bit at any split: recurrent layers, branches, several results, several rates.
// Knows the public face only.
#include "stream/stream_check.hpp"

using namespace tarn;
using tarn_test::check_stream;

TEST_CASE("recurrent layers") {
    using Net = Sequential<GRU<3, 8>, Linear<8, 1>>;
    static_assert(Model<Net, Shape<30, 3>>::Stream::recurrent && Model<Net, Shape<30, 3>>::Stream::row_per_frame);
    check_stream<Net, Shape<30, 3>>(1);
    check_stream<Sequential<Conv1d<2, 5, Kernel<3>, Causal>, LSTM<5, 11, NoBias>, GRU<11, 16>, Tanh, Linear<16, 2>>,
                 Shape<24, 2>>(2);
}

TEST_CASE("a gate, as WaveNet's: two halves of the channels") {
    using Gated = Sequential<Conv1d<4, 16, Kernel<2>, Causal, Dilation<4>>, Split<8, 8>>;
    using Net = Graph<Input<"x">, Layer<"in", Conv1d<1, 4, Kernel<1>>, "x">, Layer<"halves", Gated, "in">,
                      Layer<"value", Sequential<Conv1d<1, 8, Kernel<1>>, Tanh>, "x">,
                      Layer<"wide", Conv1d<4, 16, Kernel<2>, Causal, Dilation<4>>, "in">,
                      Layer<"tanh", Sequential<Slice<0, 8>, Tanh>, "wide">,
                      Layer<"gate", Sequential<Slice<8, 8>, Sigmoid>, "wide">, Layer<"gated", Mul, "tanh", "gate">,
                      Layer<"mix", Conv1d<8, 4, Kernel<1>>, "gated">, Layer<"skip", Add, "mix", "in">,
                      Layer<"sum", Add, "value", "gated">, Layer<"last", Conv1d<4, 1, Kernel<3>, Causal>, "skip">,
                      Output<"last">, Output<"sum">>;
    check_stream<Net, Shape<40, 1>>(3);
}

TEST_CASE("branches side by side") {
    using Net =
        Sequential<Parallel<Conv1d<3, 4, Kernel<3>, Causal>, Conv1d<3, 5, Kernel<3>, Causal, Dilation<5>>, Identity>,
                   Concat, Conv1d<12, 6, Kernel<4>, Causal>, ReLU>;
    check_stream<Net, Shape<36, 3>>(4);
}

TEST_CASE("branches of one rate, of which one comes later") {
    // The convolution's row is there with the first of four frames, the pool's with the last.
    using Sum = Sequential<Parallel<Conv1d<3, 3, Kernel<4>, Stride<4>, Causal>, AvgPool1d<4>>, Add,
                           Conv1d<3, 2, Kernel<3>, Causal>>;
    static_assert(Model<Sum, Shape<48, 3>>::Stream::latency == 3);
    check_stream<Sum, Shape<48, 3>>(5);
    using Beside = Sequential<Parallel<Conv1d<3, 5, Kernel<4>, Stride<4>, Causal>, MaxPool1d<4>>, Concat,
                              Conv1d<8, 2, Kernel<3>, Causal>>;
    check_stream<Beside, Shape<48, 3>>(6);
    using PoolFirst =
        Sequential<Parallel<MaxPool1d<4>, Conv1d<3, 5, Kernel<4>, Stride<4>, Causal>, AvgPool1d<2, Stride<4>>>, Concat,
                   Conv1d<11, 2, Kernel<3>, Causal>>;
    check_stream<PoolFirst, Shape<48, 3>>(7);
    using Skipped =
        Sequential<Parallel<Sequential<Conv1d<3, 4, Kernel<5>, Stride<5>, Causal>, Conv1d<4, 3, Kernel<2>, Causal>>,
                            Sequential<MaxPool1d<5>, GRU<3, 3>>>,
                   Mul>;
    check_stream<Skipped, Shape<45, 3>>(8);
}

TEST_CASE("several rows a frame") {
    using Up =
        Sequential<Conv1d<2, 6, Kernel<3>, Causal>, Reshape<Shape<20, 1, 6>>, Upsample<3, 1>, Reshape<Shape<60, 6>>,
                   Conv1d<6, 4, Kernel<3>, Causal, Dilation<2>>, ReLU, Conv1d<4, 1, Kernel<5>, Causal>>;
    using Stream = Model<Up, Shape<20, 2>>::Stream;
    static_assert(Stream::max_rows_per_frame == 3 && Stream::period_rows == 3 && Stream::period_frames == 1);
    static_assert(Stream::latency == 0 && !Stream::row_per_frame);
    check_stream<Up, Shape<20, 2>>(9);

    using ThreeHalves = Sequential<Reshape<Shape<24, 1, 4>>, Upsample<3, 1>, Reshape<Shape<72, 4>>,
                                   Conv1d<4, 5, Kernel<3>, Stride<2>, Causal>, Tanh, Conv1d<5, 2, Kernel<2>>>;
    static_assert(Model<ThreeHalves, Shape<24, 4>>::Stream::period_rows == 3);
    static_assert(Model<ThreeHalves, Shape<24, 4>>::Stream::period_frames == 2);
    check_stream<ThreeHalves, Shape<24, 4>>(10);
    using Pooled = Sequential<Reshape<Shape<24, 1, 4>>, Upsample<4, 1>, Reshape<Shape<96, 4>>,
                              Conv1d<4, 4, Kernel<2>, Causal>, MaxPool1d<3>, Conv1d<4, 3, Kernel<2>, Causal>>;
    check_stream<Pooled, Shape<24, 4>>(11);
}

TEST_CASE("down, and up again beside what was not") {
    using Body = Sequential<Conv1d<4, 6, Kernel<4>, Stride<2>, Causal>, ReLU, GRU<6, 4>, Reshape<Shape<16, 1, 4>>,
                            Upsample<2, 1>, Reshape<Shape<32, 4>>>;
    using Net = Sequential<Residual<Body>, Conv1d<4, 3, Kernel<3>, Causal>>;
    static_assert(Model<Net, Shape<32, 4>>::Stream::row_per_frame && Model<Net, Shape<32, 4>>::Stream::latency == 0);
    check_stream<Net, Shape<32, 4>>(12);
    using Late =
        Sequential<Residual<Sequential<AvgPool1d<2>, Reshape<Shape<16, 1, 4>>, Upsample<2, 1>, Reshape<Shape<32, 4>>>>,
                   Conv1d<4, 3, Kernel<3>, Causal>>;
    static_assert(Model<Late, Shape<32, 4>>::Stream::latency == 1);
    check_stream<Late, Shape<32, 4>>(13);
}

TEST_CASE("a transposed convolution over time") {
    using Net = Sequential<Conv2d<2, 5, Kernel<2, 3>, Padding<1, 0, 1, 1>>, ReLU,
                           ConvTranspose2d<5, 4, Kernel<2>, Stride<2>>, Conv2d<4, 2, Kernel<3>, Padding<2, 0, 1, 1>>>;
    static_assert(Model<Net, Shape<12, 4, 2>>::Stream::max_rows_per_frame == 2);
    check_stream<Net, Shape<12, 4, 2>>(14);
}

TEST_CASE("results of several rates, and one that others read") {
    using Net = Graph<Input<"x">, Layer<"a", Sequential<Conv1d<3, 6, Kernel<3>, Causal>, ReLU>, "x">,
                      Layer<"b", Conv1d<6, 4, Kernel<3>, Stride<2>, Causal>, "a">, Layer<"c", MaxPool1d<3>, "a">,
                      Layer<"d", Sequential<Reshape<Shape<36, 1, 6>>, Upsample<2, 1>, Reshape<Shape<72, 6>>>, "a">,
                      Layer<"e", Conv1d<6, 2, Kernel<4>, Causal>, "d">, Output<"a">, Output<"b">, Output<"c">,
                      Output<"d">, Output<"e">>;
    check_stream<Net, Shape<36, 3>>(15);
}

TEST_CASE("the frame itself among the results") {
    using Net = Parallel<Conv1d<3, 2, Kernel<2>, Causal>, Identity>;
    check_stream<Net, Shape<9, 3>>(16);
    check_stream<Sequential<>, Shape<9, 3>>(17);
    check_stream<Sequential<Parallel<Identity, Tanh>, Concat>, Shape<9, 3>>(18);
}
