// SPDX-License-Identifier: MIT
// What forward leaves as it was: the caller's input and the weights, in pages that cannot be written, with nothing
// readable beside them; the bits of the result, a thousand times; the processor's floating-point mode.
// Knows the public face only.
#include "laws/networks.hpp"
#include "support/model_check.hpp"

#include <csignal>

#if defined(__unix__)
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

using namespace tarn;

namespace {

std::uint64_t checksum(std::span<const std::byte> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U; // FNV-1a
    for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3U;
    return hash;
}

#if defined(__unix__)

/// Bytes at the start or the end of whole pages, with a page on either side that nobody may touch.
class Pages {
  public:
    enum class Place { first, last };

    Pages(std::size_t bytes, Place place) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        inner_ = (bytes + page - 1) / page * page;
        whole_ = inner_ + 2 * page;
        void* const memory = mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(memory != MAP_FAILED);
        base_ = static_cast<std::byte*>(memory);
        pages_ = base_ + page;
        REQUIRE(mprotect(pages_, inner_, PROT_READ | PROT_WRITE) == 0);
        bytes_ = place == Place::first ? pages_ : pages_ + inner_ - bytes;
    }
    ~Pages() { munmap(base_, whole_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    std::byte* bytes() const { return bytes_; }
    void forbid_writing() { REQUIRE(mprotect(pages_, inner_, PROT_READ) == 0); }

  private:
    std::size_t inner_ = 0, whole_ = 0;
    std::byte *base_ = nullptr, *pages_ = nullptr, *bytes_ = nullptr;
};

/// Whether f ends its process by a memory fault.
template <class F> bool faults(F f) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL); // not the test framework's
        f();
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

#endif

} // namespace

#if defined(__unix__)

TEST_CASE("the pages bite") {
    Pages pages(64, Pages::Place::last);
    volatile auto* const bytes = reinterpret_cast<volatile char*>(pages.bytes());
    CHECK_FALSE(faults([&] { bytes[0] = 1; }));
    pages.forbid_writing();
    CHECK(faults([&] { bytes[0] = 1; }));
    CHECK_FALSE(faults([&] { static_cast<void>(bytes[0] + bytes[63]); }));
    CHECK(faults([&] { static_cast<void>(bytes[64] + 0); }));
    Pages first(64, Pages::Place::first);
    volatile auto* const low = reinterpret_cast<volatile char*>(first.bytes());
    CHECK(faults([&] { static_cast<void>(low[-1] + 0); }));
}

TEST_CASE("input and weights are never written, and nothing beside the input is read") {
    tarn_test::for_each_model([]<class M>() {
        const tarn_test::RandomParameters<typename M::Module> parameters(10);
        const std::vector<float> values = tarn_test::random_floats(M::Input::elems, 11);
        Pages weight_pages(sizeof(typename M::Weights), Pages::Place::first);
        auto* const weights = ::new (weight_pages.bytes()) typename M::Weights;
        M::pack(*weights, parameters.pointers());
        weight_pages.forbid_writing();
        typename M::Session session(*weights);
        INFO(M::Input::elems << " inputs, " << session.instruction_set());
        for (const Pages::Place place : {Pages::Place::first, Pages::Place::last}) {
            Pages input_pages(sizeof(float) * M::Input::elems, place);
            std::memcpy(input_pages.bytes(), values.data(), sizeof(float) * values.size());
            input_pages.forbid_writing();
            // A write, or a read beside the input, ends the program here.
            const auto* const input = reinterpret_cast<const float*>(input_pages.bytes());
            const auto result = session.forward(std::span<const float, M::Input::elems>{input, M::Input::elems});
            CHECK(std::isfinite(result[0]));
            CHECK(std::memcmp(input, values.data(), sizeof(float) * values.size()) == 0);
        }
    });
}

#endif

