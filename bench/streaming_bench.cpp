// SPDX-License-Identifier: MIT
// Whether the smallest arena costs time: forward under Smallest against WholeTensors<Fastest>, the same kernels,
// weights and input, in turn, on one thread pinned to one core. `tools/bench streaming [part of a name ...]`.
// Prints medians and exits non-zero where outputs differ in a bit.
#include "streaming_timing.hpp"
#include "subject_list.hpp"
#include "table.hpp"

#include <tarn/cpu/cpu.hpp>

#include <cstring>
#include <sched.h>

namespace {

using tarn_bench::Figure;

/// Keeps this thread on the core it is on.
void pin() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) std::perror("not pinned to a core");
}

bool wanted(const char* name, int argc, char** argv) {
    for (int i = 2; i < argc; ++i)
        if (std::strstr(name, argv[i]) != nullptr) return true;
    return argc <= 2;
}

} // namespace

int main(int argc, char** argv) {
    if (!tarn::Cpu<>::takes_best()) return std::printf("this processor has no AVX2: nothing measured\n"), 1;
    pin();
    tarn_bench::Table table("forward under Smallest against WholeTensors<Fastest>: float, one thread, one core, input "
                            "in the caller's memory; medians of pairs\nrun in turn, time of the thread alone. speed: "
                            "time of whole tensors over time of Smallest, of the medians, as the median\nover pairs, "
                            "and of the quickest runs");
    bool same = true;
    for (const auto& subject : tarn_bench::SubjectList<tarn_bench::StreamingTiming>::in_order()) {
        if (!wanted(subject.name, argc, argv)) continue;
        std::fprintf(stderr, "%s ...\n", subject.name);
        const tarn_bench::StreamingTiming t = subject.ask();
        same = same && t.same_bits;
        table.add(subject.name, {{"mega_macs", t.macs / 1e6},
                                 {"smallest_arena_bytes", static_cast<double>(t.smallest_arena)},
                                 {"whole_arena_bytes", static_cast<double>(t.whole_arena)},
                                 {"smallest_us", t.smallest_ns / 1e3},
                                 {"whole_us", t.whole_ns / 1e3},
                                 {"smallest_gmacs_per_s", t.macs / t.smallest_ns},
                                 {"speed_of_medians", t.speed_of_medians},
                                 {"median_speed", t.median_speed},
                                 {"best_speed", t.best_speed},
                                 {"pairs", static_cast<double>(t.pairs)},
                                 {"least_speed", t.least_speed},
                                 Figure::said("same_bits", t.same_bits ? "yes" : "NO"),
                                 Figure::said("verdict", t.median_speed >= t.least_speed ? "pass" : "FAIL")});
    }
    return table.finish(argc > 1 ? argv[1] : nullptr) && same ? 0 : 1;
}
