// SPDX-License-Identifier: MIT
// StreamingTiming: how long one subject's forward takes under two policies, as plain numbers.
// Between the units that run (streaming_subject.hpp) and the program that prints (streaming_bench.cpp).
// Knows nothing of networks as types, so that the program compiles at once.
#pragma once

#include <cstddef>

namespace tarn_bench {

/// smallest: policy Smallest; whole: WholeTensors<Fastest>. The input lies in the caller's memory.
struct StreamingTiming {
    bool same_bits; ///< of all outputs
    double macs;
    std::size_t smallest_arena, whole_arena; ///< bytes
    double smallest_ns, whole_ns;            ///< medians
    double speed_of_medians, median_speed;   ///< whole over smallest: of the medians, and the median over pairs
    double best_speed;                       ///< of the quickest of each
    int pairs;
    double least_speed; ///< what is asked of median_speed
};

} // namespace tarn_bench
