// SPDX-License-Identifier: MIT
// Runs a network every way tarn can and compares each with the reference in double: every instruction set, inputs
// outside and in place, every policy; arena poisoned and guarded, inputs untouched, all results bit for bit the same.
// Used by tests of layers and networks. Knows the public face only.
#pragma once

#include <tarn/tarn.hpp>

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/random_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tarn_test {

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

template <class M> std::unique_ptr<typename M::Weights> packed(std::span<const float* const> parameters) {
    auto weights = std::make_unique<typename M::Weights>();
    M::pack(*weights, parameters);
    return weights;
}

template <class Session> inline constexpr auto inputs_of = std::make_integer_sequence<int, Session::input_count>{};

/// Inputs lie one after another; so do outputs.
template <class Session> constexpr std::size_t input_begin(int input) {
    return [input]<int... I>(std::integer_sequence<int, I...>) {
        return (std::size_t{0} + ... + (I < input ? Session::template input_size<I> : 0));
    }
    (inputs_of<Session>);
}
template <class Session> void run_outside(Session& session, std::span<const float> inputs) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
        session.forward(std::span<const float, Session::template input_size<I>>{inputs.data() + input_begin<Session>(I),
                                                                                Session::template input_size<I>}...);
    }
    (inputs_of<Session>);
}
template <class Session> void fill(Session& session, std::span<const float> inputs) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (std::copy_n(inputs.data() + input_begin<Session>(I), Session::template input_size<I>,
                     session.template input<I>().begin()),
         ...);
    }
    (inputs_of<Session>);
}
template <class Session> std::vector<float> results_of(const Session& session) {
    return [&session]<int... I>(std::integer_sequence<int, I...>) {
        std::vector<float> all((std::size_t{0} + ... + Session::template output_size<I>)); // grown, g++ 12 warns
        auto to = all.begin();
        ((to = std::copy_n(session.template output<I>().begin(), Session::template output_size<I>, to)), ...);
        return all;
    }
    (std::make_integer_sequence<int, Session::output_count>{});
}
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(float) * a.size()) == 0;
}

/// One model with its inputs in the caller's memory. Returns all results.
template <class M> std::vector<float> run_external(std::span<const float> inputs, const typename M::Weights& weights) {
    static_assert(tarn::validate<typename M::template PlanOf<false>>());
    const std::vector<float> kept(inputs.begin(), inputs.end());
    GuardedArena<M::arena_bytes> arena;
    typename M::BorrowedSession session(weights, arena.bytes());
    INFO("instruction set: " << session.instruction_set());
    run_outside(session, kept);
    const std::vector<float> first = results_of(session);
    CHECK(arena.intact());
    CHECK(std::equal(kept.begin(), kept.end(), inputs.begin()));
    arena.poison();
    CHECK(calls_to_memory_of([&] { run_outside(session, kept); }) == 0);
    CHECK(same_bits(results_of(session), first));
    CHECK(arena.intact());
    return first;
}
/// The same with its inputs in the arena.
template <class M> std::vector<float> run_in_place(std::span<const float> inputs, const typename M::Weights& weights) {
    static_assert(tarn::validate<typename M::template PlanOf<true>>());
    GuardedArena<M::arena_bytes_in_place> arena;
    typename M::BorrowedInPlaceSession session(weights, arena.bytes());
    fill(session, inputs);
    CHECK(calls_to_memory_of([&] { session.forward_in_place(); }) == 0);
    CHECK(arena.intact());
    return results_of(session);
}

/// One model type: external and in place. Returns the outputs' bits for comparison between policies.
template <class M, class Expected>
std::vector<float> check_one(std::span<const float> inputs, std::span<const float* const> parameters,
                             const Expected& expected, double tolerance) {
    const auto weights = packed<M>(parameters);
    const std::vector<float> outside = run_external<M>(inputs, *weights);
    CHECK(worst_difference(expected, outside) <= tolerance);
    CHECK(same_bits(run_in_place<M>(inputs, *weights), outside));
    return outside;
}

/// A network every way. Policies beside Smallest run on one instruction set each, to be compiled in reasonable time.
/// Tolerance: of the difference from the reference over max(1, |reference|).
template <class Net, class In> void check_network(unsigned seed, double tolerance = 1e-5) {
    using namespace tarn;
    using Best = Model<Net, In>;
    using Kept = Model<Net, In, Cpu<>, KeepAll>;
    using Baseline = Model<Net, In, Cpu<cpu::Baseline>>;
    using Whole = Model<Net, In, Cpu<cpu::Baseline>, WholeTensors<Smallest>>;
    using Fast = Model<Net, In, Cpu<cpu::Baseline>, Fastest>;
    const RandomParameters<Net> parameters(seed);
    const std::vector<float> inputs = random_floats(input_begin<typename Best::Session>(Best::input_count), seed + 1);
    std::vector<const float*> pointers;
    for (int i = 0; i < Best::input_count; ++i)
        pointers.push_back(inputs.data() + input_begin<typename Best::Session>(i));
    const auto expected = reference_outputs<Net, In>(pointers, parameters.pointers());

    const auto best = check_one<Best>(inputs, parameters.pointers(), expected, tolerance);
    const auto kept = packed<Kept>(parameters.pointers());
    CHECK(same_bits(run_external<Kept>(inputs, *kept), best));

    const auto plain = check_one<Baseline>(inputs, parameters.pointers(), expected, tolerance);
    const auto whole = packed<Whole>(parameters.pointers());
    const auto fast = packed<Fast>(parameters.pointers());
    CHECK(same_bits(run_external<Whole>(inputs, *whole), plain));
    CHECK(same_bits(run_in_place<Whole>(inputs, *whole), plain));
    CHECK(same_bits(run_external<Fast>(inputs, *fast), plain));
}

} // namespace tarn_test
