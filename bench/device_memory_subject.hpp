// SPDX-License-Identifier: MIT
// The memory of one subject on a card: plans as constants, without sessions, weights or kernels.
// Included by one translation unit per subject, which CMakeLists.txt writes.
// Knows plans; nothing of how they are printed.
#pragma once

#include "device_memory_facts.hpp"
#include "subject_list.hpp"
#include "subjects.hpp"

#include <tarn/run/network_launch.hpp>

namespace tarn_bench {

template <class TheSubject> DeviceMemoryFacts memory_of() {
    // One block of 256 threads on each of an H200's 132 multiprocessors.
    using M = tarn::DeviceModel<typename TheSubject::Net, typename TheSubject::In, tarn::cuda::DeviceGrid<256, 132>>;
    DeviceMemoryFacts facts{};
    facts.ping_pong = M::ping_pong_bytes;
    facts.largest = facts.ping_pong / 2;
    facts.apart = M::apart_arena_bytes;
    facts.smallest = M::device_arena_bytes;
    facts.weights = M::device_weight_bytes;
    facts.steps = M::step_count;
    for (int s = 0; s < M::step_count; ++s) {
        facts.held += M::Planning::plan.held[s] ? 1 : 0;
        facts.owned += M::Planning::plan.owned[s] ? 1 : 0;
        const tarn::cuda::Scope before = M::Planning::plan.before[s];
        facts.grid_barriers += before == tarn::cuda::Scope::grid ? 1 : 0;
        facts.block_barriers += before == tarn::cuda::Scope::block ? 1 : 0;
        facts.without += before == tarn::cuda::Scope::none ? 1 : 0;
    }
    facts.grid_barriers += facts.held;
    return facts;
}

template <class TheSubject> bool list_subject(int order) {
    return SubjectList<DeviceMemoryFacts>::add({order, TheSubject::name, memory_of<TheSubject>});
}

} // namespace tarn_bench
