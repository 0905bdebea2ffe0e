// SPDX-License-Identifier: MIT
// What a network answers to an input, with weights written in the test.
// Used by the tests of cases; both kinds of session must give the same bits.
// Knows the public face only.
#pragma once

#include "support/model_check.hpp"

namespace tarn_test {

/// Parameters in the order of parameter_names, each as a framework stores it.
using Parameters = std::vector<std::vector<float>>;

inline std::vector<const float*> pointers_to(const Parameters& parameters) {
    std::vector<const float*> pointers;
    for (const std::vector<float>& parameter : parameters) pointers.push_back(parameter.data());
    return pointers;
}

/// The values 1, 2, 3, ...
inline std::vector<float> counted(std::size_t count, float first = 1.F) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i);
    return values;
}

template <class Net, class In>
std::vector<float> answer(const std::vector<float>& input, const Parameters& parameters = {}) {
    using M = tarn::Model<Net, In>;
    REQUIRE(input.size() == In::elems);
    const auto weights = packed<M>(pointers_to(parameters));
    const std::vector<float> before = input;

    const auto session = std::make_unique<typename M::Session>(*weights);
    const auto given = session->forward(std::span<const float, In::elems>{input.data(), In::elems});
    const std::vector<float> result(given.begin(), given.end());
    CHECK(input == before);

    const auto in_place = std::make_unique<typename M::InPlaceSession>(*weights);
    std::copy(input.begin(), input.end(), in_place->input().begin());
    const auto owned = in_place->forward_in_place();
    CHECK(std::memcmp(owned.data(), result.data(), sizeof(float) * result.size()) == 0);
    return result;
}

} // namespace tarn_test
