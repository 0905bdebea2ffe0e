// SPDX-License-Identifier: MIT
// Runs a network every way tarn can and compares each with the reference in double: every instruction set, input
// outside and in place, smallest arena and KeepAll; arena poisoned and guarded, input untouched, bits repeatable.
// Used by tests of layers and networks. Knows the public face only.
#pragma once

#include <tarn/tarn.hpp>

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
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

/// Bytes for an arena between two guards, all poisoned: floats read before they are written are NaN.
template <std::size_t Bytes> class GuardedArena {
  public:
    GuardedArena() : memory_(new (std::align_val_t{64}) std::byte[guard + Bytes + guard]) { poison(); }
    ~GuardedArena() { ::operator delete[](memory_, std::align_val_t{64}); }
    GuardedArena(const GuardedArena&) = delete;
    GuardedArena& operator=(const GuardedArena&) = delete;

    void poison() { std::memset(memory_, 0xFF, guard + Bytes + guard); }
    std::span<std::byte, Bytes> bytes() { return std::span<std::byte, Bytes>{memory_ + guard, Bytes}; }
    bool intact() const {
        const auto untouched = [](std::byte b) { return b == std::byte{0xFF}; };
        return std::all_of(memory_, memory_ + guard, untouched) &&
               std::all_of(memory_ + guard + Bytes, memory_ + 2 * guard + Bytes, untouched);
    }

  private:
    static constexpr std::size_t guard = 256;
    std::byte* memory_;
};

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

template <class M> std::unique_ptr<typename M::Weights> packed(std::span<const float* const> parameters) {
    auto weights = std::make_unique<typename M::Weights>();
    M::pack(*weights, parameters);
    return weights;
}

/// One model type: external and in place. Returns the outputs' bits for comparison between policies.
template <class M, class Expected>
std::vector<float> check_one(std::span<const float> input, std::span<const float* const> parameters,
                             const Expected& expected, double tolerance) {
    static_assert(tarn::validate(M::template PlanOf<false>::problem, M::template PlanOf<false>::plan));
    static_assert(tarn::validate(M::template PlanOf<true>::problem, M::template PlanOf<true>::plan));
    const auto weights = packed<M>(parameters);
    const std::vector<float> kept(input.begin(), input.end());
    std::span<const float, M::Input::elems> x{kept.data(), M::Input::elems};

    GuardedArena<M::arena_bytes> arena;
    typename M::BorrowedSession session(*weights, arena.bytes());
    const auto first = session.forward(x);
    INFO("instruction set: " << session.instruction_set());
    const std::vector<float> outside(first.begin(), first.end());
    CHECK(worst_difference(expected, outside) <= tolerance);
    CHECK(arena.intact());
    CHECK(std::equal(kept.begin(), kept.end(), input.begin()));
    arena.poison();
    const float* second = nullptr;
    CHECK(calls_to_memory_of([&] { second = session.forward(x).data(); }) == 0);
    CHECK(std::memcmp(second, outside.data(), sizeof(float) * outside.size()) == 0);

    GuardedArena<M::arena_bytes_in_place> owned;
    typename M::BorrowedInPlaceSession in_place(*weights, owned.bytes());
    std::copy(kept.begin(), kept.end(), in_place.input().begin());
    const float* third = nullptr;
    CHECK(calls_to_memory_of([&] { third = in_place.forward_in_place().data(); }) == 0);
    CHECK(std::memcmp(third, outside.data(), sizeof(float) * outside.size()) == 0);
    CHECK(owned.intact());
    return outside;
}

/// A network every way. Tolerance: of the difference from the reference over max(1, |reference|).
template <class Net, class In> void check_network(unsigned seed, double tolerance = 1e-5) {
    using namespace tarn;
    const RandomParameters<Net> parameters(seed);
    const std::vector<float> input = random_floats(In::elems, seed + 1);
    const auto expected =
        reference_forward<Net, In>(std::span<const float, In::elems>{input.data(), In::elems}, parameters.pointers());
    const auto best = check_one<Model<Net, In>>(input, parameters.pointers(), expected, tolerance);
    const auto kept = check_one<Model<Net, In, Cpu<>, KeepAll>>(input, parameters.pointers(), expected, tolerance);
    check_one<Model<Net, In, Cpu<cpu::Baseline>>>(input, parameters.pointers(), expected, tolerance);
    CHECK(std::memcmp(best.data(), kept.data(), sizeof(float) * best.size()) == 0);
}

} // namespace tarn_test
