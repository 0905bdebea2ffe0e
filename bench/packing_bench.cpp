// SPDX-License-Identifier: MIT
// Packing buffers with lifetimes without overlap: against LB0, against the capacity that minimalloc fits its published
// problems into, and against first fit alone. `tools/bench packing [FOLDER [MOVES]]`; the folder holds the problems as
// NAME.CAPACITY.csv with the columns id, lower, upper, size. Knows packing only.
#include "table.hpp"

#include <tarn/plan/pack.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using tarn::Buffer;

struct Case {
    std::string name;
    std::size_t capacity; ///< what it is known to fit into
    std::vector<Buffer> buffers;
};

/// The example network of Pisarchyk and Lee, 2020, whose optimum is 124.
Case toy() {
    return {"Pisarchyk and Lee",
            124,
            {{0, 2, 32}, {1, 5, 28}, {2, 6, 36}, {3, 6, 16}, {4, 6, 8}, {5, 8, 64}, {6, 9, 10}, {7, 9, 40}}};
}

std::vector<Buffer> read(const std::filesystem::path& path) {
    std::vector<Buffer> buffers;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        const char* const numbers = line.c_str() + line.find(',') + 1;
        Buffer b;
        if (std::sscanf(numbers, "%ld,%ld,%zu", &b.begin, &b.end, &b.size) == 3) buffers.push_back(b);
    }
    return buffers;
}

/// Every NAME.CAPACITY.csv of a folder, by name; none where there is no such folder.
std::vector<Case> cases_in(const std::filesystem::path& folder) {
    std::vector<Case> cases;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
        const std::filesystem::path name = entry.path().stem();
        const std::size_t capacity = std::strtoul(name.extension().string().c_str() + 1, nullptr, 10);
        if (entry.path().extension() == ".csv" && capacity > 0)
            cases.push_back({"minimalloc " + name.stem().string(), capacity, read(entry.path())});
    }
    std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
    return cases;
}

/// False when two buffers alive together share an element.
bool apart(const std::vector<Buffer>& buffers) {
    for (const Buffer& a : buffers)
        for (const Buffer& b : buffers)
            if (&a != &b && a.begin < b.end && b.begin < a.end && a.at < b.at + b.size && b.at < a.at + a.size)
                return false;
    return true;
}

bool measure(tarn_bench::Table& table, Case& it, long moves) {
    const auto number = [](std::size_t n) { return static_cast<double>(n); };
    const std::size_t bound = tarn::live_bound(it.buffers);
    const std::size_t by_size = tarn::first_fit(it.buffers, tarn::PackOrder::size);
    const std::size_t by_time = tarn::first_fit(it.buffers, tarn::PackOrder::time);
    const std::size_t quick = tarn::pack(it.buffers);
    const auto before = std::chrono::steady_clock::now();
    const std::size_t used = tarn::pack(it.buffers, 1, moves);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    if (!apart(it.buffers)) return std::printf("%s: buffers alive together share elements\n", it.name.c_str()), false;
    table.add(it.name, {{"buffers", number(it.buffers.size())},
                        {"lb0_elems", number(bound)},
                        {"capacity_elems", number(it.capacity)},
                        {"by_time_over_lb0", number(by_time) / number(bound)},
                        {"by_size_over_lb0", number(by_size) / number(bound)},
                        {"default_over_lb0", number(quick) / number(bound)},
                        {"packed_elems", number(used)},
                        {"packed_over_lb0", number(used) / number(bound)},
                        {"packed_over_capacity", number(used) / number(it.capacity)},
                        {"pack_s", seconds}});
    return true;
}

} // namespace

int main(int argc, char** argv) {
    const char* const folder = argc > 2 ? argv[2] : "../shared/models/minimalloc";
    const long moves = argc > 3 ? std::atol(argv[3]) : 1000000;
    tarn_bench::Table table("packing without overlap: by time and by size are first fit alone, default has " +
                            std::to_string(tarn::default_pack_moves) + " moves, packed up to " + std::to_string(moves));
    Case first = toy();
    bool sound = measure(table, first, moves);
    std::vector<Case> cases = cases_in(folder);
    if (cases.empty()) std::printf("minimalloc's problems are skipped: there are none in %s\n", folder);
    for (Case& it : cases) sound = measure(table, it, moves) && sound;
    return sound && table.finish(argc > 1 ? argv[1] : nullptr) ? 0 : 1;
}
