// SPDX-License-Identifier: MIT
// How long a control loop waits for its network: readings from the host, targets back, on a card in each mode, with
// launches and with a graph, and on the processor beside it. usage: cuda_latency. Without a card, the processor alone,
// and exit 77. Knows the public face only.
#include "cuda_latency.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

namespace {

constexpr int forwards = 10'000;
using Readings = std::vector<float>; // [forwards + 48]: each forward begins one further

std::vector<std::vector<float>> drawn_parameters() {
    std::mt19937 random(1);
    std::vector<std::vector<float>> all;
    for (const tarn::NamedParameter& parameter : tarn::parameter_names<Policy>()) {
        std::uniform_real_distribution<float> values(-0.06F, 0.06F);
        std::vector<float>& made = all.emplace_back(parameter.shape.elems());
        for (float& value : made) value = values(random);
    }
    return all;
}

/// forward(readings, targets) -> whether it worked.
template <class Forward> bool measure(const char* what, const Readings& readings, const Forward& forward) {
    std::vector<double> microseconds;
    microseconds.reserve(forwards);
    float targets[12] = {}, sum = 0.F;
    for (std::size_t i = 0; i < forwards; ++i) {
        const std::span<const float, 48> now{readings.data() + i, 48};
        const auto before = std::chrono::steady_clock::now();
        if (!forward(now, std::span<float, 12>(targets))) return false;
        const auto after = std::chrono::steady_clock::now();
        microseconds.push_back(std::chrono::duration<double, std::micro>(after - before).count());
        sum += targets[i % 12];
    }
    std::sort(microseconds.begin(), microseconds.end());
    std::printf("%-28s p50 %7.1f us   p99 %7.1f us   max %8.1f us   (sum of targets %.4f)\n", what,
                microseconds[forwards / 2], microseconds[forwards / 100 * 99], microseconds.back(),
                static_cast<double>(sum));
    return true;
}

template <class M>
bool measure_on_card(const char* launched, const char* recorded, const Readings& readings,
                     const std::vector<const float*>& parameters) {
    const auto weights = std::make_unique<typename M::Weights>();
    M::pack(*weights, parameters);
    tarn::cuda::Session<M> session;
    const auto works = [](const tarn::cuda::Status& status) {
        if (!status.ok()) std::fprintf(stderr, "%s: %s\n", status.call, status.text);
        return status.ok();
    };
    const auto forward = [&](std::span<const float, 48> now, std::span<float, 12> targets) {
        return works(session.forward(now, targets));
    };
    return works(session.open(*weights)) && measure(launched, readings, forward) && works(session.record()) &&
           measure(recorded, readings, forward);
}

} // namespace

int main() {
    const auto drawn = drawn_parameters();
    std::vector<const float*> parameters;
    for (const auto& parameter : drawn) parameters.push_back(parameter.data());
    std::mt19937 random(2);
    std::uniform_real_distribution<float> values(-1.F, 1.F);
    Readings readings(forwards + 48);
    for (float& reading : readings) reading = values(random);

    const auto weights = std::make_unique<PolicyHere::Weights>();
    PolicyHere::pack(*weights, parameters);
    static PolicyHere::Session session{*weights};
    measure("processor", readings, [&](std::span<const float, 48> now, std::span<float, 12> targets) {
        const std::span<const float, 12> made = session.forward(now);
        std::copy(made.begin(), made.end(), targets.begin());
        return true;
    });

    int devices = 0;
    if (const cudaError_t found = cudaGetDeviceCount(&devices); found != cudaSuccess || devices == 0) {
        std::printf("cuda_latency: no card (%s): the rest is skipped\n", cudaGetErrorString(found));
        return 77;
    }
    using namespace tarn::cuda;
    const bool passed[] = {
        measure_on_card<PolicyOn<InPlace>>("card, a launch a layer", "card, as a graph", readings, parameters),
        measure_on_card<PolicyOn<OneLaunch>>("card, one launch", "card, one launch as a graph", readings, parameters),
        measure_on_card<PolicyOn<Library<>>>("card, cuBLASLt", "card, cuBLASLt as a graph", readings, parameters)};
    return std::all_of(std::begin(passed), std::end(passed), [](bool one) { return one; }) ? 0 : 1;
}
