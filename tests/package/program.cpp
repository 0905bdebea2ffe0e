// SPDX-License-Identifier: MIT
// The README's program, built by the FetchContent consumer and by the installed one.
// Run by ../run.cmake; exits 0 when the scores are right.
// Knows the public face only.
#include "digits.hpp"

#include <cstdio>

int main() {
    using consumer::Digits;
    static Digits::Weights weights;
    Digits::pack(weights, consumer::parameters);
    static Digits::Session session{weights};
    const std::span<const float, 10> scores = session.forward(consumer::image);
    std::printf("tarn %d.%d.%d on %s: arena %zu bytes, session %zu bytes\n", TARN_VERSION_MAJOR, TARN_VERSION_MINOR,
                TARN_VERSION_PATCH, session.instruction_set(), Digits::arena_bytes, sizeof session);
    return consumer::right(scores) ? 0 : 1;
}
