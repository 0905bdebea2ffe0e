// SPDX-License-Identifier: MIT
// Law 1 frame by frame: 10,000 pushes without a call to the allocator, and 10,000 under strict seccomp in a child
// process, where any system call but read, write and exit is death; both give the parent's bits.
// Knows the public face only.
#include "support/allocation_guard.hpp"
#include "support/model_check.hpp"
#include "support/random.hpp"

#if defined(__linux__)
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace tarn;

namespace {

using Net = Sequential<Conv1d<2, 8, Kernel<3>, Causal>, ReLU,
                       Residual<Sequential<Conv1d<8, 8, Kernel<3>, Causal, Dilation<5>>, Tanh>>,
                       Conv1d<8, 6, Kernel<4>, Stride<2>, Causal>, MaxPool1d<2>, GRU<6, 12>, LSTM<12, 9>,
                       BatchNorm1d<9>, LayerNorm<9>, Linear<9, 3>, Softmax>;
using M = Model<Net, Shape<64, 2>>;
constexpr int pushes = 10000;

/// All that 10,000 pushes, blocks, a reset and a snapshot come to, in a few sums.
struct Totals {
    float of_rows[3] = {};
    int rows = 0;
};
Totals run(M::Stream& stream, const std::vector<float>& signal) noexcept {
    Totals sums;
    const auto state = stream.snapshot();
    stream.reset();
    stream.restore(state);
    for (int i = 0; i < pushes; ++i) {
        const auto rows =
            stream.push(std::span<const float, 2>{signal.data() + 2 * (static_cast<std::size_t>(i) % 64), 2});
        for (int r = 0; r < rows.size(); ++r, ++sums.rows)
            for (std::size_t o = 0; o < 3; ++o) sums.of_rows[o] += rows[r][o];
    }
    float block[16 * 3];
    for (int i = 0; i < 100; ++i) {
        const Processed done = stream.process(signal, block);
        sums.rows += static_cast<int>(done.rows);
        for (std::size_t o = 0; o < 3 * done.rows; ++o) sums.of_rows[o % 3] += block[o];
    }
    return sums;
}
bool same(const Totals& a, const Totals& b) {
    return a.rows == b.rows && std::memcmp(a.of_rows, b.of_rows, sizeof a.of_rows) == 0;
}

} // namespace

TEST_CASE("10,000 pushes call no allocator and no system") {
    if (!tarn_test::AllocationGuard::works()) return tarn_test::skip("malloc is not this program's to replace");
    const tarn_test::RandomParameters<Net> parameters(3);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    const std::vector<float> signal = tarn_test::Random(4).reals(2 * 64);

    Totals own;
    CHECK(tarn_test::calls_to_memory_of([&] {
              M::Stream stream(*weights);
              own = run(stream, signal);
              stream.settle_to_silence();
          }) == 0);
    CHECK(own.rows == pushes / 4 + 100 * 16);
    CHECK(tarn_test::calls_to_memory_of([&] { const std::vector<float> copy(signal); }) > 0);

#if defined(__linux__)
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(3);
        M::Stream stream(*weights);
        const Totals sums = run(stream, signal);
        const long status = write(ends[1], &sums, sizeof sums) == static_cast<ssize_t>(sizeof sums) ? 0 : 1;
        for (;;) syscall(SYS_exit, status); // glibc's own exit calls exit_group, which is not allowed
    }
    close(ends[1]);
    Totals sent;
    const ssize_t got = read(ends[0], &sent, sizeof sent);
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        return tarn_test::skip("this system does not permit strict seccomp");
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    CHECK(got == static_cast<ssize_t>(sizeof sent));
    CHECK(same(sent, own));
#endif
}
