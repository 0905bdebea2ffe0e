// SPDX-License-Identifier: MIT
// Memory against the bounds (sum of tensors, ping-pong, LB0, LB0i, LB1), against published peaks and against what tarn
// sets itself; `tools/bench memory`. Nothing is timed: every figure is a constant of a type.
// Small networks in bytes, the networks of the field in elements.
#include "memory_facts.hpp"
#include "networks.hpp"
#include "subject_list.hpp"
#include "table.hpp"

namespace {

using tarn_bench::Figure;
using tarn_bench::MemoryFacts;
using tarn_bench::Table;

template <class M> void rows_of(Table& table, const char* name) {
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

/// The least of the bounds that others and we know: no arena of whole tensors may be judged by a worse one.
std::size_t strictest_lb1(const MemoryFacts& f) {
    return f.published_lb1 > 0 && f.published_lb1 < f.lb1 ? f.published_lb1 : f.lb1;
}

void row_of(Table& table, const char* name, const MemoryFacts& f) {
    const auto figure = [](const char* column, std::size_t elems) {
        return elems > 0 ? Figure{column, static_cast<double>(elems)} : Figure::missing(column);
    };
    const auto ratio = [](std::size_t a, std::size_t b) { return static_cast<double>(a) / static_cast<double>(b); };
    const auto over = [&](const char* column, std::size_t a, std::size_t b) {
        return b > 0 ? Figure{column, ratio(a, b)} : Figure::missing(column);
    };
    const auto verdict = [](const char* column, bool holds) { return Figure::said(column, holds ? "pass" : "FAIL"); };
    const std::size_t lb1 = strictest_lb1(f);
    const bool aimed = f.target_owned > 0;
    table.add(name, {{"steps", static_cast<double>(f.steps)},
                     figure("sum", f.sum),
                     figure("ping_pong", f.ping_pong),
                     figure("lb0", f.lb0),
                     figure("lb0i", f.lb0i),
                     figure("lb1", f.lb1),
                     figure("published_lb1", f.published_lb1),
                     figure("published_lb2", f.published_lb2),
                     figure("whole_owned", f.whole),
                     figure("smallest_owned", f.owned),
                     figure("smallest_external", f.external),
                     {"segments_owned", static_cast<double>(f.segments_owned)},
                     {"segments_external", static_cast<double>(f.segments_external)},
                     figure("published_peak", f.published_peak),
                     {"whole_over_lb1", ratio(f.whole, f.lb1)},
                     over("whole_over_published_lb1", f.whole, f.published_lb1),
                     {"smallest_over_lb1", ratio(f.owned, f.lb1)},
                     over("smallest_over_published_lb1", f.owned, f.published_lb1),
                     over("smallest_over_peak", f.owned, f.published_peak),
                     verdict("whole_within_3%", f.whole * 100 <= lb1 * 103),
                     figure("target_owned", f.target_owned),
                     figure("target_external", f.target_external),
                     verdict("smallest_owned_holds", aimed ? f.owned <= f.target_owned : f.owned < lb1),
                     verdict("smallest_external_holds", aimed ? f.external <= f.target_external : f.external < lb1),
                     Figure::said("peak_by", f.peak_source[0] != '\0' ? f.peak_source : "-")});
}

} // namespace

int main(int argc, char** argv) {
    Table small("arena bytes against the bounds of the same order of steps (float, batch 1)");
    rows_of<tarn_bench::Digits>(small, "digits");
    rows_of<tarn_bench::Perceptron>(small, "perceptron 48-64-64-12");
    rows_of<tarn_bench::Residuals>(small, "residual 32x32");
    rows_of<tarn_bench::Mobile>(small, "mobile 96x96");
    small.print();

    Table field(
        "\nelements (bytes of int8, a fourth of the bytes of float), batch 1, steps in the order written; rings, "
        "scratch, alignment included.\nVerdicts are against the smaller LB1 of ours and the published; smallest "
        "holds where it meets its target, or lies below\nLB1 where it has none");
    for (const auto& subject : tarn_bench::SubjectList<MemoryFacts>::in_order())
        row_of(field, subject.name, subject.ask());
    field.print();
    return argc < 2 || Table::write({&small, &field}, argv[1]) ? 0 : 1;
}
