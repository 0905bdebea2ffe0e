// SPDX-License-Identifier: MIT
// RTNeural's reference vectors, made by Keras and PyTorch, frame by frame: dense, convolution, GRU, LSTM, micro-TCN.
// Reads ../shared/models/rtneural beside the repository; reports itself skipped where that is absent.
// Knows the public face only.
#include "stream/json_values.hpp"
#include "stream/stream_check.hpp"

#include <cstdio>

using namespace tarn;
using tarn_test::JsonValue;
using tarn_test::read_csv;
using tarn_test::read_json;

namespace {

const std::string folder = TARN_SOURCE_DIR "/../shared/models/rtneural/";
bool absent() { return !tarn_test::has_file(folder + "conv.json"); }

using List = std::vector<std::vector<float>>;

/// [rows, columns], or a stack of such, with the last two axes changed.
std::vector<float> turned(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
    REQUIRE(values.size() % (rows * columns) == 0);
    std::vector<float> made(values.size());
    for (std::size_t base = 0; base < values.size(); base += rows * columns)
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c) made[base + c * rows + r] = values[base + r * columns + c];
    return made;
}

/// Parameters in PyTorch's layout, one after the other, from a Keras model's layers.
class Keras {
  public:
    explicit Keras(const std::string& file) : model_(read_json(folder + file)) {}

    /// weights [I, O], and [O] where there is a bias.
    Keras& dense(std::size_t layer) {
        const JsonValue& w = weights(layer);
        values_.push_back(turned(w[0].numbers(), w[0].items.size(), w[0][0].items.size()));
        if (w.items.size() > 1) values_.push_back(w[1].numbers());
        return *this;
    }
    /// weights [K, I, O], bias [O].
    Keras& conv(std::size_t layer) {
        const JsonValue& w = weights(layer);
        const std::size_t taps = w[0].items.size(), in = w[0][0].items.size(), out = w[0][0][0].items.size();
        values_.push_back(turned(w[0].numbers(), taps * in, out));
        values_.back() = turned(values_.back(), taps, in);
        values_.push_back(w[1].numbers());
        return *this;
    }
    /// Scale, offset, mean and variance; or the last two.
    Keras& norm(std::size_t layer) {
        const JsonValue& w = weights(layer);
        const std::size_t channels = w[0].items.size();
        const bool affine = w.items.size() == 4;
        values_.push_back(affine ? w[0].numbers() : std::vector<float>(channels, 1.F));
        values_.push_back(affine ? w[1].numbers() : std::vector<float>(channels, 0.F));
        values_.push_back(w[affine ? 2 : 0].numbers());
        values_.push_back(w[affine ? 3 : 1].numbers());
        values_.emplace_back();
        return *this;
    }
    /// max(0, x) + slope * min(0, x) as slope * x + (1 - slope) * max(0, x).
    Keras& prelu(std::size_t layer, std::size_t channels) {
        std::vector<float> slopes = weights(layer)[0].numbers();
        if (slopes.size() == 1) slopes.resize(channels, slopes[0]);
        REQUIRE(slopes.size() == channels);
        values_.push_back(slopes);
        for (float& slope : slopes) slope = 1.F - slope;
        values_.push_back(slopes);
        return *this;
    }
    /// Gates z, r, h to r, z, n. weights [I, 3 H] and [H, 3 H], biases [2, 3 H].
    Keras& gru(std::size_t layer) {
        const JsonValue& w = weights(layer);
        for (std::size_t i = 0; i < 2; ++i)
            values_.push_back(gates(turned(w[i].numbers(), w[i].items.size(), w[i][0].items.size()), {1, 0, 2}));
        for (std::size_t i = 0; i < 2; ++i) values_.push_back(gates(w[2][i].numbers(), {1, 0, 2}));
        return *this;
    }
    /// Gates i, f, c, o are PyTorch's order. weights [I, 4 H] and [H, 4 H], one bias [4 H].
    Keras& lstm(std::size_t layer) {
        const JsonValue& w = weights(layer);
        for (std::size_t i = 0; i < 2; ++i)
            values_.push_back(turned(w[i].numbers(), w[i].items.size(), w[i][0].items.size()));
        values_.push_back(w[2].numbers());
        values_.emplace_back(w[2].items.size(), 0.F);
        return *this;
    }
    const List& values() const { return values_; }

