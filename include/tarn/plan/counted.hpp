// SPDX-License-Identifier: MIT
// Counted: which steps and storages of a network have as many rows as its input happens to have, and which always the
// same.
// Beside lifetimes: UpTo's plans and sessions ask. Knows steps; nothing of kernels or memory.
#pragma once

#include <tarn/nn/reach.hpp>
#include <tarn/plan/steps.hpp>

namespace tarn {

/// Whether an Op makes one row of all the rows of its input: what comes after has a shape of its own.
constexpr bool ends_rows(const Op& op) noexcept {
    const Window& w = op.window;
    return is_windowed(op.kind) && row_count(op.out) == 1 && w.pad_top == 0 && w.pad_bottom == 0 &&
           w.reach_h() >= row_count(op.in);
}

/// By storage and by step: whether rows of it are counted while running. A step is one that reads such rows.
template <int Capacity> struct Counted {
    bool storage[Capacity + 1] = {};
    bool step[Capacity > 0 ? Capacity : 1] = {};

    constexpr explicit Counted(const Steps<Capacity>& net) noexcept {
        for (int i = 0; i < net.input_count; ++i) storage[i] = true;
        for (int s = 0; s < net.count; ++s) {
            const Step& at = net.steps[s];
            step[s] = storage[at.in.storage] || (at.other && storage[at.other.storage]);
            if (storage[at.in.storage] && !ends_rows(at.op)) storage[at.out.storage] = true;
        }
    }
};

} // namespace tarn
