// SPDX-License-Identifier: MIT
// One core and one thread for the whole program, so that its caches and clock are what is measured.
// Shared by benches of single layers and of latency.
// Knows nothing of what is measured.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <sched.h>
#include <unistd.h>

namespace tarn_bench {

/// The last core that this process may use: the first one has most of the system's interrupts.
inline void pin_to_last_core() {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int core = CPU_SETSIZE - 1; core >= 0; --core) {
        if (!CPU_ISSET(core, &allowed)) continue;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        sched_setaffinity(0, sizeof one, &one);
        double load = 0;
        getloadavg(&load, 1);
        std::printf("pinned to core %d; load of the machine before: %.1f\n", core, load);
        return;
    }
}

/// Libraries read these when they are loaded, so the program begins again with them set: one thread each, and OpenBLAS
/// choosing its kernels by the processor.
inline void begin_with_one_thread(char** argv) {
    if (std::getenv("TARN_BENCH_AGAIN") != nullptr) return;
    for (const char* threads : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "TARN_BENCH_AGAIN"})
        setenv(threads, "1", 1);
    for (const char* choice : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}) unsetenv(choice);
    execv("/proc/self/exe", argv);
    std::perror("cannot begin again");
}

} // namespace tarn_bench
