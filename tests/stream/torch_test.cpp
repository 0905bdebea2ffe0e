// SPDX-License-Identifier: MIT
// Frame by frame against PyTorch: GRU, LSTM, causal convolutions, strides and pools, networks of them, through the
// loader. Reads tests/fixtures/stream.safetensors, which tests/fixtures/stream.py makes. Knows the public face only.
#include "stream/stream_check.hpp"

#include "support/fixture.hpp"

using namespace tarn;

namespace {

template <class Net, class In> void check_case(const std::string& name) {
    using M = Model<Net, In>;
    static const tarn_test::Fixtures file("stream");
    INFO(name);
    const std::vector<float> x = file.floats(name + "/x", In::extents);
    const std::vector<float> y = file.floats(name + "/y", M::Output::extents);
    const auto weights = M::load(file.weights_file(name));
    INFO(weights.error());
    REQUIRE(weights);
    const auto stream = std::make_unique<typename M::Stream>(*weights);
    tarn_test::Random random(3);
    const std::vector<float> rows = tarn_test::in_blocks(*stream, x, random, 6);
    CHECK(tarn_test::first_beyond(y, rows, {1e-6, 1e-5}) == "");
}

template <int C, int D>
using Block =
    Residual<Sequential<Conv1d<C, C, Kernel<3>, Causal, Dilation<D>>, BatchNorm1d<C>, ReLU, Conv1d<C, C, Kernel<1>>>>;

} // namespace

TEST_CASE("GRU and LSTM") {
    check_case<Sequential<GRU<3, 7>>, Shape<40, 3>>("gru");
    check_case<Sequential<GRU<5, 16, NoBias>>, Shape<25, 5>>("gru_nobias");
    check_case<Sequential<LSTM<3, 7>>, Shape<40, 3>>("lstm");
    check_case<Sequential<LSTM<17, 8, NoBias>>, Shape<25, 17>>("lstm_nobias");
}

TEST_CASE("causal convolutions") {
    check_case<
        Sequential<Conv1d<4, 9, Kernel<5>, Causal>, Tanh, Conv1d<9, 6, Kernel<3>, Causal, Dilation<4>>, SiLU,
                   Conv1d<6, 6, Kernel<2>, Causal, Groups<3>>, Conv1d<6, 6, Kernel<4>, Causal, Groups<6>, NoBias>>,
        Shape<40, 4>>("causal");
}

TEST_CASE("strides and pools over time") {
    check_case<Sequential<Conv1d<2, 6, Kernel<6>, Causal, Stride<2>>, ELU<>, MaxPool1d<3>,
                          Conv1d<6, 5, Kernel<2>, Causal, Stride<2>>, Linear<5, 3>, Softmax>,
               Shape<48, 2>>("strided");
}

TEST_CASE("networks") {
    check_case<Sequential<Conv1d<1, 8, Kernel<3>, Causal>, Block<8, 1>, Block<8, 2>, Block<8, 4>, Block<8, 8>,
                          Conv1d<8, 2, Kernel<1>>>,
               Shape<70, 1>>("tcn");
    using Twice = Sequential<Reshape<Shape<15, 1, 5>>, Upsample<2, 1>, Reshape<Shape<30, 5>>>;
    check_case<Sequential<Conv1d<2, 8, Kernel<4>, Causal, Stride<2>>, ReLU, AvgPool1d<2>, GRU<8, 6>, LSTM<6, 5>, Twice,
                          Conv1d<5, 3, Kernel<3>, Causal>, Linear<3, 1>>,
               Shape<60, 2>>("mixed");
}
