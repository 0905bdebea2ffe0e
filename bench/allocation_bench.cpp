// SPDX-License-Identifier: MIT
// What allocation costs: forward in one arena against the same kernels with one heap allocation for every step's
// output, freed when it is dead. The third of the proposal's questions. `tools/bench allocation`.
// Both run in turn in one process on one core, on the same weights and input; medians of many rounds of thread time.
#include "cpu_pin.hpp"
#include "cpu_timing.hpp"
#include "latency_heap.hpp"
#include "networks.hpp"
#include "table.hpp"

#include <tarn/zoo/mobilenet_v2.hpp>
#include <tarn/zoo/resnet.hpp>

#include <cstring>

namespace {

using namespace tarn;

template <class F> double nanoseconds_of(int repeats, F run) {
    const double before = tarn_bench::thread_time_ns();
    for (int i = 0; i < repeats; ++i) run();
    return (tarn_bench::thread_time_ns() - before) / repeats;
}

constexpr auto median = tarn_bench::Times::median_of;

template <class Any> bool measure(tarn_bench::Table& table, const char* name, int repeats) {
    using M = Model<typename Any::Module, typename Any::Input, typename Any::Device,
                    WholeTensors<Fastest>>; // the same schedules
    const auto weights = tarn_bench::random_weights<M>();
    const auto input = tarn_bench::random_input<M::Input::elems>();
    const std::span<const float, M::Input::elems> x{input.data(), M::Input::elems};
    auto session = std::make_unique<typename M::Session>(*weights);
    tarn_bench::HeapForward<M> heap(*weights);
    std::vector<float> result(M::Output::elems);
    heap.forward(x, result.data());
    const auto expected = session->forward(x);
    if (std::memcmp(expected.data(), result.data(), sizeof(float) * result.size()) != 0)
        return std::printf("%s: the two forwards differ\n", name), false;

    std::vector<double> arena, allocated, ratio;
    for (int round = 0; round < 41; ++round) {
        const auto run_arena = [&] { arena.push_back(nanoseconds_of(repeats, [&] { session->forward(x); })); };
        const auto run_heap = [&] {
            allocated.push_back(nanoseconds_of(repeats, [&] { heap.forward(x, result.data()); }));
        };
        round % 2 == 0 ? (run_arena(), run_heap()) : (run_heap(), run_arena());
        ratio.push_back(allocated.back() / arena.back());
    }
    table.add(name, {{"steps", static_cast<double>(M::step_count)},
                     {"arena_ns", median(arena)},
                     {"allocating_ns", median(allocated)},
                     {"allocating_over_arena", median(ratio)},
                     {"extra_ns_per_step", (median(allocated) - median(arena)) / M::step_count}});
    return true;
}

/// Large ones: tensors of megabytes.
using Inverted224 = Model<zoo::MobileNetV2<>, Shape<224, 224, 3>>;
using Residual224 = Model<zoo::ResNet18<>, Shape<224, 224, 3>>;

} // namespace

int main(int argc, char** argv) {
    tarn_bench::pin_to_last_core();
    tarn_bench::Table table("forward in one arena against the same kernels with a heap allocation per step (medians)");
    const bool same = measure<tarn_bench::Perceptron>(table, "perceptron 48-64-64-12", 4000) &&
                      measure<tarn_bench::Digits>(table, "digits", 2000) &&
                      measure<tarn_bench::Residuals>(table, "residual 32x32", 10) &&
                      measure<tarn_bench::Mobile>(table, "mobile 96x96", 5) &&
                      measure<Inverted224>(table, "MobileNetV2 224x224", 1) &&
                      measure<Residual224>(table, "ResNet-18 224x224", 1);
    return same && table.finish(argc > 1 ? argv[1] : nullptr) ? 0 : 1;
}
