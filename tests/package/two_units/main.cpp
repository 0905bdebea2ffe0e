// SPDX-License-Identifier: MIT
// The first unit: runs the model itself, then asks the second to.
// Run by ../run.cmake; exits 0 when both are right.
// Knows the public face only.
#include "../digits.hpp"

#include <cstdio>

bool other_unit_is_right(const char*& instruction_set);

int main() {
    using consumer::Digits;
    static Digits::Weights weights;
    Digits::pack(weights, consumer::parameters);
    static Digits::Session session{weights};
    const bool right = consumer::right(session.forward(consumer::image));
    std::printf("first unit on %s: %s\n", session.instruction_set(), right ? "right" : "wrong");
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return right ? 0 : 1;
#endif
    const char* other_set = "";
    const bool other_right = other_unit_is_right(other_set);
    std::printf("second unit on %s: %s\n", other_set, other_right ? "right" : "wrong");
    return right && other_right ? 0 : 1;
}
