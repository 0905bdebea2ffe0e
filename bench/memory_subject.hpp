// SPDX-License-Identifier: MIT
// The memory of one subject: three plans as constants, without sessions, weights or kernels.
// Included by one translation unit per subject, which CMakeLists.txt writes.
// Knows plans; nothing of how they are printed.
#pragma once

#include "memory_facts.hpp"
#include "subject_list.hpp"
#include "subjects.hpp"

#include <tarn/cpu/cpu.hpp>
#include <tarn/plan/network.hpp>

namespace tarn_bench {

template <class Plan> int segments_of() {
    int segments = 0;
    for (int t = 0; t < Plan::task_count; ++t) segments += Plan::choice.rows[t] ? 1 : 0;
    return segments;
}

template <class TheSubject> MemoryFacts memory_of() {
    using Facts = tarn::Network<typename TheSubject::Net, typename TheSubject::In>;
    using Whole = tarn::Planned<Facts, tarn::Cpu<>, tarn::WholeTensors<tarn::Smallest>, true>;
    using Owned = tarn::Planned<Facts, tarn::Cpu<>, tarn::Smallest, true>;
    using External = tarn::Planned<Facts, tarn::Cpu<>, tarn::Smallest, false>;
    constexpr tarn::Bounds bounds = Owned::bounds;
    constexpr Published published = TheSubject::published;
    return {.sum = bounds.sum,
            .ping_pong = bounds.ping_pong,
            .lb0 = bounds.lb0,
            .lb0i = bounds.lb0i,
            .lb1 = bounds.lb1,
            .whole = Whole::arena_elems,
            .owned = Owned::arena_elems,
            .external = External::arena_elems,
            .steps = Facts::count,
            .segments_owned = segments_of<Owned>(),
            .segments_external = segments_of<External>(),
            .published_lb1 = published.lb1,
            .published_lb2 = published.lb2,
            .published_peak = published.peak,
            .peak_source = published.peak_source,
            .target_owned = TheSubject::target.owned,
            .target_external = TheSubject::target.external};
}

template <class TheSubject> bool list_subject(int order) {
    return SubjectList<MemoryFacts>::add({order, TheSubject::name, memory_of<TheSubject>});
}

} // namespace tarn_bench
