// SPDX-License-Identifier: MIT
// What tests ask of the cuDNN of our own that dnn.cpp links in the library's place.
// Beside runtime.hpp. Knows nothing of tarn.
#pragma once

#include <cstdint>
#include <vector>

namespace tarn_test {

/// Its engines, in the order in which heuristics offer them; the last is the fallback's only one.
enum class DnnEngine {
    compiled,    ///< compiles while running
    tensor_core, ///< rounds to tf32
    unordered,   ///< sums in an order of its own each time
    wide,        ///< wants more workspace than there is
    unwilling,   ///< fits no convolution
    willing,     ///< wants `workspace` bytes
    fallback,    ///< wants none
};

struct FakeDnn {
    static FakeDnn& get() {
        static FakeDnn one;
        return one;
    }
    void reset() { *this = FakeDnn{}; }

    static constexpr std::int64_t workspace = 2048;
    bool fallback_is_unwilling = false;
    std::vector<DnnEngine> executed; ///< by call, in order
};

} // namespace tarn_test