TEST_CASE("the same input a thousand times gives the same bits, and the weights do not drift") {
    tarn_test::for_each_model([]<class M>() {
        const tarn_test::RandomParameters<typename M::Module> parameters(12);
        const auto weights = tarn_test::packed<M>(parameters.pointers());
        const auto weight_bytes = std::as_bytes(std::span<const typename M::Weights, 1>{weights.get(), 1});
        const std::uint64_t before = checksum(weight_bytes);
        const std::vector<float> values = tarn_test::random_floats(M::Input::elems, 13);
        const std::span<const float, M::Input::elems> input{values.data(), M::Input::elems};
        typename M::Session session(*weights);
        typename M::InPlaceSession owning(*weights);
        INFO(M::Input::elems << " inputs, " << session.instruction_set());
        const auto once = session.forward(input);
        const std::uint64_t expected = checksum(std::as_bytes(once));
        int differing = 0;
        for (int i = 1; i < 1'000; ++i) {
            std::copy(values.begin(), values.end(), owning.input().begin());
            differing += checksum(std::as_bytes(session.forward(input))) != expected;
            differing += checksum(std::as_bytes(owning.forward_in_place())) != expected;
        }
        CHECK(differing == 0);
        CHECK(checksum(weight_bytes) == before);

        // The sums notice one bit.
        auto* const bit = reinterpret_cast<unsigned char*>(const_cast<float*>(once.data()));
        *bit ^= 1U;
        CHECK(checksum(std::as_bytes(once)) != expected);
    });
}

#if defined(__SSE__)

namespace {

constexpr unsigned flush_bits = 0x8040U; // flush to zero, denormals are zero

/// The caller's mode for as long as this lives.
class Mode {
  public:
    explicit Mode(unsigned mode) : saved_(_mm_getcsr()) { _mm_setcsr(mode); }
    ~Mode() { _mm_setcsr(saved_); }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

  private:
    unsigned saved_;
};

/// y = x, a thing that keeps subnormals when the processor does.
template <class Device> void subnormals_are_flushed() {
    using M = Model<Linear<3, 3>, Shape<3>, Device>;
    const std::vector<float> identity{1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1e-30F}, bias(3);
    const std::vector<const float*> parameters{identity.data(), bias.data()};
    const auto weights = tarn_test::packed<M>(parameters);
    const std::vector<float> values{1e-40F, -3e-39F, 1e-10F}; // two subnormals, and one made inside
    typename M::Session session(*weights);
    INFO(session.instruction_set());
    for (const float y : session.forward(std::span<const float, 3>{values.data(), 3})) CHECK(std::abs(y) == 0.F);
    const auto expected =
        reference_forward<typename M::Module, Shape<3>>(std::span<const float, 3>{values.data(), 3}, parameters);
    for (const double y : expected) CHECK(std::abs(y) > 0.0);
}

} // namespace

TEST_CASE("forward flushes subnormals inside") {
    subnormals_are_flushed<Cpu<cpu::Baseline>>();
    subnormals_are_flushed<Cpu<>>();
}

TEST_CASE("the caller's floating-point mode comes back, bit for bit") {
    tarn_test::for_each_model([]<class M>() {
        const tarn_test::RandomParameters<typename M::Module> parameters(14);
        const auto weights = tarn_test::packed<M>(parameters.pointers());
        const std::vector<float> values(M::Input::elems, 1e-41F); // silence after sound
        const std::span<const float, M::Input::elems> input{values.data(), M::Input::elems};
        typename M::Session session(*weights);
        typename M::InPlaceSession owning(*weights);
        std::copy(values.begin(), values.end(), owning.input().begin());
        // As programs start; rounding down; towards zero with flushing on; every sticky flag raised.
        for (const unsigned mode : {0x1F80U, 0x3F80U, 0x7F80U | flush_bits, 0x1FBFU}) {
            unsigned outside = 0, inside = 0;
            {
                const Mode callers(mode);
                session.forward(input);
                outside = _mm_getcsr();
                owning.forward_in_place();
                inside = _mm_getcsr();
            }
            CHECK(outside == mode);
            CHECK(inside == mode);
        }
        // A mode that was not kept would be seen.
        unsigned changed = 0;
        {
            const Mode callers(0x1F80U);
            _mm_setcsr(_mm_getcsr() | flush_bits);
            changed = _mm_getcsr();
        }
        CHECK(changed != 0x1F80U);
    });
}

#endif
