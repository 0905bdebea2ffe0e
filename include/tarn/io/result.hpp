// SPDX-License-Identifier: MIT
// Result: a value, or an error as text, for what can fail while loading. Works with exceptions and rtti switched off.
// What every function of io that can fail returns to the caller.
// Knows nothing of files, tensors or models.
#pragma once

#include <cassert>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tarn {

/// Why something could not be loaded or written: one or more lines, each line one fault and what to do about it.
struct Error {
    std::string text;
};

namespace detail {

/// The parts of a message as one. Compiles in a fraction of the time that a chain of string `+` takes.
template <class = void> std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text.append(part);
    return text;
}

} // namespace detail

/// The value of a function that has nothing to return but can fail.
struct Unit {};

/// Holds a T, which may be move-only, or an Error. Ask before looking: `*`, `->` need a value, `error()` needs an
/// error.
template <class T> class [[nodiscard]] Result {
    static_assert(std::is_object_v<T> && !std::is_same_v<std::remove_cv_t<T>, Error>,
                  "Result: T is a value other than Error; return the Error itself where nothing else can be returned");

  public:
    Result(T value) : value_(std::move(value)) {}
    Result(Error error) : error_(std::move(error)) {}

    [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }

    T& operator*() & noexcept { return value(); }
    const T& operator*() const& noexcept { return const_cast<Result&>(*this).value(); }
    T&& operator*() && noexcept { return std::move(value()); }
    T* operator->() noexcept { return &value(); }
    const T* operator->() const noexcept { return &const_cast<Result&>(*this).value(); }

    const Error& error() const noexcept {
        assert(!has_value() && "Result::error() of a Result that holds a value");
        return error_;
    }

  private:
    T& value() noexcept {
        assert(has_value() && "Result dereferenced while it holds an error: test it first");
        return *value_;
    }

    // Side by side: a variant of the two takes the compiler several times as long.
    std::optional<T> value_;
    Error error_;
};

} // namespace tarn
