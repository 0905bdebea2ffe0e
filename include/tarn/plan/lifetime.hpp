// SPDX-License-Identifier: MIT
// Lifetimes: from which step to which a value must be kept, and which are alive together.
// Third step of planning. Knows steps; nothing of kernels or places in memory.
#pragma once

#include <tarn/plan/fuse.hpp>

namespace tarn {

/// Half-open lifetimes of values in steps: value v is written by step v - 1 and needed until step last(v) has run.
/// The output lives to the end; the input from before the first step.
template <int Capacity> struct Lifetimes {
    int last[Capacity + 1] = {}; ///< the last step that reads it, `steps` for the output

    constexpr bool dies_at(int value, int step) const noexcept { return last[value] == step; }
    /// Alive while step runs, the step's own output left out.
    constexpr bool live_at(int value, int step) const noexcept { return value <= step && last[value] >= step; }
};

/// keep_all: every value lives to the end, for looking at all of them.
template <int Capacity> constexpr Lifetimes<Capacity> lifetimes_of(const Steps<Capacity>& net, bool keep_all) noexcept {
    Lifetimes<Capacity> lives;
    for (int v = 0; v <= net.count; ++v) lives.last[v] = keep_all ? net.count : v - 1;
    for (int s = 0; s < net.count && !keep_all; ++s) {
        lives.last[net.steps[s].input] = s;
        if (net.steps[s].other >= 0) lives.last[net.steps[s].other] = s;
    }
    lives.last[net.output] = net.count;
    return lives;
}

} // namespace tarn
