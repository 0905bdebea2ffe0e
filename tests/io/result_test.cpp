// SPDX-License-Identifier: MIT
// Result: holds a value or an error, and hands out move-only values.
// Tests include/tarn/io/result.hpp.
// Knows nothing of files.
#include "support/catch.hpp"

#include <tarn/io/result.hpp>

#include <memory>
#include <string>
#include <type_traits>

using tarn::Error;
using tarn::Result;
using tarn::Unit;

static_assert(!std::is_convertible_v<Result<int>, bool>, "a test of success is written out, never by accident");
static_assert(std::is_nothrow_move_constructible_v<Result<std::unique_ptr<int>>>);
static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);

namespace {

Result<std::unique_ptr<int>> half_of(int n) {
    if (n % 2 != 0) return Error{std::to_string(n) + " is odd; give an even number"};
    return std::make_unique<int>(n / 2);
}

} // namespace

TEST_CASE("result: holds a value", "[io]") {
    Result<std::string> result = std::string("lake");
    REQUIRE(result);
    CHECK(result.has_value());
    CHECK(*result == "lake");
    CHECK(result->size() == 4);
    *result += "s";
    const Result<std::string>& same = result;
    CHECK(*same == "lakes");
    CHECK(same->size() == 5);
}

TEST_CASE("result: holds an error", "[io]") {
    const auto result = half_of(7);
    REQUIRE_FALSE(result);
    CHECK(result.error().text == "7 is odd; give an even number");
    CHECK_FALSE(Result<Unit>(Error{"no"}));
    CHECK(Result<Unit>(Unit{}));
}

TEST_CASE("result: a move-only value moves out", "[io]") {
    auto result = half_of(8);
    REQUIRE(result);
    const std::unique_ptr<int> four = *std::move(result);
    REQUIRE(four);
    CHECK(*four == 4);
}
