// SPDX-License-Identifier: MIT
// The time of one subject: forward under Smallest and under WholeTensors<Fastest>, on the same weights and input, in
// turn, and the same bits of both.
// Included by one translation unit per subject, which CMakeLists.txt writes.
// Knows the public face; nothing of how times are printed.
#pragma once

#include "streaming_timing.hpp"
#include "networks.hpp"
#include "subject_list.hpp"
#include "subjects.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace tarn_bench {

/// Nanoseconds that this thread has run: what others do on the machine meanwhile is not counted.
inline double thread_ns() {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class F> double ns_per_run(int repeats, const F& run) {
    const double before = thread_ns();
    for (int i = 0; i < repeats; ++i) run();
    return (thread_ns() - before) / repeats;
}

inline double median_of(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

template <class A, class B, int... I> bool same_outputs(const A& a, const B& b, std::integer_sequence<int, I...>) {
    return ((std::memcmp(a.template output<I>().data(), b.template output<I>().data(),
                         a.template output<I>().size_bytes()) == 0) &&
            ...);
}

/// On the best instruction set carried, unchecked: streaming_bench asks the processor before.
template <class TheSubject> StreamingTiming timing_of() {
    using Device = tarn::Cpu<tarn::cpu::Avx2>;
    using Small = tarn::Model<typename TheSubject::Net, typename TheSubject::In, Device, tarn::Smallest>;
    using Whole =
        tarn::Model<typename TheSubject::Net, typename TheSubject::In, Device, tarn::WholeTensors<tarn::Fastest>>;
    static_assert(std::is_same_v<typename Small::Weights, typename Whole::Weights>);

    const auto weights = random_weights<Small>();
    const auto values = random_input<Small::Input::elems>();
    const std::span<const float, Small::Input::elems> input{values.data(), Small::Input::elems};
    const auto small = std::make_unique<typename Small::Session>(*weights);
    const auto whole = std::make_unique<typename Whole::Session>(*weights);
    const auto run_small = [&] { small->forward(input); };
    const auto run_whole = [&] { whole->forward(input); };

    const double once = std::max(ns_per_run(1, run_small), ns_per_run(1, run_whole));
    StreamingTiming timing{};
    timing.same_bits = same_outputs(*small, *whole, std::make_integer_sequence<int, Small::output_count>{});
    const int repeats = once < 1e7 ? static_cast<int>(1e7 / once) + 1 : 1;
    std::vector<double> small_ns, whole_ns, speed;
    double spent = 0;
    while (speed.size() < 15 || (speed.size() < 61 && spent < 3e9)) {
        const auto time_small = [&] { small_ns.push_back(ns_per_run(repeats, run_small)); };
        const auto time_whole = [&] { whole_ns.push_back(ns_per_run(repeats, run_whole)); };
        speed.size() % 2 == 0 ? (time_small(), time_whole()) : (time_whole(), time_small());
        speed.push_back(whole_ns.back() / small_ns.back());
        spent += repeats * (small_ns.back() + whole_ns.back());
    }
    timing.macs = static_cast<double>(Small::macs);
    timing.smallest_arena = Small::arena_bytes;
    timing.whole_arena = Whole::arena_bytes;
    timing.smallest_ns = median_of(small_ns);
    timing.whole_ns = median_of(whole_ns);
    timing.speed_of_medians = timing.whole_ns / timing.smallest_ns;
    timing.median_speed = median_of(speed);
    timing.best_speed =
        *std::min_element(whole_ns.begin(), whole_ns.end()) / *std::min_element(small_ns.begin(), small_ns.end());
    timing.pairs = static_cast<int>(speed.size());
    timing.least_speed = TheSubject::least_speed;
    return timing;
}

template <class TheSubject> bool list_subject(int order) {
    return SubjectList<StreamingTiming>::add({order, TheSubject::name, timing_of<TheSubject>});
}

} // namespace tarn_bench
