// SPDX-License-Identifier: MIT
// What tests of whole networks are fed with, the same each time, and how far their answers are from what was expected.
// For tests with Catch2 and for programs without. Knows the public face only.
#pragma once

#include <tarn/tarn.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tarn_test {

/// Random parameters of a network, in the order Model::pack takes them; variances are positive.
template <class Net> class RandomParameters {
  public:
    explicit RandomParameters(unsigned seed) {
        std::mt19937 random(seed);
        for (const tarn::NamedParameter& parameter : tarn::parameter_names<Net>()) {
            const bool variance = parameter.name.ends_with("running_var");
            const std::size_t fan_in = parameter.shape.elems() / static_cast<std::size_t>(parameter.shape[0]);
            const float scale = 1.F / std::sqrt(static_cast<float>(std::max<std::size_t>(fan_in, 1)));
            std::uniform_real_distribution<float> values(variance ? 0.2F : -scale, variance ? 2.F : scale);
            std::vector<float>& made = values_.emplace_back(parameter.shape.elems());
            for (float& value : made) value = values(random);
        }
        for (const std::vector<float>& made : values_) pointers_.push_back(made.data());
    }
    std::span<const float* const> pointers() const { return pointers_; }

  private:
    std::vector<std::vector<float>> values_;
    std::vector<const float*> pointers_;
};

inline std::vector<float> random_floats(std::size_t count, unsigned seed, float low = -1.F, float high = 1.F) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> values(low, high);
    std::vector<float> made(count);
    for (float& value : made) value = values(random);
    return made;
}

/// The largest difference over max(1, |expected|).
template <class Expected, class Found> double worst_difference(const Expected& expected, const Found& found) {
    double worst = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double want = static_cast<double>(expected[i]);
        const double difference = std::abs(want - static_cast<double>(found[i])) / std::max(1.0, std::abs(want));
        if (!(difference <= worst)) worst = difference; // keeps a NaN
        if (std::isnan(difference)) return difference;
    }
    return worst;
}

} // namespace tarn_test
