// SPDX-License-Identifier: MIT
// Networks on a card: `networks JSON answers`, their answers against the processor's; `networks JSON memory`, what
// 1,000 forwards take. Two parts of bench/gpu. Knows networks by name.
#include "network_trial.hpp"

#include <cstring>

int main(int argc, char** argv) {
    using namespace tarn_bench;
    const bool memory = argc > 2 && std::strcmp(argv[2], "memory") == 0;
    const char* const title = memory ? "memory taken by forwards" : "networks against the processor";
    return run_part(title, argc, argv, [&](Report& report) {
        const About about = memory ? About::memory : About::answers;
        try_small_networks(report, about);
        try_resnet(report, about);
    });
}
