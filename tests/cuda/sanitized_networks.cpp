// SPDX-License-Identifier: MIT
// Whole networks as one launch under ThreadSanitizer: no race as planned; and a race as soon as any one of the barriers
// between phases is left out, so none of them is there for nothing.
// Compiled with the sanitizer by CMakeLists.txt beside it. Knows networks by their public face.
#include "cuda/network_check.hpp"
#include "cuda/networks.hpp"
#include "support/random.hpp"

#include <atomic>
#include <cstdio>

namespace {

std::atomic<int> reports{0};

} // namespace

// Called by ThreadSanitizer for each report, and for its options at the start: equal races are reported again, and
// nobody reads where they are.
extern "C" void __tsan_on_report(const void*) { reports.fetch_add(1, std::memory_order_relaxed); }
extern "C" const char* __tsan_default_options() {
    return "suppress_equal_stacks=0:suppress_equal_addresses=0:exitcode=0:symbolize=0";
}

namespace {

using namespace tarn_test;
using TestGrid = tarn::cuda::DeviceGrid<32, 2, Factor::f32, 2000>;

/// A context that leaves out one barrier between phases, counted from 0; -1 for none.
template <class C> class Leaving {
  public:
    static constexpr int threads = C::threads;

    Leaving(const C& right, int phase) : right_(right), phase_(phase) {}
    int thread() const { return right_.thread(); }
    int block() const { return right_.block(); }
    int blocks() const { return right_.blocks(); }
    void warp_barrier() const { right_.warp_barrier(); }
    void block_barrier() const { right_.block_barrier(); }
    void grid_barrier() const { right_.grid_barrier(); }
    float shuffle_xor(float value, int mask) const { return right_.shuffle_xor(value, mask); }
    template <class T> T* shared() const { return right_.template shared<T>(); }
    template <Factor F> void multiply_add(float (&sums)[4], const float (&a)[4], const float (&b)[2]) const {
        right_.template multiply_add<F>(sums, a, b);
    }
    template <Scope S> void before_phase(int phase) const {
        if (phase == phase_) return;
        if constexpr (S == Scope::block) right_.block_barrier();
        if constexpr (S == Scope::grid) right_.grid_barrier();
    }

  private:
    const C& right_;
    int phase_;
};

template <class TheModel, int S> void run_phase(const auto& context, float* arena, const void* weights) {
    using Step = tarn::DeviceStep<TheModel, S>;
    context.template before_phase<Step::before>(S);
    if constexpr (!Step::solo)
        Step::run(context, arena, weights);
    else if (context.block() == 0)
        Step::run(tarn::cuda::SoloContext(context), arena, weights);
}

/// Reports of a run that leaves out the barrier before a phase.
template <class TheModel, int... S> int reports_without(int phase, std::integer_sequence<int, S...>) {
    Random random(3);
    const DeviceFloats arena(random.reals(TheModel::device_arena_bytes / sizeof(float)));
    const GuardedBlock memory(sizeof(typename TheModel::Weights));
    std::memset(memory.data(), 0, memory.bytes());
    const int before = reports.load(std::memory_order_relaxed);
    const std::string fault = launch<TheModel::Grid::threads>(
        2, tarn::NetworkLaunch<TheModel>::shared_bytes, {{Order::forward}}, [&](const auto& context) {
            const Leaving leaving(context, phase);
            (run_phase<TheModel, S>(leaving, arena.data(), memory.data()), ...);
        });
    if (fault != "") std::printf("%s\n", fault.c_str());
    return reports.load(std::memory_order_relaxed) - before;
}

template <class Net, class In> bool check_network(const char* name) {
    using TheModel = tarn::DeviceModel<Net, In, TestGrid>;
    constexpr auto all = std::make_integer_sequence<int, TheModel::step_count>{};
    const int planned = reports_without<TheModel>(-1, all);
    std::printf("%s: %d races as planned\n", name, planned);
    bool right = planned == 0;
    for (int phase = 0; phase < TheModel::step_count; ++phase) {
        if (TheModel::Planning::plan.before[phase] == Scope::none) continue;
        const int found = reports_without<TheModel>(phase, all);
        std::printf("%s: %d races without the barrier before phase %d\n", name, found, phase);
        right = right && found > 0;
    }
    return right;
}

} // namespace

int main() {
    const bool right[] = {check_network<Mlp, MlpIn>("MLP"), check_network<RowNet, RowIn>("rows"),
                          check_network<MobileNet, MobileIn>("MobileNet"), check_network<UNet, UNetIn>("U-Net"),
                          check_network<GruNet, GruIn>("GRU")};
    bool all = true;
    for (const bool one : right) all = all && one;
    std::printf("%s\n", all ? "all right" : "wrong");
    return all ? 0 : 1;
}
