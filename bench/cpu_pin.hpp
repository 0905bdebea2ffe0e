// SPDX-License-Identifier: MIT
// One core for the whole program, so that its caches and clock are what is measured; how busy the machine is besides.
// Shared by benches of single layers and of latency.
// Knows nothing of what is measured.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <sched.h>

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

} // namespace tarn_bench