  private:
    const JsonValue& weights(std::size_t layer) const { return model_["layers"][layer]["weights"]; }
    static std::vector<float> gates(const std::vector<float>& from, std::initializer_list<std::size_t> order) {
        const std::size_t size = from.size() / order.size();
        std::vector<float> made;
        for (const std::size_t gate : order)
            made.insert(made.end(), from.begin() + static_cast<std::ptrdiff_t>(gate * size),
                        from.begin() + static_cast<std::ptrdiff_t>((gate + 1) * size));
        return made;
    }

    JsonValue model_;
    List values_;
};

List torch(const std::string& file, std::initializer_list<const char*> names) {
    const JsonValue model = read_json(folder + file);
    List values;
    for (const char* name : names) values.push_back(model[name].numbers());
    return values;
}

/// Frames through a stream, in blocks, against the vectors; skips the rows that the reference does not have.
template <class Net, int F>
void check_vectors(const char* what, const List& values, const std::vector<float>& x, const std::vector<float>& y,
                   std::size_t skipped = 0) {
    using M = Model<Net, Shape<64, F>>;
    const auto names = parameter_names<Net>();
    REQUIRE(names.size() == values.size());
    std::vector<const float*> pointers;
    for (std::size_t i = 0; i < names.size(); ++i) {
        INFO(what << ": " << names[i].name);
        if (!names[i].ignored) REQUIRE(values[i].size() == names[i].shape.elems());
        pointers.push_back(values[i].data());
    }
    const auto weights = tarn_test::packed<M>(pointers);
    const auto stream = std::make_unique<typename M::Stream>(*weights);
    tarn_test::Random random(5);
    const std::vector<float> rows = tarn_test::in_blocks(*stream, x, random, 17);
    REQUIRE(rows.size() == y.size() + skipped * M::Stream::output_elems);
    double worst = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double found = static_cast<double>(rows[i + skipped * M::Stream::output_elems]);
        const double off = std::abs(found - static_cast<double>(y[i]));
        if (!(off <= worst)) worst = off;
    }
    std::printf("%-24s %6zu values, largest difference %.2e\n", what, y.size(), worst);
    INFO(what << ": off by " << worst * 1e6 << "e-6");
    CHECK(worst <= 1e-6);
}

template <int C>
using PReLU = Sequential<
    Parallel<Conv1d<C, C, Kernel<1>, Groups<C>, NoBias>, Sequential<ReLU, Conv1d<C, C, Kernel<1>, Groups<C>, NoBias>>>,
    Add>;

} // namespace

TEST_CASE("Keras: dense") {
    if (absent()) return tarn_test::skip("no ../shared/models/rtneural");
    using Net = Sequential<Linear<1, 8>, Tanh, Linear<8, 8>, ReLU, Linear<8, 8>, ELU<>, Linear<8, 8>, Softmax,
                           Linear<8, 1>, Linear<1, 8, NoBias>, Linear<8, 8, NoBias>, Linear<8, 1, NoBias>>;
    Keras model("dense.json");
    model.dense(0).dense(2).dense(4).dense(6).dense(8).dense(9).dense(10).dense(11);
    check_vectors<Net, 1>("dense", model.values(), read_csv(folder + "dense_x_python.csv"),
                          read_csv(folder + "dense_y_python.csv"));
}

TEST_CASE("Keras: convolutions, plain, dilated, grouped, with norms and PReLU between") {
    if (absent()) return tarn_test::skip("no ../shared/models/rtneural");
    using Net =
        Sequential<Linear<1, 8>, Tanh, Conv1d<8, 4, Kernel<3>, Causal>, Tanh, BatchNorm1d<4, Eps<std::ratio<1, 100>>>,
                   PReLU<4>, Conv1d<4, 4, Kernel<1>>, Tanh, Conv1d<4, 6, Kernel<3>, Causal, Dilation<2>, Groups<2>>,
                   Tanh, BatchNorm1d<6, Eps<std::ratio<5>>>, PReLU<6>, Linear<6, 1>, Sigmoid>;
    Keras model("conv.json");
    model.dense(0).conv(1).norm(2).prelu(3, 4).conv(4).conv(5).norm(6).prelu(7, 6).dense(8);
    check_vectors<Net, 1>("conv", model.values(), read_csv(folder + "conv_x_python.csv"),
                          read_csv(folder + "conv_y_python.csv"));
}

