// SPDX-License-Identifier: MIT
// Every kernel body on a card against the reference, as rows with their tolerances. One part of bench/gpu.
// Knows the lists of trials by name.
#include "body_case.hpp"

int main(int argc, char** argv) {
    using namespace tarn_bench;
    return run_part("kernel bodies against the reference in double", argc, argv, [](Report& report) {
        check_dense_bodies(report);
        check_factor_bodies(report);
        check_other_bodies(report);
        check_recurrent_bodies(report);
        check_held_bodies(report);
        check_bodies_beside(report);
    });
}
