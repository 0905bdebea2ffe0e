// SPDX-License-Identifier: MIT
// The main function of every test program: runs Catch2 and turns "skipped" into CTest's exit status.
// Compiled once into an object library that all tests link.
// Knows nothing of tarn.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

#include <cstdio>

namespace {

constexpr int ctest_skipped = 77;
bool skipped = false;

} // namespace

namespace tarn_test {

void skip(std::string_view reason) {
    skipped = true;
    std::printf("skipped: %.*s\n", static_cast<int>(reason.size()), reason.data());
}

} // namespace tarn_test

int main(int argc, char** argv) {
    const int result = Catch::Session().run(argc, argv);
    return result == 0 && skipped ? ctest_skipped : result;
}
