// SPDX-License-Identifier: MIT
// Profile: how long each task of one plan takes, as words and numbers.
// Between the units that run (profile_subject.hpp) and the programs that print (profile_bench.cpp, models_bench.py).
// Knows nothing of networks as types, so that the program compiles at once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tarn_bench {

/// A step that runs whole, or a segment of several that run by rows.
struct ProfiledTask {
    std::string first, last; ///< its first and last step in words
    int steps;
    double macs;
    double best_ns, median_ns; ///< over the rounds, a clock's reading included
};

struct Profile {
    const char* policy;
    std::size_t arena_bytes;
    double best_ns; ///< of a whole forward with no clock inside
    std::vector<ProfiledTask> tasks;
};

} // namespace tarn_bench
