// SPDX-License-Identifier: MIT
// Compiled for the plain baseline: runs AVX2 with FMA where the processor has it, and the baseline when told to.
// Run by ../run.cmake; exits 0 when the set is the one expected and every run is right.
// Knows the public face only.
#include "../digits.hpp"

#include <cstdio>
#include <string_view>

#if defined(__AVX2__) || defined(__FMA__)
#error "this consumer must be compiled without -m flags"
#endif

namespace {

template <class Device> const char* run(bool& right) {
    using Digits = tarn::Model<consumer::Net, tarn::Shape<8, 8, 1>, Device>;
    static typename Digits::Weights weights;
    Digits::pack(weights, consumer::parameters);
    static typename Digits::Session session{weights};
    right = consumer::right(session.forward(consumer::image)) && right;
    return session.instruction_set();
}

} // namespace

int main() {
    bool right = true;
    const std::string_view chosen = run<tarn::Cpu<>>(right);
    const std::string_view baseline = run<tarn::Cpu<tarn::cpu::Baseline>>(right);
    std::printf("chosen: %s; forced: %s; scores %s\n", chosen.data(), baseline.data(), right ? "right" : "wrong");
    const auto is_avx2 = [](std::string_view set) { return set.find("avx2") != std::string_view::npos; };
#if defined(__x86_64__)
    const bool avx2_here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    const bool avx2_here = false;
#endif
    return right && is_avx2(chosen) == avx2_here && !is_avx2(baseline) ? 0 : 1;
}
