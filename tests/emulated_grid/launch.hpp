// SPDX-License-Identifier: MIT
// launch: runs a kernel body in an emulated grid, as <<<blocks, threads, shared_bytes>>> would on a GPU.
// What tests of bodies call. Knows executors; nothing of Ops or kernels.
#pragma once

#include "emulated_grid/fibres.hpp"
#include "emulated_grid/threads.hpp"

namespace tarn_test {

/// How a grid is run: by fibres in an order, or by threads.
struct Schedule {
    Order order{};
    bool by_threads = false;
};
/// What every body is run under. Threads take their turns as they come and cost most, so few are wanted.
inline constexpr Schedule fibre_schedules[] = {{{Order::forward}}, {{Order::reverse}}, {{Order::drawn, 7}}};

/// Calls body(context) for every thread. What went wrong, or an empty text.
template <int Threads, class Body>
std::string launch(int blocks, std::size_t shared_bytes, const Schedule& schedule, const Body& body) {
    using Context = EmulatedContext<Threads>;
    if (schedule.by_threads) return ThreadGrid<Body, Context>(blocks, shared_bytes, body).run();
    return FibreGrid<Body, Context>(blocks, shared_bytes, body).run(schedule.order);
}

} // namespace tarn_test
