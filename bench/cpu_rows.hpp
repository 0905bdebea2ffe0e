// SPDX-License-Identifier: MIT
// The rows of cpu_bench: a named layer, its gate, and how to make everything that is timed for it.
// Between the units that name layers (cpu_*_rows.cpp) and cpu_bench.cpp, which measures and prints them.
// Knows rivals' interface; nothing of kernels.
#pragma once

#include "rivals.hpp"

#include <algorithm>

namespace tarn_bench {

/// What a row has to reach: "must" and "stretch" of the project's gates. Zero: nothing is asked.
struct Gate {
    enum class Of {
        nothing,
        peak_percent,      ///< of the FMA peak measured beside it; direct convolution's operations are counted
        bandwidth_percent, ///< of the read bandwidth at this size, measured beside it
        nanoseconds,       ///< at most
    };
    Of of = Of::nothing;
    double must = 0, stretch = 0;
    const char* rival = ""; ///< the stretch also wants to be so many times as fast as this one, where it is found
    double times = 0;
};
constexpr Gate peak(double must, double stretch, const char* rival = "", double times = 0) {
    return {Gate::Of::peak_percent, must, stretch, rival, times};
}
constexpr Gate bandwidth(double must, double stretch) { return {Gate::Of::bandwidth_percent, must, stretch}; }
constexpr Gate at_most_ns(double must, double stretch) { return {Gate::Of::nanoseconds, must, stretch}; }

/// A row made ready. own[0] is tarn; behind it the pairs whose ratio tells what in place costs.
struct Case {
    Problem problem{};
    std::size_t out_elems = 0;
    double flops = 0;      ///< of direct computation
    double bytes = 0;      ///< read and written, for rows that memory bounds
    double read_elems = 0; ///< size at which bandwidth is measured beside it; 0: not
    std::vector<Contender> own{};
    std::shared_ptr<const void> storage{};
};

struct Row {
    int order; ///< sections in hundreds
    const char* section;
    std::string name;
    Gate gate;
    Case (*make)();
};

inline std::vector<Row>& rows() {
    static std::vector<Row> list;
    return list;
}
inline bool add_rows(std::initializer_list<Row> more) {
    rows().insert(rows().end(), more);
    return true;
}
inline std::vector<Row> rows_in_order() {
    std::vector<Row> sorted = rows();
    std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.order < b.order; });
    return sorted;
}

// Names of tarn's own contenders.
inline constexpr const char* own_name = "tarn";
inline constexpr const char* direct_in_place = "direct in place";
inline constexpr const char* staged_apart = "staged apart";
inline constexpr const char* staged_in_place = "staged in place";

} // namespace tarn_bench
