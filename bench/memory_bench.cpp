// SPDX-License-Identifier: MIT
// Bytes of arena against the bounds: sum of tensors, ping-pong, LB0, LB0i, LB1, input outside and in place.
// `tools/bench memory`. Nothing is timed: every figure is a constant of a type.
#include "networks.hpp"
#include "table.hpp"

namespace {

template <class M> void rows_of(tarn_bench::Table& table, const char* name) {
    const auto row = [&](const char* where, std::size_t arena, const tarn::Bounds& b) {
        const auto bytes = [](std::size_t elems) { return static_cast<double>(elems * sizeof(float)); };
        table.add(std::string(name) + ", input " + where,
                  {{"sum_bytes", bytes(b.sum)},
                   {"ping_pong_bytes", bytes(b.ping_pong)},
                   {"lb0_bytes", bytes(b.lb0)},
                   {"lb0i_bytes", bytes(b.lb0i)},
                   {"lb1_bytes", bytes(b.lb1)},
                   {"arena_bytes", static_cast<double>(arena)},
                   {"arena_over_lb1", static_cast<double>(arena) / bytes(b.lb1)},
                   {"arena_over_sum", static_cast<double>(arena) / bytes(b.sum)},
                   {"weight_bytes", static_cast<double>(M::weight_bytes)}});
    };
    row("outside", M::arena_bytes, M::bounds);
    row("in place", M::arena_bytes_in_place, M::bounds_in_place);
}

} // namespace

int main(int argc, char** argv) {
    tarn_bench::Table table("arena bytes against the bounds of the same order of steps (float, batch 1)");
    rows_of<tarn_bench::Digits>(table, "digits");
    rows_of<tarn_bench::Perceptron>(table, "perceptron 48-64-64-12");
    rows_of<tarn_bench::Residuals>(table, "residual 32x32");
    rows_of<tarn_bench::Mobile>(table, "mobile 96x96");
    return table.finish(argc > 1 ? argv[1] : nullptr) ? 0 : 1;
}
