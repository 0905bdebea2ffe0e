// SPDX-License-Identifier: MIT
// How long each of a million forwards takes, and what interrupted them: percentiles, context switches, interrupts.
// Contenders run in turn, blocks of thousands; each forward is timed by itself.
// Knows nothing of networks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sched.h>
#include <sys/resource.h>

namespace tarn_bench {

inline std::int64_t now_ns() {
    std::timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}
/// What two readings of the clock with nothing between them differ by: it is part of every figure.
inline std::int64_t clock_cost_ns() {
    std::vector<std::int64_t> costs;
    for (int i = 0; i < 10001; ++i) {
        const std::int64_t before = now_ns();
        costs.push_back(now_ns() - before);
    }
    std::nth_element(costs.begin(), costs.begin() + 5000, costs.end());
    return costs[5000];
}

/// What has interrupted this core or thread so far.
struct Interruptions {
    long switches = 0, timer = 0, other = 0, stolen_ms = 0;

    static Interruptions so_far() {
        Interruptions now;
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        now.switches = usage.ru_nvcsw + usage.ru_nivcsw;
        const int core = sched_getcpu();
        std::ifstream interrupts("/proc/interrupts"), stat("/proc/stat");
        std::string line;
        int column = -1;
        if (std::getline(interrupts, line)) { // the head names the cores that are on
            std::istringstream head(line);
            std::string name;
            for (int at = 0; head >> name; ++at)
                if (name == "CPU" + std::to_string(core)) column = at;
        }
        while (column >= 0 && std::getline(interrupts, line)) {
            std::istringstream words(line);
            std::string name;
            long count = 0;
            words >> name;
            for (int at = 0; at <= column; ++at) words >> count;
            if (words) (name == "LOC:" ? now.timer : now.other) += count;
        }
        while (std::getline(stat, line)) { // user nice system idle iowait irq softirq steal, in hundredths of a second
            std::istringstream words(line);
            std::string name;
            words >> name;
            if (name != "cpu" + std::to_string(core)) continue;
            long value = 0;
            for (int at = 0; at < 8; ++at) words >> value;
            if (words) now.stolen_ms = value * 10;
        }
        return now;
    }
    void add(const Interruptions& from, const Interruptions& to) {
        switches += to.switches - from.switches;
        timer += to.timer - from.timer;
        other += to.other - from.other;
        stolen_ms += to.stolen_ms - from.stolen_ms;
    }
};

struct Runner {
    std::string name;
    std::function<void()> forward;
};

/// A loop in registers, about as long as another contender's forward: its latencies are the machine's own.
inline Runner counting_like(const Runner& other) {
    const auto count = [](std::uint64_t steps) {
        std::uint64_t x = steps;
        for (std::uint64_t i = 0; i < steps; ++i) {
            x = x * 6364136223846793005U + 1442695040888963407U;
            __asm__ volatile("" : "+r"(x));
        }
    };
    const auto median_ns = [](const auto& run) {
        std::vector<std::int64_t> times;
        for (int i = 0; i < 2001; ++i) {
            const std::int64_t before = now_ns();
            run();
            times.push_back(now_ns() - before);
        }
        std::nth_element(times.begin(), times.begin() + 1000, times.end());
        return static_cast<double>(times[1000]);
    };
    constexpr std::uint64_t some = 20000;
    const double cost = static_cast<double>(clock_cost_ns());
    const double step = (median_ns([&] { count(some); }) - cost) / static_cast<double>(some);
    const auto steps = static_cast<std::uint64_t>((median_ns(other.forward) - cost) / step);
    return {"counting only", [count, steps] { count(steps); }};
}

/// The forwards of one contender.
struct Latencies {
    std::vector<std::uint32_t> ns{}; ///< sorted once all are there
    Interruptions met{};

    double at(double share) const {
        const auto place = static_cast<std::size_t>(share * static_cast<double>(ns.size()));
        return ns[std::min(place, ns.size() - 1)];
    }
    std::size_t over(double limit) const {
        return static_cast<std::size_t>(ns.end() -
                                        std::upper_bound(ns.begin(), ns.end(), static_cast<std::uint32_t>(limit)));
    }
};

inline std::vector<Latencies> latencies_of(const std::vector<Runner>& runners, std::size_t forwards) {
    constexpr std::size_t block = 20000, warm = 200; // the first ones of a block find cold caches
    std::vector<Latencies> all(runners.size());
    for (Latencies& one : all) one.ns.reserve(forwards + block);
    while (all[0].ns.size() < forwards) {
        for (std::size_t r = 0; r < runners.size(); ++r) {
            const std::function<void()>& forward = runners[r].forward;
            for (std::size_t i = 0; i < warm; ++i) forward();
            const Interruptions before = Interruptions::so_far();
            for (std::size_t i = 0; i < block; ++i) {
                const std::int64_t start = now_ns();
                forward();
                const std::int64_t took = now_ns() - start;
                all[r].ns.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(took, UINT32_MAX)));
            }
            all[r].met.add(before, Interruptions::so_far());
        }
    }
    for (Latencies& one : all) std::sort(one.ns.begin(), one.ns.end());
    return all;
}

} // namespace tarn_bench
