// SPDX-License-Identifier: MIT
// One subject as a shared library: its description, its weights, and sessions of it. bench/rivals/run_tarn.py loads it.
// Included by one translation unit per subject, which CMakeLists.txt writes and which says what TheSubject is.
// Knows the public face; nothing of rivals.
#pragma once

#include "models_description.hpp"
#include "models_subject.hpp"

#include <cstring>

namespace tarn_bench {

/// Calls f with the model under the policy of a name: "Winograd<Fastest>", "Winograd<Smallest>" or "Fastest".
template <class F> auto with_policy(const char* policy, const F& f) {
    using namespace tarn;
    if (std::strcmp(policy, "Fastest") == 0) return f.template operator()<SubjectModel<TheSubject, Fastest>>();
    if (std::strcmp(policy, "Winograd<Smallest>") == 0)
        return f.template operator()<SubjectModel<TheSubject, Winograd<Smallest>>>();
    return f.template operator()<SubjectModel<TheSubject, Winograd<Fastest>>>();
}

/// Zero, or 1 with the reason printed.
inline int said(const std::string& fault) {
    if (!fault.empty()) std::fprintf(stderr, "%s\n", fault.c_str());
    return fault.empty() ? 0 : 1;
}

} // namespace tarn_bench

#pragma GCC visibility push(default)
extern "C" {
int tarn_runs_here() { return tarn::Cpu<>::takes_best() ? 1 : 0; }
const char* tarn_description() {
    static const std::string text = tarn_bench::description_of<tarn_bench::TheSubject>();
    return text.c_str();
}
int tarn_write_weights(const char* path) {
    return tarn_bench::said(tarn_bench::write_random_parameters<tarn_bench::TheSubject::Net>(path));
}
std::size_t tarn_macs() { return tarn_bench::SubjectModel<tarn_bench::TheSubject, tarn::Smallest>::macs; }
std::size_t tarn_arena_bytes(const char* policy) {
    return tarn_bench::with_policy(policy, []<class TheModel>() { return TheModel::arena_bytes; });
}
/// Bytes of packed weights.
std::size_t tarn_weight_bytes(const char* policy) {
    return tarn_bench::with_policy(policy, []<class TheModel>() { return TheModel::weight_bytes; });
}
/// Null, with the reason printed, when the weights do not load.
void* tarn_open(const char* path, const char* policy) {
    return tarn_bench::with_policy(policy, [&]<class TheModel>() -> tarn_bench::OpenModel* {
        auto weights = TheModel::load(path);
        return weights ? new tarn_bench::Opened<TheModel>(std::move(weights))
                       : (void(tarn_bench::said(weights.error())), nullptr);
    });
}
float* tarn_input(void* model) { return static_cast<tarn_bench::OpenModel*>(model)->input().data(); }
const float* tarn_output(void* model, int index) {
    return static_cast<tarn_bench::OpenModel*>(model)->output(index).data();
}
int tarn_forward(void* model) { return static_cast<tarn_bench::OpenModel*>(model)->forward(), 0; }
}
#pragma GCC visibility pop
