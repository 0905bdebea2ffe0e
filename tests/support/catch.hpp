// SPDX-License-Identifier: MIT
// Catch2 for every test: version 3, or Debian 12's 2.13, with the same names (Approx, skip).
// Included first by each *_test.cpp; the main function is in catch_main.cpp.
// Knows nothing of tarn.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#include <string_view>

namespace tarn_test {

/// Leaves a test that cannot run here: `if (!file) return tarn_test::skip("no model file");`. The program then exits
/// with 77, which CTest reports as skipped, unless something failed.
void skip(std::string_view reason);

} // namespace tarn_test
