// SPDX-License-Identifier: MIT
// launch: runs a kernel body in an emulated grid, as <<<blocks, threads, shared_bytes>>> would on a GPU.
// What tests of bodies call. Knows executors; nothing of Ops or kernels.
#pragma once

#include "emulated_grid/fibres.hpp"
#include "emulated_grid/threads.hpp"

namespace tarn_test {

/// How a grid is run: by fibres in an order, or by threads.
struct Execution {
    Order order{};
    bool by_threads = false;
};
/// What every body is run under. Threads take their turns as they come and cost most, so few are wanted.
inline constexpr Execution fibre_executions[] = {{{Order::forward}}, {{Order::reverse}}, {{Order::drawn, 7}}};

/// Calls body(context) for every thread. What went wrong, or an empty text.
template <int Threads, class Body>
std::string launch(int blocks, std::size_t shared_bytes, const Execution& execution, const Body& body) {
    const Grid::Body thread = [&](Grid& grid, int block, int rank) {
        body(EmulatedContext<Threads>(grid, block, rank));
    };
    if (execution.by_threads) return ThreadGrid(blocks, Threads, shared_bytes, thread).run();
    return FibreGrid(blocks, Threads, shared_bytes, thread).run(execution.order);
}

} // namespace tarn_test
