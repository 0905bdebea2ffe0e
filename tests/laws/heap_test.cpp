// SPDX-License-Identifier: MIT
// Law 1 by interposer: no call to the heap or to the system's memory while forward runs, on any network, set or form;
// nor on an audio thread that changes block size, swaps models and drops sessions. The guard is shown to see each call.
// Knows the public face only.
#include "laws/networks.hpp"
#include "support/allocation_guard.hpp"
#include "support/model_check.hpp"

#include <cstdlib>
#include <optional>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

using namespace tarn;
using tarn_test::AllocationGuard;
using tarn_test::calls_to_memory_of;

namespace {

/// Makes the optimizer believe that memory is used.
void keep(const void* memory) noexcept { __asm__ volatile("" : : "g"(memory) : "memory"); }

template <class M> std::span<const float, M::Input::elems> as_input(const std::vector<float>& values) {
    return std::span<const float, M::Input::elems>{values.data(), M::Input::elems};
}

/// A forward as other libraries do it: one allocation for an output.
template <class M>
float forward_with_a_vector(typename M::Session& session, std::span<const float, M::Input::elems> input) {
    const auto scores = session.forward(input);
    const std::vector<float> copy(scores.begin(), scores.end());
    keep(copy.data());
    return copy[0];
}

} // namespace

TEST_CASE("the guard sees every way to memory, and nothing outside itself") {
    if (!AllocationGuard::works()) return tarn_test::skip("malloc is not this program's to replace");
    struct alignas(128) Wide {
        float values[32];
    };
    CHECK(calls_to_memory_of([] {}) == 0);
    CHECK(calls_to_memory_of([] {
              void* memory = std::malloc(8);
              keep(memory);
              memory = std::realloc(memory, 80);
              keep(memory);
              std::free(memory);
          }) == 3);
    CHECK(calls_to_memory_of([] {
              void* const memory = std::calloc(8, 8);
              keep(memory);
              std::free(memory);
          }) == 2);
    CHECK(calls_to_memory_of([] {
              void* const memory = std::aligned_alloc(64, 64);
              keep(memory);
              std::free(memory);
          }) == 2);
    CHECK(calls_to_memory_of([] {
              void* memory = nullptr;
              if (posix_memalign(&memory, 64, 64) == 0) keep(memory);
              std::free(memory);
          }) == 2);
    CHECK(calls_to_memory_of([] {
              const int* const memory = new int(7);
              keep(memory);
              delete memory;
          }) == 2);
    CHECK(calls_to_memory_of([] {
              const auto* const memory = new std::string[3];
              keep(memory);
              delete[] memory;
          }) == 2);
    CHECK(calls_to_memory_of([] {
              const auto* const memory = new Wide[2];
              keep(memory);
              delete[] memory;
          }) == 2);
    CHECK(calls_to_memory_of([] {
              void* const memory = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              keep(memory);
              munmap(memory, 4096);
          }) == 2);
    CHECK(calls_to_memory_of([] { keep(sbrk(0)); }) == 1);
}

TEST_CASE("a forward that allocates is caught") {
    if (!AllocationGuard::works()) return tarn_test::skip("malloc is not this program's to replace");
    using M = Model<tarn_test::Digits::Net, tarn_test::Digits::In>;
    const tarn_test::RandomParameters<M::Module> parameters(1);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    const std::vector<float> input = tarn_test::random_floats(M::Input::elems, 2);
    M::Session session(*weights);
    CHECK(calls_to_memory_of([&] { forward_with_a_vector<M>(session, as_input<M>(input)); }) == 2);
}

TEST_CASE("forward makes no call: every network, both sets, input outside and inside") {
    if (!AllocationGuard::works()) return tarn_test::skip("malloc is not this program's to replace");
    tarn_test::for_each_model([]<class M>() {
        const tarn_test::RandomParameters<typename M::Module> parameters(3);
        const auto weights = tarn_test::packed<M>(parameters.pointers());
        const std::vector<float> input = tarn_test::random_floats(M::Input::elems, 4);

        typename M::Session session(*weights);
        INFO(M::Input::elems << " inputs, " << session.instruction_set());
        const float* result = nullptr;
        const int outside = calls_to_memory_of([&] {
            result = session.forward(as_input<M>(input)).data();
            result = session.forward(as_input<M>(input)).data();
        });
        keep(result);
        CHECK(outside == 0);

        typename M::InPlaceSession owning(*weights);
        const int inside = calls_to_memory_of([&] {
            for (int i = 0; i < 2; ++i) {
                std::copy(input.begin(), input.end(), owning.input().begin());
                result = owning.forward_in_place().data();
            }
        });
        keep(result);
        CHECK(inside == 0);

        const int made_and_dropped = calls_to_memory_of([&] {
            typename M::Session another(*weights);
            result = another.forward(as_input<M>(input)).data();
        });
        CHECK(made_and_dropped == 0);
    });
}

TEST_CASE("10,000 forwards on an audio thread: blocks change size, a model is swapped, a session is dropped") {
    if (!AllocationGuard::works()) return tarn_test::skip("malloc is not this program's to replace");
    using Small = Model<tarn_test::EveryActivation<4>::Net, tarn_test::EveryActivation<4>::In>;
    using Large = Model<tarn_test::EveryActivation<16>::Net, tarn_test::EveryActivation<16>::In>;
    using Other = Model<tarn_test::InvertedResidual::Net, tarn_test::InvertedResidual::In>;
    const tarn_test::RandomParameters<Small::Module> parameters(5);
    const tarn_test::RandomParameters<Other::Module> other_parameters(6);
    const auto small_weights = tarn_test::packed<Small>(parameters.pointers());
    const auto large_weights = tarn_test::packed<Large>(parameters.pointers());
    const auto other_weights = tarn_test::packed<Other>(other_parameters.pointers());
    const std::vector<float> sound = tarn_test::random_floats(Large::Input::elems + Other::Input::elems, 7);

    std::optional<Small::Session> small(std::in_place, *small_weights);
    std::optional<Large::Session> large(std::in_place, *large_weights);
    std::optional<Other::Session> other;
    int calls = -1, forwards = 0;
    bool same = true;
    std::thread audio([&] {
        float first_small = small->forward(as_input<Small>(sound))[0]; // warm-up
        const AllocationGuard guard;
        for (int i = 0; i < 10'000; ++i, ++forwards) {
            if (i == 6'000) {
                small.reset();
                large.reset();
                other.emplace(*other_weights);
            }
            if (other)
                keep(other->forward(as_input<Other>(sound)).data());
            else if (i % 3 == 0)
                keep(large->forward(as_input<Large>(sound)).data());
            else
                same = small->forward(as_input<Small>(sound))[0] == first_small && same;
        }
        other.reset();
        calls = guard.calls();
    });
    audio.join();
    CHECK(calls == 0);
    CHECK(forwards == 10'000);
    CHECK(same);
}
