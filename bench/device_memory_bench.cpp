// SPDX-License-Identifier: MIT
// Memory of whole networks on a card: the largest tensor, which the proposal hopes is enough, two of it, outputs apart,
// and the plan; `tools/bench device_memory`. Nothing is timed and no card is needed: every figure is a constant.
#include "device_memory_facts.hpp"
#include "subject_list.hpp"
#include "table.hpp"

int main(int argc, char** argv) {
    using tarn_bench::DeviceMemoryFacts;
    tarn_bench::Table table(
        "bytes on a card, float, batch 1, inputs and outputs in the arena, 256-byte aligned; 132 blocks of 256 "
        "threads.\nheld: steps whose outputs wait in registers for a barrier of the grid; rows: steps that overwrite "
        "rows\nof their own; barriers of one launch");
    for (const auto& subject : tarn_bench::SubjectList<DeviceMemoryFacts>::in_order()) {
        const DeviceMemoryFacts f = subject.ask();
        const auto bytes = [](const char* column, std::size_t count) {
            return tarn_bench::Figure{column, static_cast<double>(count)};
        };
        const auto number = [](const char* column, int count) {
            return tarn_bench::Figure{column, static_cast<double>(count)};
        };
        const double largest = static_cast<double>(f.largest);
        table.add(subject.name, {number("steps", f.steps),
                                 bytes("largest_tensor", f.largest),
                                 bytes("ping_pong", f.ping_pong),
                                 bytes("arena_apart", f.apart),
                                 bytes("arena", f.smallest),
                                 {"apart_over_largest", static_cast<double>(f.apart) / largest},
                                 {"arena_over_largest", static_cast<double>(f.smallest) / largest},
                                 number("held", f.held),
                                 number("rows", f.owned),
                                 number("grid_barriers", f.grid_barriers),
                                 number("block_barriers", f.block_barriers),
                                 number("no_barrier", f.without),
                                 bytes("weight_bytes", f.weights)});
    }
    return table.finish(argc > 1 ? argv[1] : nullptr) ? 0 : 1;
}
