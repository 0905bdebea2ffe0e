// SPDX-License-Identifier: MIT
// What allocation costs: forward in one arena against the same kernels with one heap allocation for every step's
// output, freed when it is dead. The third of the proposal's questions. `tools/bench allocation`.
// Both run in turn in one process, on the same weights and input; medians of many rounds.
#include "networks.hpp"
#include "table.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace {

using namespace tarn;

/// The rival: every step's output on the heap, 64-byte aligned, released after its last reader.
template <class M> class HeapForward {
  public:
    explicit HeapForward(const typename M::Weights& weights) : weights_(weights) {}

    void forward(std::span<const float, M::Input::elems> input, float* result) {
        const typename M::Device::Scope scope;
        storages_[0] = const_cast<float*>(input.data()); // read only: no step runs in place here
        run(std::make_integer_sequence<int, M::step_count>{});
        float* const last = storages_[steps.outputs[0].view.storage];
        std::memcpy(result, last, M::Output::elems * sizeof(float));
        std::free(last);
    }

  private:
    static constexpr auto& steps = M::Facts::steps;
    static constexpr auto lives = lifetimes_of(steps, false);

    template <int... I> void run(std::integer_sequence<int, I...>) {
        if (M::Device::takes_best())
            ((step<typename M::Device::Best, I>()), ...);
        else
            ((step<typename M::Device::Base, I>()), ...);
    }
    template <class Kernels, int I> void step() {
        constexpr Step step = steps.steps[I];
        static_assert(step.in.offset == 0 && step.out.offset == 0); // no concats here: every step's output is a storage
        const std::size_t bytes = (step.op.out.elems() * sizeof(float) + 63) / 64 * 64;
        storages_[step.out.storage] = static_cast<float*>(std::aligned_alloc(64, bytes));
        const float* other = nullptr;
        if constexpr (step.other.storage >= 0) other = storages_[step.other.storage];
        Kernels::template run<step.op, Schedule{}>(storages_[step.in.storage], other, storages_[step.out.storage],
                                                   nullptr, M::template step_weights<I>(weights_));
        for (int v = 1; v < steps.storage_count; ++v)
            if (lives.death[v] == I) std::free(storages_[v]);
    }

    const typename M::Weights& weights_;
    float* storages_[static_cast<std::size_t>(steps.storage_count)] = {};
};

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

template <class F> double nanoseconds_of(int repeats, F run) {
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) run();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before).count() / repeats;
}

template <class Any> bool measure(tarn_bench::Table& table, const char* name, int repeats) {
    using M = Model<typename Any::Module, typename Any::Input, typename Any::Device, WholeTensors<Smallest>>;
    const auto weights = tarn_bench::random_weights<M>();
    const auto input = tarn_bench::random_input<M::Input::elems>();
    const std::span<const float, M::Input::elems> x{input.data(), M::Input::elems};
    auto session = std::make_unique<typename M::Session>(*weights);
    HeapForward<M> heap(*weights);
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

} // namespace

int main(int argc, char** argv) {
    tarn_bench::Table table("forward in one arena against the same kernels with a heap allocation per step (medians)");
    const bool same = measure<tarn_bench::Perceptron>(table, "perceptron 48-64-64-12", 4000) &&
                      measure<tarn_bench::Digits>(table, "digits", 2000) &&
                      measure<tarn_bench::Residuals>(table, "residual 32x32", 10) &&
                      measure<tarn_bench::Mobile>(table, "mobile 96x96", 5);
    return same && table.finish(argc > 1 ? argv[1] : nullptr) ? 0 : 1;
}
