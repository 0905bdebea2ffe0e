// SPDX-License-Identifier: MIT
// Rival of cpu_bench: GRU and LSTM steps written by hand with Eigen's fixed-size matrices, all gates in one product, as
// RTNeural's Eigen backend does; a linear layer to one output behind them.
// Knows the interface of rivals.hpp only. Compiled with -O3 -march=haswell (cpu_rivals.cmake).
#include "rivals.hpp"

#include <Eigen/Core>

namespace tarn_bench {
namespace {

using tarn::OpKind;
constexpr const char* name = "Eigen";
constexpr int compared = 64;

template <int Gates, int H> struct Cell {
    using Sums = Eigen::Matrix<float, Gates * H, 1>;
    using State = Eigen::Matrix<float, H, 1>;
    Sums input, input_bias, hidden_bias;
    Eigen::Matrix<float, Gates * H, H> hidden;
    State dense;
    float dense_bias;
    State h = State::Zero(), c = State::Zero();

    explicit Cell(const std::vector<const float*>& p)
        : input(Eigen::Map<const Sums>(p[0])), input_bias(Eigen::Map<const Sums>(p[2])),
          hidden_bias(Eigen::Map<const Sums>(p[3])),
          hidden(Eigen::Map<const Eigen::Matrix<float, Gates * H, H, Eigen::RowMajor>>(p[1])),
          dense(Eigen::Map<const State>(p[4])), dense_bias(p[5][0]) {}

    float step(float x) {
        const Sums of_input = input * x + input_bias;
        Sums of_state = hidden_bias;
        of_state.noalias() += hidden * h;
        if constexpr (Gates == 3) {
            const Eigen::Array<float, 2 * H, 1> open =
                (of_input.template head<2 * H>() + of_state.template head<2 * H>()).array().logistic();
            const Eigen::Array<float, H, 1> fresh =
                (of_input.template tail<H>().array() + open.template head<H>() * of_state.template tail<H>().array())
                    .tanh();
            h = (fresh + open.template tail<H>() * (h.array() - fresh)).matrix();
        } else {
            of_state += of_input;
            const Eigen::Array<float, 2 * H, 1> open = of_state.template head<2 * H>().array().logistic();
            const Eigen::Array<float, H, 1> fresh = of_state.template segment<H>(2 * H).array().tanh();
            const Eigen::Array<float, H, 1> shown = of_state.template tail<H>().array().logistic();
            c = (open.template tail<H>() * c.array() + open.template head<H>() * fresh).matrix();
            h = (shown * c.array().tanh()).matrix();
        }
        return dense.dot(h) + dense_bias;
    }
};

template <int Gates, int H> void add_cell(const Problem& p, std::vector<Contender>& to) {
    using TheCell = Cell<Gates, H>;
    const auto cell = std::make_shared<TheCell>(p.parameters);
    const auto sum = std::make_shared<float>(0.F);
    const float* const x = p.input;
    const auto samples = static_cast<int>(p.op.in.rows());
    to.push_back({name,
                  [=](int times) {
                      float all = 0;
                      for (int i = 0; i < times; ++i) all += cell->step(x[i % samples]);
                      *sum += all;
                  },
                  [=](float* out) {
                      cell->h.setZero();
                      cell->c.setZero();
                      for (int i = 0; i < compared; ++i) out[i] = cell->step(x[i]);
                  }});
}
template <int Gates> void add_width(const Problem& p, std::vector<Contender>& to) {
    if (p.n() == 8) add_cell<Gates, 8>(p, to);
    if (p.n() == 16) add_cell<Gates, 16>(p, to);
    if (p.n() == 32) add_cell<Gates, 32>(p, to);
}

void add(const Problem& p, std::vector<Contender>& to) {
    if (p.op.kind == OpKind::gru) add_width<3>(p, to);
    if (p.op.kind == OpKind::lstm) add_width<4>(p, to);
}

[[maybe_unused]] const bool added = add_rival({name, add});

} // namespace
} // namespace tarn_bench
