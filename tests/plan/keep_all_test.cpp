// SPDX-License-Identifier: MIT
// KeepAll: after a forward every step's output still lies in the arena, at a place of its own, and is right.
// For users who compare a network layer by layer with a framework.
// Knows the public face, and the reference kernels.
#include "support/model_check.hpp"

#include <tarn/plan/validate.hpp>

#include "plan/nets.hpp"

using namespace tarn;
namespace nets = tarn_test::nets;

namespace {

/// Every tensor of the unfused network in double; value 0 is the input.
template <class Net, class In>
std::vector<std::vector<double>> all_tensors(std::span<const float> input, std::span<const float* const> parameters) {
    constexpr auto& graph = Network<Net, In>::graph;
    std::vector<std::vector<double>> tensors{{input.begin(), input.end()}};
    for (int n = 0; n < graph.count; ++n) {
        const Node& node = graph.nodes[n];
        const bool norm = node.op.kind == OpKind::batch_norm;
        reference::LayerWeights w;
        const auto parameter = [&](int i) { return parameters[static_cast<std::size_t>(node.first_parameter + i)]; };
        if (norm || node.op.kind == OpKind::linear || node.op.kind == OpKind::conv2d) {
            w.weight = parameter(0);
            if (norm || node.op.bias) w.bias = parameter(1);
            if (norm) w.running_mean = parameter(2), w.running_var = parameter(3);
        }
        std::vector<double> made(node.op.out.elems());
        const double* other = node.other < 0 ? nullptr : tensors[static_cast<std::size_t>(node.other)].data();
        reference::layer(node.op, tensors[static_cast<std::size_t>(node.input)].data(), other, made.data(), w);
        tensors.push_back(std::move(made));
    }
    return tensors;
}

template <class Case> void check_every_step(unsigned seed) {
    using Net = typename Case::Net;
    using In = typename Case::Input;
    using M = Model<Net, In, Cpu<>, KeepAll>;
    using P = typename M::template PlanOf<false>;
    constexpr auto& steps = P::steps;
    constexpr auto& plan = P::plan;
    static_assert(validate<P>());

    // No two steps share an element.
    for (int a = steps.input_count; a < steps.storage_count; ++a)
        for (int b = a + 1; b < steps.storage_count; ++b)
            CHECK((plan.storage[a] + steps.storage[a] <= plan.storage[b] ||
                   plan.storage[b] + steps.storage[b] <= plan.storage[a]));

    const tarn_test::RandomParameters<Net> parameters(seed);
    const auto input = tarn_test::random_floats(In::elems, seed + 1);
    const auto expected = all_tensors<Net, In>(input, parameters.pointers());
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    tarn_test::GuardedArena<M::arena_bytes> arena;
    typename M::BorrowedSession session(*weights, arena.bytes());
    session.forward(std::span<const float, In::elems>{input.data(), In::elems});
    const auto check = [&]<int... I>(std::integer_sequence<int, I...>) {
        const auto one = [&](int step, auto output) {
            INFO("step " << step << " of " << steps.count);
            const auto& reference = expected[static_cast<std::size_t>(steps.steps[step].last_node) + 1];
            REQUIRE(reference.size() == output.size());
            CHECK(tarn_test::worst_difference(reference, output) <= 1e-5);
        };
        (one(I, session.template step_output<I>()), ...);
    };
    check(std::make_integer_sequence<int, steps.count>{});
    CHECK(arena.intact());
}

} // namespace

TEST_CASE("KeepAll keeps what every step made") {
    check_every_step<nets::Digits>(1);
    check_every_step<nets::Skip>(2);
    check_every_step<nets::Projection>(3);
    check_every_step<nets::InvertedResiduals>(4);
    check_every_step<nets::Perceptron>(5);
    check_every_step<nets::Nested>(6);
}

TEST_CASE("without KeepAll, two steps may well lie at one address") {
    using M = Model<nets::Perceptron::Net, nets::Perceptron::Input>;
    using Kept = Model<nets::Perceptron::Net, nets::Perceptron::Input, Cpu<>, KeepAll>;
    STATIC_REQUIRE(M::arena_bytes < Kept::arena_bytes);
    STATIC_REQUIRE(Kept::arena_bytes >= Kept::bounds.sum * sizeof(float));
}
