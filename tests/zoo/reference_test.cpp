// SPDX-License-Identifier: MIT
// The zoo's small networks through the reference kernels in double, against PyTorch in double: that the types, the
// hashed weights and the stored answers belong together, before any plan is asked.
// Tests include/tarn/zoo with run/reference_forward.
#include "support/catch.hpp"
#include "zoo/cases.hpp"
#include "zoo/expected.hpp"

#include <tarn/run/reference_forward.hpp>

#include <vector>

using namespace tarn;
using namespace tarn_test;

namespace {

template <class Case> void check_reference() {
    using In = typename Case::Input;
    INFO(Case::name);
    const HashedWeights<typename Case::Net> weights(Case::gain);
    const std::vector<float> x = hashed_input(In::extents);
    const auto y = reference_forward<typename Case::Net, In>(std::span<const float, In::elems>{x.data(), In::elems},
                                                             weights.pointers());
    CHECK(zoo_difference(zoo_expected(Case::name), y) < 1e-9);
}

} // namespace

TEST_CASE("zoo: small networks agree with PyTorch", "[zoo]") {
    check_reference<zoo_cases::ResNet8>();
    check_reference<zoo_cases::DSCNN>();
    check_reference<zoo_cases::UNetSmall>();
    check_reference<zoo_cases::TCN>();
}
