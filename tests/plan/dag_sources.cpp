// SPDX-License-Identifier: MIT
// Prints drawn networks as test programs: dag_sources FOLDER FIRST COUNT writes networks FIRST.. of RandomDag to
// FOLDER/dags_N.cpp, eight in each.
// A tool of the build (tests/plan/CMakeLists.txt), which compiles and runs what it prints.
// Knows how networks are drawn; nothing of plans.
#include "plan/random_dag.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    constexpr int per_file = 8;
    if (argc != 4) {
        std::cerr << "usage: dag_sources FOLDER FIRST COUNT\n";
        return 2;
    }
    const int first = std::atoi(argv[2]), count = std::atoi(argv[3]);
    unsigned seed = 100000;
    for (int n = 0; n < first + count; ++n) {
        // Small ones say little: the next of at least six layers.
        const auto drawn = [](unsigned s) { return tarn_test::RandomDag(s, 12, 1500); };
        while (drawn(seed).nodes().count < 6) ++seed;
        if (n >= first) {
            const int file = n / per_file;
            const bool begins = n == first || n % per_file == 0;
            const std::string name = std::string(argv[1]) + "/dags_" + std::to_string(file) + ".cpp";
            std::ofstream to(name, begins ? std::ios::trunc : std::ios::app);
            if (begins) to << "// Printed by dag_sources.\n#include \"plan/dag_check.hpp\"\n\nusing namespace tarn;\n";
            const auto dag = drawn(seed);
            to << "\nusing Dag" << seed << " =\n    " << dag.graph() << ";\nTEST_CASE(\"drawn network " << seed
               << "\") { tarn_test::check_dag<Dag" << seed << ", " << dag.input() << ">(" << seed << "); }\n";
            if (!to) {
                std::cerr << "cannot write " << name << '\n';
                return 1;
            }
        }
        ++seed;
    }
    return 0;
}