TEST_CASE("Keras: GRU and LSTM") {
    if (absent()) return tarn_test::skip("no ../shared/models/rtneural");
    using Gru = Sequential<Linear<1, 8>, Tanh, GRU<8, 8>, Linear<8, 8>, Sigmoid, Linear<8, 1>>;
    Keras gru("gru.json");
    gru.dense(0).gru(1).dense(2).dense(3);
    check_vectors<Gru, 1>("gru", gru.values(), read_csv(folder + "gru_x_python.csv"),
                          read_csv(folder + "gru_y_python.csv"));
    using Lstm = Sequential<Linear<1, 8>, Tanh, LSTM<8, 8>, Linear<8, 1>>;
    Keras lstm("lstm.json");
    lstm.dense(0).lstm(1).dense(2);
    check_vectors<Lstm, 1>("lstm", lstm.values(), read_csv(folder + "lstm_x_python.csv"),
                           read_csv(folder + "lstm_y_python.csv"));
}

TEST_CASE("PyTorch: convolutions without padding") {
    if (absent()) return tarn_test::skip("no ../shared/models/rtneural");
    check_vectors<Conv1d<1, 12, Kernel<5>>, 1>("conv1d_torch", torch("conv1d_torch.json", {"weight", "bias"}),
                                               read_csv(folder + "conv1d_torch_x_python.csv"),
                                               turned(read_csv(folder + "conv1d_torch_y_python.csv"), 12, 996));
    const std::vector<float> x = read_csv(folder + "conv1d_torch_group_x_python.csv");
    check_vectors<Conv1d<6, 3, Kernel<3>, Groups<3>>, 6>(
        "conv1d_torch_group_3", torch("conv1d_torch_group_6_3_3_1_3.json", {"weight", "bias"}), x,
        turned(read_csv(folder + "conv1d_torch_group_y_python_6_3_3_1_3.csv"), 3, 498));
    check_vectors<Conv1d<6, 6, Kernel<1>, Groups<6>>, 6>(
        "conv1d_torch_group_6", torch("conv1d_torch_group_6_6_1_1_6.json", {"weight", "bias"}), x,
        turned(read_csv(folder + "conv1d_torch_group_y_python_6_6_1_1_6.csv"), 6, 500));
}

TEST_CASE("PyTorch: stacked LSTMs") {
    if (absent()) return tarn_test::skip("no ../shared/models/rtneural");
    using Net = Sequential<LSTM<1, 8>, LSTM<8, 8>, LSTM<8, 8>, LSTM<8, 8>, Linear<8, 1>>;
    check_vectors<Net, 1>(
        "lstm_torch",
        torch("lstm_torch.json",
              {"lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0", "lstm.bias_hh_l0", "lstm2.weight_ih_l0",
               "lstm2.weight_hh_l0", "lstm2.bias_ih_l0", "lstm2.bias_hh_l0", "lstm2.weight_ih_l1", "lstm2.weight_hh_l1",
               "lstm2.bias_ih_l1", "lstm2.bias_hh_l1", "lstm2.weight_ih_l2", "lstm2.weight_hh_l2", "lstm2.bias_ih_l2",
               "lstm2.bias_hh_l2", "dense.weight", "dense.bias"}),
        read_csv(folder + "lstm_torch_x_python.csv"), read_csv(folder + "lstm_torch_y_python.csv"));
}

TEST_CASE("PyTorch: a block of micro-TCN") {
    if (absent()) return tarn_test::skip("no ../shared/models/rtneural");
    using Net = Residual<Sequential<Conv1d<1, 32, Kernel<4>, Causal, Dilation<10>, NoBias>, BatchNorm1d<32>, PReLU<32>>,
                         Conv1d<1, 32, Kernel<1>, NoBias>>;
    List values = torch("microtcn/conv1.json", {"weight"});
    for (const std::vector<float>& norm :
         torch("microtcn/bn.json", {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"}))
        values.push_back(norm);
    std::vector<float> slopes = torch("microtcn/relu.json", {"weight"})[0];
    values.push_back(slopes);
    for (float& slope : slopes) slope = 1.F - slope;
    values.push_back(slopes);
    values.push_back(torch("microtcn/res.json", {"weight"})[0]);
    // The reference has no padding: it begins where the window is first full.
    check_vectors<Net, 1>("microtcn", values, read_csv(folder + "microtcn_x.csv"),
                          turned(read_csv(folder + "microtcn_y.csv"), 32, 970), 30);
}
