// SPDX-License-Identifier: MIT
// Rival of cpu_bench: Eigen, compiled here with -O3 -march=haswell (cpu_rivals.cmake), the flags at which it is
// fastest. Matrix products without a bias, elementwise functions, sums, softmax, and GRU and LSTM steps written by
// hand. Knows the interface of rivals.hpp only.
#include "rivals.hpp"

#include <Eigen/Core>

namespace tarn_bench {
namespace {

using tarn::Activation;
using tarn::OpKind;
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Columns = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using Vector = Eigen::Matrix<float, Eigen::Dynamic, 1>;
using Values = Eigen::Array<float, Eigen::Dynamic, 1>;
constexpr const char* name = "Eigen";

void add_product(const Problem& p, std::vector<Contender>& to) {
    const int m = p.m(), n = p.n(), k = p.k();
    const float* const by_output = p.parameters[0];
    const auto by_input = transposed(by_output, n, k, p.pages);
    const auto out = std::make_shared<Buffer>(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), p.pages);
    const float* const x = p.input;
    const auto add_way = [&](const auto& once) {
        Contender made = contender(name, once, out);
        made.result = with_bias(made.result, p);
        to.push_back(std::move(made));
    };
    if (m == 1) {
        add_way([=] {
            Eigen::Map<Vector>(out->data(), n).noalias() =
                Eigen::Map<const Rows>(by_output, n, k) * Eigen::Map<const Vector>(x, k);
        });
        add_way([=] {
            Eigen::Map<Vector>(out->data(), n).noalias() =
                Eigen::Map<const Columns>(by_input->data(), n, k) * Eigen::Map<const Vector>(x, k);
        });
    } else {
        add_way([=] {
            Eigen::Map<Rows>(out->data(), m, n).noalias() =
                Eigen::Map<const Rows>(x, m, k) * Eigen::Map<const Rows>(by_input->data(), k, n);
        });
    }
}

void add_elementwise(const Problem& p, std::vector<Contender>& to) {
    const auto elems = static_cast<Eigen::Index>(p.op.in.elems());
    const auto out = std::make_shared<Buffer>(p.op.in.elems(), p.pages);
    const float* const from = p.input;
    const auto add_function = [&](const auto& function) {
        to.push_back(contender(
            name,
            [=] {
                const Eigen::Map<const Values> x(from, elems);
                Eigen::Map<Values>(out->data(), elems) = function(x);
            },
            out));
        const auto values = copied_input(p);
        to.push_back(contender_in_place(
            name,
            [=] {
                Eigen::Map<Values> x(values->data(), elems);
                x = function(x);
            },
            values));
    };
    if (p.op.act == Activation::relu) add_function([](const auto& x) { return x.max(0.F); });
    if (p.op.act == Activation::tanh) add_function([](const auto& x) { return x.tanh(); });
    if (p.op.act == Activation::sigmoid) add_function([](const auto& x) { return x.logistic(); });
    if (p.op.act == Activation::elu) add_function([](const auto& x) { return x.max(0.F) + (x.min(0.F).exp() - 1.F); });
}

void add_sum(const Problem& p, std::vector<Contender>& to) {
    const auto elems = static_cast<Eigen::Index>(p.op.in.elems());
    const auto out = std::make_shared<Buffer>(p.op.in.elems(), p.pages), values = copied_input(p);
    const auto sum = [elems, other = p.other](const float* x, float* y) {
        const Eigen::Map<const Values> a(x, elems), b(other, elems);
        Eigen::Map<Values>(y, elems) = a + b;
    };
    to.push_back(contender(
        name, [=, x = p.input] { sum(x, out->data()); }, out));
    to.push_back(contender_in_place(
        name, [=] { sum(values->data(), values->data()); }, values));
}

void add_softmax(const Problem& p, std::vector<Contender>& to) {
    const int features = p.n(), count = p.m();
    const auto softmax = [=](const float* x, float* to_row) {
        for (std::ptrdiff_t row = 0; row < count; ++row) {
            const Eigen::Map<const Values> from(x + row * features, features);
            Eigen::Map<Values> y(to_row + row * features, features);
            y = (from - from.maxCoeff()).exp();
            y *= 1.F / y.sum();
        }
    };
    const auto out = std::make_shared<Buffer>(p.op.out.elems(), p.pages), values = copied_input(p);
    to.push_back(contender(
        name, [=, x = p.input] { softmax(x, out->data()); }, out));
    to.push_back(contender_in_place(
        name, [=] { softmax(values->data(), values->data()); }, values));
}

void add(const Problem& p, std::vector<Contender>& to) {
    if (p.op.kind == OpKind::linear) add_product(p, to);
    if (p.op.kind == OpKind::activation) add_elementwise(p, to);
    if (p.op.kind == OpKind::softmax) add_softmax(p, to);
    if (p.op.kind == OpKind::add) add_sum(p, to);
}

[[maybe_unused]] const bool added = add_rival({name, add});

} // namespace
} // namespace tarn_bench
