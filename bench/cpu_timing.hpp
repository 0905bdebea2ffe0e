// SPDX-License-Identifier: MIT
// Interleaved timing: every contender in every round, in rotated order, a slice of some milliseconds each.
// Best and median of the rounds; the thread's own time, so that what others do on the machine meanwhile is not counted.
// Knows nothing of layers.
#pragma once

#include "rivals.hpp"

#include <algorithm>
#include <ctime>

namespace tarn_bench {

/// Nanoseconds that this thread has run.
inline double thread_time_ns() {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Nanoseconds of one run, a figure a round.
struct Times {
    std::vector<double> rounds{};

    double best() const { return *std::min_element(rounds.begin(), rounds.end()); }
    double median() const { return median_of(rounds); }
    static double median_of(std::vector<double> values) {
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        return values[values.size() / 2];
    }
    /// The median of what this one took over another, round by round.
    double over(const Times& other) const {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < rounds.size(); ++i) ratios.push_back(rounds[i] / other.rounds[i]);
        return median_of(ratios);
    }
};

struct Rounds {
    int count = 13;
    double slice_ns = 8e6;
};

inline std::vector<Times> time_in_turn(const std::vector<Contender>& contenders, const Rounds& rounds) {
    const std::size_t count = contenders.size();
    std::vector<int> repeats(count);
    std::vector<Times> times(count);
    const auto slice = [&](std::size_t c) {
        // Brings back to the caches what the one before has driven out. Once is not enough for 16 MiB: and who follows
        // somebody with the same weights, as the loops that read do, would have them there already.
        if (repeats[c] > 1) contenders[c].run(1 + repeats[c] / 2);
        const double before = thread_time_ns();
        contenders[c].run(repeats[c]);
        return (thread_time_ns() - before) / repeats[c];
    };
    for (std::size_t c = 0; c < count; ++c) { // how often a slice holds it, once it is warm
        repeats[c] = 1;
        double once = slice(c);
        for (int more = 0; more < 3; ++more) {
            repeats[c] = once * 16 < rounds.slice_ns ? static_cast<int>(rounds.slice_ns / 16 / once) + 1 : 1;
            once = std::min(once, slice(c));
        }
        repeats[c] = once < rounds.slice_ns ? static_cast<int>(rounds.slice_ns / once) : 1;
    }
    for (int round = 0; round < rounds.count; ++round) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t c = (static_cast<std::size_t>(round) + i) % count;
            times[c].rounds.push_back(slice(c));
        }
    }
    return times;
}

} // namespace tarn_bench
