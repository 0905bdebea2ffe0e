// SPDX-License-Identifier: MIT
// The planted violation beside forward_nonblocking.cpp: a promise not to block, and an allocation next to forward.
// Must not compile with -Werror=function-effects.
// Knows the public face only.
#include "laws/networks.hpp"

#include <cstdlib>

// expect: function with 'nonblocking' attribute must not call non-'nonblocking' function 'malloc'

using M = tarn::Model<tarn_test::Digits::Net, tarn_test::Digits::In>;

void* forward_and_allocate(M::Session& session, std::span<const float, 64> input) noexcept TARN_NONBLOCKING {
    session.forward(input);
    return std::malloc(64);
}
