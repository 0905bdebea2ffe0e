// SPDX-License-Identifier: MIT
// Law 1 by the kernel of the system: forward runs in a child process under strict seccomp, where any call but read,
// write and exit is death, and gives the bits that the parent gets. A child that breaks the rule is shown to die.
// Knows the public face only.
#include "laws/networks.hpp"
#include "support/model_check.hpp"

#include <csignal>

#if defined(__linux__)
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace tarn;

#if defined(__linux__)

namespace {

constexpr int forbidden = 3; // the child's exit status when strict mode itself is not to be had

/// How a child ended, and what it wrote.
struct Outcome {
    int status = 0;
    std::vector<float> written;

    bool finished() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
    bool killed() const { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }
    bool no_seccomp() const { return WIFEXITED(status) && WEXITSTATUS(status) == forbidden; }
};

/// Runs f in a child under strict seccomp. f returns a span of `most` floats or fewer, which the child sends back.
template <class F> Outcome in_strict_child(std::size_t most, F f) {
    Outcome outcome;
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        close(ends[0]);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(forbidden);
        const std::span<const float> result = f();
        const auto bytes = static_cast<ssize_t>(result.size_bytes());
        const long status = write(ends[1], result.data(), result.size_bytes()) == bytes ? 0 : 1;
        for (;;) syscall(SYS_exit, status); // glibc's own exit calls exit_group, which is not allowed
    }
    close(ends[1]);
    outcome.written.resize(most);
    std::size_t have = 0;
    for (;;) {
        const ssize_t got =
            read(ends[0], reinterpret_cast<char*>(outcome.written.data()) + have, most * sizeof(float) - have);
        if (got <= 0) break;
        have += static_cast<std::size_t>(got);
    }
    close(ends[0]);
    outcome.written.resize(have / sizeof(float));
    REQUIRE(waitpid(child, &outcome.status, 0) == child);
    return outcome;
}

bool no_strict_mode() {
    return in_strict_child(1, [] { return std::span<const float>{}; }).no_seccomp();
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(float) * a.size()) == 0;
}

/// Parent and child on the same weights and input, both forms.
template <class M> void same_bits_in_a_child(const typename M::Weights& weights) {
    const std::vector<float> values = tarn_test::random_floats(M::Input::elems, 8);
    const std::span<const float, M::Input::elems> input{values.data(), M::Input::elems};
    typename M::Session session(weights);
    INFO(M::Input::elems << " inputs, " << session.instruction_set());
    const auto own = session.forward(input);
    const std::vector<float> expected(own.begin(), own.end());

    const Outcome outside = in_strict_child(expected.size(), [&]() -> std::span<const float> {
        const typename M::Session made_and_dropped(weights);
        return session.forward(input);
    });
    CHECK(outside.finished());
    CHECK(same_bits(outside.written, expected));

    typename M::InPlaceSession owning(weights);
    const Outcome inside = in_strict_child(expected.size(), [&]() -> std::span<const float> {
        std::copy(values.begin(), values.end(), owning.input().begin());
        return owning.forward_in_place();
    });
    CHECK(inside.finished());
    CHECK(same_bits(inside.written, expected));
}

} // namespace

TEST_CASE("a child that calls the system is killed") {
    if (no_strict_mode()) return tarn_test::skip("this system does not permit strict seccomp");
    const std::vector<float> sent{1.F, 2.F};
    const auto harmless = in_strict_child(2, [&] { return std::span<const float>(sent); });
    CHECK(harmless.finished());
    CHECK(harmless.written == sent);

    const auto asks = in_strict_child(2, [&] {
        syscall(SYS_getpid);
        return std::span<const float>(sent);
    });
    CHECK(asks.killed());
    CHECK(asks.written.empty());

    const auto allocates = in_strict_child(2, [&] {
        std::vector<float> large(std::size_t{1} << 24, 1.F); // more than malloc keeps: it maps memory
        __asm__ volatile("" : : "g"(large.data()) : "memory");
        return std::span<const float>(sent);
    });
    CHECK(allocates.killed());
    CHECK(allocates.written.empty());
}

TEST_CASE("the digits network with its trained weights") {
    if (no_strict_mode()) return tarn_test::skip("this system does not permit strict seccomp");
    using M = Model<tarn_test::Digits::Net, tarn_test::Digits::In>;
    const auto weights = M::load(TARN_SOURCE_DIR "/examples/digits/digits.safetensors");
    INFO(weights.error());
    REQUIRE(weights);
    same_bits_in_a_child<M>(*weights);
}

TEST_CASE("every network on both sets") {
    if (no_strict_mode()) return tarn_test::skip("this system does not permit strict seccomp");
    tarn_test::for_each_model([]<class M>() {
        const tarn_test::RandomParameters<typename M::Module> parameters(9);
        const auto weights = tarn_test::packed<M>(parameters.pointers());
        same_bits_in_a_child<M>(*weights);
    });
}

#else

TEST_CASE("strict seccomp") { return tarn_test::skip("strict seccomp is Linux's"); }

#endif
