// SPDX-License-Identifier: MIT
// Lifetimes: from which step to which a storage must be kept, and which are alive together.
// Third step of planning. Knows steps; nothing of kernels or places in memory.
#pragma once

#include <tarn/plan/steps.hpp>

namespace tarn {

/// A storage is first written by step birth (-1: an input) and needed until step death has run (the count of steps for
/// an output).
template <int Capacity> struct Lifetimes {
    int birth[Capacity + 1] = {};
    int death[Capacity + 1] = {};
};

/// keep_all: every storage lives to the end, for looking at all of them.
template <int Capacity> constexpr Lifetimes<Capacity> lifetimes_of(const Steps<Capacity>& net, bool keep_all) noexcept {
    Lifetimes<Capacity> lives;
    for (int i = 0; i < net.storage_count; ++i) {
        lives.birth[i] = net.is_input(i) ? -1 : net.count;
        lives.death[i] = keep_all ? net.count : -1;
    }
    for (int s = 0; s < net.count; ++s) {
        const Step& step = net.steps[s];
        if (lives.birth[step.out.storage] > s) lives.birth[step.out.storage] = s;
        if (keep_all) continue;
        if (lives.death[step.out.storage] < s) lives.death[step.out.storage] = s;
        lives.death[step.in.storage] = s;
        if (step.other) lives.death[step.other.storage] = s;
    }
    for (int i = 0; i < net.output_count; ++i) lives.death[net.outputs[i].view.storage] = net.count;
    return lives;
}

} // namespace tarn
