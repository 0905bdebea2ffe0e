// SPDX-License-Identifier: MIT
// The profile of one subject: the tasks of its plans run one by one with a clock around each.
// Included by one translation unit per subject, which CMakeLists.txt writes.
// Knows plans and the run layer; nothing of how profiles are printed.
#pragma once

#include "models_description.hpp"
#include "models_subjects.hpp"
#include "networks.hpp"
#include "profile_facts.hpp"
#include "subject_list.hpp"

#include <tarn/run/tasks.hpp>

#include <algorithm>
#include <ctime>

namespace tarn_bench {

inline double clock_ns() {
    std::timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

inline std::string extents_words(const tarn::Extents& shape) {
    std::string words = "[";
    for (int i = 0; i < shape.rank; ++i) words += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return words + "]";
}

/// A step in words, as "conv2d 3x3 /2 [224, 224, 3] -> [112, 112, 32] relu6".
inline std::string step_words(const tarn::Op& op) {
    const tarn::Window& w = op.window;
    const bool depthwise = op.kind == tarn::OpKind::conv2d && op.groups > 1;
    std::string text = depthwise ? "depthwise" : kind_name(op.kind);
    if (op.kind == tarn::OpKind::conv2d || op.kind == tarn::OpKind::max_pool2d || op.kind == tarn::OpKind::avg_pool2d)
        text += " " + std::to_string(w.kernel_h) + "x" + std::to_string(w.kernel_w);
    if (w.stride_h > 1) text += " /" + std::to_string(w.stride_h);
    text += " " + extents_words(op.in) + " -> " + extents_words(op.out);
    if (op.add && op.kind != tarn::OpKind::add) text += " + add";
    if (op.act != tarn::Activation::none) text += std::string(" ") + activation_name(op.act);
    return text;
}

/// Runs the tasks of TheModel's plan. On the best kernels carried, unchecked: whoever asks for a profile asks the
/// processor before.
template <class TheModel> class Profiler {
    using Tasks = tarn::Tasks<TheModel>;

    static ProfiledTask described(int t) {
        ProfiledTask task{};
        task.steps = Tasks::step_count(t);
        task.first = step_words(Tasks::op(t, 0));
        task.last = step_words(Tasks::op(t, task.steps - 1));
        for (int s = 0; s < task.steps; ++s) task.macs += static_cast<double>(tarn::macs_of(Tasks::op(t, s)));
        return task;
    }
    static double median_of(std::vector<double>& values) {
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        return values[values.size() / 2];
    }

  public:
    /// In as many rounds as a second and a half holds, at least 5.
    static Profile profile(const char* policy, const typename TheModel::Weights& weights, const float* input) {
        std::vector<float> memory(TheModel::arena_bytes / sizeof(float) + 16);
        const std::size_t past = reinterpret_cast<std::size_t>(memory.data()) / sizeof(float) % 16;
        const float* const inputs[] = {input};
        float* const arena = memory.data() + (16 - past) % 16;
        const auto run = [&](int task) { Tasks::run(task, inputs, arena, weights); };
        const typename TheModel::Device::Scope scope;

        Profile profile{policy, TheModel::arena_bytes, 1e30, {}};
        const auto forward = [&] {
            const double before = clock_ns();
            for (int t = 0; t < Tasks::count; ++t) run(t);
            profile.best_ns = std::min(profile.best_ns, clock_ns() - before);
        };
        for (int warm_up = 0; warm_up < 3; ++warm_up) forward();
        const int rounds = static_cast<int>(std::clamp(0.75e9 / profile.best_ns, 5.0, 1000.0));
        std::vector<std::vector<double>> times(static_cast<std::size_t>(Tasks::count));
        for (int round = 0; round < rounds; ++round) {
            forward();
            double before = clock_ns();
            for (int t = 0; t < Tasks::count; ++t) {
                run(t);
                const double now = clock_ns();
                times[static_cast<std::size_t>(t)].push_back(now - before);
                before = now;
            }
        }
        for (int t = 0; t < Tasks::count; ++t) {
            std::vector<double>& taken = times[static_cast<std::size_t>(t)];
            profile.tasks.push_back(described(t));
            profile.tasks.back().best_ns = *std::min_element(taken.begin(), taken.end());
            profile.tasks.back().median_ns = median_of(taken);
        }
        return profile;
    }
};

template <class TheSubject> std::vector<Profile> profiles_of() {
    using Device = tarn::Cpu<tarn::cpu::Avx2>;
    using Net = typename TheSubject::Net;
    using In = typename TheSubject::In;
    using Small = tarn::Model<Net, In, Device, tarn::Smallest>;
    using Whole = tarn::Model<Net, In, Device, tarn::WholeTensors<tarn::Fastest>>;
    const auto weights = random_weights<Small>();
    const auto input = random_input<In::elems>();
    return {Profiler<Whole>::profile("WholeTensors<Fastest>", *weights, input.data()),
            Profiler<Small>::profile("Smallest", *weights, input.data())};
}

template <class TheSubject> bool list_subject(int order) {
    return SubjectList<std::vector<Profile>>::add({order, TheSubject::name, profiles_of<TheSubject>});
}

} // namespace tarn_bench
