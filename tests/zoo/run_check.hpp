// SPDX-License-Identifier: MIT
// A network of the zoo, run: under every policy, its input outside and in the arena, the same bits; and PyTorch's
// answers. Arenas are poisoned and guarded.
// Shared by the run_* tests of this folder, one or two networks in each. Knows the public face only.
#pragma once

#include "support/model_check.hpp"
#include "zoo/cases.hpp"
#include "zoo/expected.hpp"

#include <type_traits>

namespace tarn_test {

/// The largest difference to PyTorch's answers for output Output, over the largest of those answers; a NaN's is
/// infinite.
template <class Case, class Session, int Output> double share_off(const std::vector<float>& all) {
    const std::vector<double> expected = zoo_expected(Case::name, Output);
    std::size_t begin = 0;
    [&]<int... I>(std::integer_sequence<int, I...>) { ((begin += Session::template output_size<I>), ...); }
    (std::make_integer_sequence<int, Output>{});
    const std::vector<std::size_t> positions = sampled_positions(Session::template output_size<Output>);
    REQUIRE(positions.size() == expected.size());
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const double off = std::abs(static_cast<double>(all[begin + positions[i]]) - expected[i]);
        largest = std::max(largest, std::abs(expected[i]));
        if (!(off <= worst)) worst = std::isnan(off) ? HUGE_VAL : off;
    }
    REQUIRE(largest > 0.0);
    return worst / largest;
}

/// On the best instruction set carried, which is the only one compiled. Weights are the same under every policy.
template <class Case> void check_run() {
    using namespace tarn;
    using Device = Cpu<cpu::Avx2>;
    using Small = Model<typename Case::Net, typename Case::Input, Device, Smallest>;
    if (!Cpu<>::takes_best()) return skip("this processor has no AVX2");
    INFO(Case::name);
    const auto weights = packed<Small>(HashedWeights<typename Case::Net>(Case::gain).pointers());
    const std::vector<float> input = hashed_input(Case::Input::extents);

    const std::vector<float> small = run_external<Small>(input, *weights);
    [&]<int... I>(std::integer_sequence<int, I...>) {
        for (const double off : {share_off<Case, typename Small::Session, I>(small)...}) CHECK(off <= 2e-4);
    }
    (std::make_integer_sequence<int, Small::output_count>{});
    CHECK(same_bits(run_in_place<Small>(input, *weights), small));

    const auto check_policy = [&]<class Policy>(Policy) {
        using M = Model<typename Case::Net, typename Case::Input, Device, Policy>;
        static_assert(std::is_same_v<typename M::Weights, typename Small::Weights>);
        CHECK(same_bits(run_external<M>(input, *weights), small));
    };
    check_policy(WholeTensors<Smallest>{});
    check_policy(Fastest{});
    check_policy(KeepAll{});
}

/// The same by Winograd's tiles, by rows and whole: PyTorch's answers, and the same bits.
template <class Case> void check_winograd() {
    using namespace tarn;
    using Device = Cpu<cpu::Avx2>;
    using Small = Model<typename Case::Net, typename Case::Input, Device, Winograd<Smallest>>;
    using Whole = Model<typename Case::Net, typename Case::Input, Device, Winograd<WholeTensors<Fastest>>>;
    if (!Cpu<>::takes_best()) return skip("this processor has no AVX2");
    INFO(Case::name);
    const auto weights = packed<Small>(HashedWeights<typename Case::Net>(Case::gain).pointers());
    const std::vector<float> input = hashed_input(Case::Input::extents);
    const std::vector<float> small = run_external<Small>(input, *weights);
    CHECK(share_off<Case, typename Small::Session, 0>(small) <= 2e-4);
    CHECK(same_bits(run_in_place<Small>(input, *weights), small));
    CHECK(same_bits(run_external<Whole>(input, *weights), small));
}

} // namespace tarn_test
