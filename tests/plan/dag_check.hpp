// SPDX-License-Identifier: MIT
// A drawn network, compiled: under every policy, with its inputs outside and in the arena, it gives the bits of
// KeepAll, and KeepAll what the reference gives. Arenas are poisoned and guarded. What the files that dag_sources
// prints consist of. Knows the public face only.
#pragma once

#include "support/model_check.hpp"

namespace tarn_test {

/// All results of a model whose input is pushed row by row, where its first layers can take it so.
template <class M> std::vector<float> run_by_rows(const std::vector<float>& input, const typename M::Weights& weights) {
    const auto session = std::make_unique<tarn::RowSession<M>>(weights);
    bool done = false;
    for (std::size_t at = 0; at < input.size(); at += session->row_size)
        done = session->push_row(
            std::span<const float, tarn::RowSession<M>::row_size>{input.data() + at, session->row_size});
    CHECK(done);
    return [&session]<int... I>(std::integer_sequence<int, I...>) {
        using Session = tarn::RowSession<M>;
        std::vector<float> all((std::size_t{0} + ... + Session::template output_size<I>)); // grown, g++ 12 warns
        auto to = all.begin();
        ((to = std::copy_n(session->template output<I>().begin(), Session::template output_size<I>, to)), ...);
        return all;
    }
    (std::make_integer_sequence<int, M::output_count>{});
}

/// On one instruction set, so that two hundred networks compile in reasonable time; others are tested elsewhere.
template <class Net, class In> void check_dag(unsigned seed) {
    using namespace tarn;
    using Set = Cpu<cpu::Baseline>;
    using Kept = Model<Net, In, Set, KeepAll>;
    INFO("seed " << seed);
    const RandomParameters<Net> parameters(seed);
    const std::vector<float> inputs = random_floats(input_begin<typename Kept::Session>(Kept::input_count), seed + 1);
    std::vector<const float*> pointers;
    for (int i = 0; i < Kept::input_count; ++i)
        pointers.push_back(inputs.data() + input_begin<typename Kept::Session>(i));
    const auto weights = packed<Kept>(parameters.pointers());
    const std::vector<float> kept = run_external<Kept>(inputs, *weights);

    const auto expected = reference_outputs<Net, In>(pointers, parameters.pointers());
    double largest = 1.0, worst = 0.0; // products of products grow: errors count against the largest result
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    REQUIRE(expected.size() == kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const double difference = std::abs(expected[i] - static_cast<double>(kept[i]));
        if (!std::isnan(worst) && !(difference <= worst)) worst = difference; // keeps a NaN
    }
    CHECK(worst <= 2e-5 * largest);

    const auto check = [&]<class Policy>(Policy) {
        using M = Model<Net, In, Set, Policy>;
        const auto own = packed<M>(parameters.pointers());
        CHECK(same_bits(run_external<M>(inputs, *own), kept));
        CHECK(same_bits(run_in_place<M>(inputs, *own), kept));
    };
    check(Smallest{});
    if constexpr (Kept::input_count == 1) {
        using M = Model<Net, In, Set>;
        using Rows = Planned<typename M::Facts, Set, Pushed<Smallest>, false>;
        if constexpr (Rows::plan_by_rows) {
            static_assert(validate<Rows>());
            const auto own = packed<M>(parameters.pointers());
            CHECK(same_bits(run_by_rows<M>(inputs, *own), kept));
        }
    }
    check(WholeTensors<Smallest>{});
    check(Fastest{});
}

} // namespace tarn_test
