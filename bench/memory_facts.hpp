// SPDX-License-Identifier: MIT
// MemoryFacts: what plans say of one subject, as plain numbers.
// Between the units that plan (memory_subject.hpp) and the program that prints (memory_bench.cpp).
// Knows nothing of networks as types, so that the program compiles at once.
#pragma once

#include <cstddef>

namespace tarn_bench {

/// Elements. owned: the input lies in the arena and is overwritten; external: in the caller's memory.
struct MemoryFacts {
    std::size_t sum, ping_pong, lb0, lb0i, lb1; ///< bounds, input owned
    std::size_t whole;                          ///< arena of whole tensors, owned
    std::size_t owned, external;                ///< arenas of Smallest
    int steps;
    int segments_owned, segments_external; ///< runs of steps that Smallest makes row by row
    std::size_t published_lb1, published_lb2, published_peak;
    const char* peak_source;
    std::size_t target_owned, target_external;
};

} // namespace tarn_bench
