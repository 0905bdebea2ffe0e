// SPDX-License-Identifier: MIT
// PyTorch's word on the zoo, as tests/fixtures/zoo.py wrote it: the answers, and a line of facts for each network.
// Read by the tests of this folder.
// Knows files; no network.
#pragma once

#include "support/catch.hpp"
#include "support/hashed_weights.hpp"

#include <tarn/io/mapped_file.hpp>
#include <tarn/io/safetensors.hpp>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#ifndef TARN_SOURCE_DIR
#define TARN_SOURCE_DIR "."
#endif

namespace tarn_test {

/// PyTorch's answers in float64 for output number `output` of a network on hashed_input with HashedWeights of its gain:
/// those at sampled_positions of the output, channels last.
inline std::vector<double> zoo_expected(const std::string& network, int output = 0) {
    const auto file = tarn::MappedFile::open(TARN_SOURCE_DIR "/tests/fixtures/zoo.safetensors");
    if (!file) FAIL(file.error().text);
    const auto parsed = tarn::Safetensors::parse(file->bytes());
    if (!parsed) FAIL(parsed.error().text);
    const std::string name = network + "/" + std::to_string(output);
    const tarn::TensorView* const found = parsed->find(name);
    if (found == nullptr) FAIL("zoo.safetensors has no " << name);
    REQUIRE(found->dtype == tarn::Dtype::f64);
    std::vector<double> values(found->elems());
    REQUIRE(found->bytes.size() == sizeof(double) * values.size());
    std::memcpy(values.data(), found->bytes.data(), found->bytes.size());
    return values;
}

/// What PyTorch says of a network's state_dict and layers.
struct ZooFacts {
    std::size_t entries = 0; ///< of the state_dict
    std::size_t learned = 0; ///< elements of all weights and biases: running statistics not counted
    std::size_t macs = 0;
    std::uint64_t names = 0; ///< hash of the sorted lines "name [extents]\n"
};

inline ZooFacts zoo_facts(const std::string& network) {
    std::ifstream lines(TARN_SOURCE_DIR "/tests/fixtures/zoo_names.txt");
    std::string name;
    ZooFacts facts;
    while (lines >> std::dec >> name >> facts.entries >> facts.learned >> facts.macs >> std::hex >> facts.names)
        if (name == network) return facts;
    FAIL("zoo_names.txt has no " << network);
    return {};
}

/// The larger of the absolute and the relative difference to PyTorch's answers, at worst; infinite for a NaN.
template <class Found> double zoo_difference(const std::vector<double>& expected, const Found& found) {
    const std::vector<std::size_t> positions = sampled_positions(found.size());
    REQUIRE(positions.size() == expected.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const double difference = std::abs(static_cast<double>(found[positions[i]]) - expected[i]);
        const double measured = difference / std::max(1.0, std::abs(expected[i]));
        if (!(measured <= worst)) worst = std::isnan(measured) ? HUGE_VAL : measured;
    }
    return worst;
}

} // namespace tarn_test
