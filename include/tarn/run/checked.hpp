// SPDX-License-Identifier: MIT
// Checked: a value, or what was wrong with an input whose size is only known while running. Allocates nothing.
// What forward of sessions with UpTo or Batch returns. Knows nothing of models.
#pragma once

#include <tarn/core/config.hpp>

#include <cassert>

namespace tarn {

/// What can be wrong with the size of an input.
enum class SizeError : int {
    none,
    empty,     ///< nothing in it
    not_whole, ///< it ends within a row, or within a sample
    too_large, ///< more rows or samples than the Model's maximum
    too_small, ///< a window of the network finds too few rows
    uneven,    ///< branches of the network would make different numbers of rows of it
};
/// The error in words, with what to do about it.
constexpr const char* text_of(SizeError error) noexcept {
    switch (error) {
    case SizeError::empty:
        return "the input is empty; give one row or sample at least";
    case SizeError::not_whole:
        return "the input is no whole number of rows or samples; give a multiple of their size";
    case SizeError::too_large:
        return "the input has more rows or samples than the Model's maximum; split it or raise the maximum";
    case SizeError::too_small:
        return "the input has too few rows for the network's windows; give more";
    case SizeError::uneven:
        return "branches of the network make different numbers of rows of this input; give a multiple of their strides";
    case SizeError::none:
        break;
    }
    return "no error";
}

/// Holds a T, cheap to copy, or a SizeError. Ask before looking: `*` and `->` need a value.
template <class T> class [[nodiscard]] Checked {
  public:
    constexpr Checked(T value) noexcept TARN_NONBLOCKING : value_(value) {}
    constexpr Checked(SizeError error) noexcept TARN_NONBLOCKING : error_(error) {}

    constexpr bool has_value() const noexcept TARN_NONBLOCKING { return error_ == SizeError::none; }
    constexpr explicit operator bool() const noexcept TARN_NONBLOCKING { return has_value(); }
    constexpr const T& operator*() const noexcept { return value(); }
    constexpr const T* operator->() const noexcept { return &value(); }
    constexpr SizeError error() const noexcept TARN_NONBLOCKING { return error_; }

  private:
    constexpr const T& value() const noexcept {
        assert(has_value() && "Checked dereferenced while it holds an error: test it first");
        return value_;
    }

    T value_{};
    SizeError error_ = SizeError::none;
};

} // namespace tarn
