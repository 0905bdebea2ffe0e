// SPDX-License-Identifier: MIT
// A million forwards, each timed by itself: p50, p99, p99.9 and the worst, beside the same kernels with a heap
// allocation per step, ONNX Runtime where it is found, and a loop that only counts. `tools/bench latency [FORWARDS]`.
// One process pinned to one core, contenders in turn; what interrupted them is counted and told.
// Knows networks as models with an ONNX graph, and how latencies are taken.
#include "cpu_pin.hpp"
#include "latency_heap.hpp"
#include "latency_networks.hpp"
#include "latency_onnxruntime.hpp"
#include "latency_timing.hpp"
#include "table.hpp"

#include <array>
#include <cstdlib>

#include <sys/mman.h>

namespace {

using namespace tarn_bench;

/// Random parameters of a model: packed for tarn, plain for ONNX.
template <class M> struct Weighted {
    std::vector<std::vector<float>> values = random_parameters<typename M::Module>().values;
    Parameters pointers{};
    std::unique_ptr<typename M::Weights> packed = std::make_unique<typename M::Weights>();

    Weighted() {
        for (const std::vector<float>& made : values) pointers.push_back(made.data());
        M::pack(*packed, pointers);
    }
};

bool agree(const char* network, const char* who, const float* a, const float* b, std::size_t elems) {
    for (std::size_t i = 0; i < elems; ++i) {
        if (std::fabs(a[i] - b[i]) <= 1e-4F * (1 + std::fabs(a[i]))) continue;
        std::printf("%s: %s differs from tarn: %g, not %g\n", network, who, static_cast<double>(b[i]),
                    static_cast<double>(a[i]));
        return false;
    }
    return true;
}

class Report {
  public:
    explicit Report(std::size_t forwards) : forwards_(forwards) {}

    /// The first of the runners is tarn; a loop that only counts comes behind the last.
    void measure(const char* network, std::vector<Runner> runners) {
        runners.push_back(counting_like(runners[0]));
        const std::vector<Latencies> all = latencies_of(runners, forwards_);
        for (std::size_t r = 0; r < runners.size(); ++r) {
            const Latencies& one = all[r];
            const double p50 = one.at(0.5), p999 = one.at(0.999);
            const std::string name = std::string(network) + ", " + runners[r].name;
            table_.add(name, {{"p50_ns", p50},
                              {"p99_ns", one.at(0.99)},
                              {"p99.9_ns", p999},
                              {"max_ns", static_cast<double>(one.ns.back())},
                              {"p99.9_over_p50", p999 / p50},
                              {"over_1.2_p50", static_cast<double>(one.over(1.2 * p50))},
                              {"timer_interrupts", static_cast<double>(one.met.timer)},
                              {"other_interrupts", static_cast<double>(one.met.other)},
                              {"context_switches", static_cast<double>(one.met.switches)},
                              {"stolen_ms", static_cast<double>(one.met.stolen_ms)}});
            if (r == 0 && p999 > 1.2 * p50) explain(network, one, p50, all.back());
        }
    }
    bool finish(const char* json) const {
        const bool written = table_.finish(json);
        std::fputs(reasons_.c_str(), stdout);
        return written;
    }

  private:
    void explain(const char* network, const Latencies& one, double p50, const Latencies& counting) {
        char text[600];
        std::snprintf(text, sizeof text,
                      "%s: p99.9 is over 1.2 times p50: %zu of %zu forwards took longer than that, while this core was "
                      "interrupted %ld times (%ld by its timer), gave way to other work %ld times and lost %ld ms to "
                      "the host; of as many loops of about that length that only count, in registers, %zu took longer "
                      "than 1.2 times their p50, which their p99.9 was %.2f times\n",
                      network, one.over(1.2 * p50), one.ns.size(), one.met.timer + one.met.other, one.met.timer,
                      one.met.switches, one.met.stolen_ms, counting.over(1.2 * counting.at(0.5)),
                      counting.at(0.999) / counting.at(0.5));
        reasons_ += text;
    }

    std::size_t forwards_;
    std::string reasons_{};
    Table table_{"latency of single forwards; figures contain one reading of the clock"};
};

/// in, out: the tensors of the ONNX graph.
template <class M>
bool forwards(Report& report, const char* name, OnnxModel (*graph)(const Parameters&), const Dims& in,
              const Dims& out) {
    const Weighted<M> weights;
    std::vector<float> input = random_input<M::Input::elems>();
    std::vector<float> heap_result(M::Output::elems), onnx_result(M::Output::elems);
    const std::span<const float, M::Input::elems> x{input.data(), M::Input::elems};
    const auto session = std::make_unique<typename M::Session>(*weights.packed);
    HeapForward<M> heap(*weights.packed);
    std::vector<Runner> runners{{"tarn", [&] { session->forward(x); }},
                                {"allocating", [&] { heap.forward(x, heap_result.data()); }}};
    std::unique_ptr<OnnxRuntime> onnx;
    if (OnnxRuntime::available()) {
        onnx = std::make_unique<OnnxRuntime>(graph(weights.pointers).file(),
                                             std::vector<OnnxRuntime::Tensor>{{"x", in, input.data()}},
                                             std::vector<OnnxRuntime::Tensor>{{"y", out, onnx_result.data()}});
        runners.push_back({"ONNX Runtime", [&] { onnx->run(); }});
    }
    for (const Runner& runner : runners) runner.forward();
    const float* const expected = session->template output<0>().data();
    if (!agree(name, "allocating", expected, heap_result.data(), heap_result.size())) return false;
    if (onnx && !agree(name, "ONNX Runtime", expected, onnx_result.data(), onnx_result.size())) return false;
    report.measure(name, runners);
    return true;
}

/// A stream's steps with an allocation for what each makes; only the state stays.
class HeapListener {
  public:
    explicit HeapListener(const Listener::Weights& weights) : weights_(weights) {}

    float push(float x) {
        const Listener::Device::Scope scope;
        return Listener::Device::takes_best() ? step<Listener::Device::Best>(x) : step<Listener::Device::Base>(x);
    }

  private:
    static constexpr auto& steps = Listener::Facts::steps;
    static constexpr Op cell = row_form(steps.steps[0].op), dense = row_form(steps.steps[1].op);
    using Cell = cpu::Geometry<cell>;

    template <class Kernels> float step(float x) {
        float* const hidden = heap_floats(stream_hidden);
        float* const scratch = heap_floats(Cell::row_scratch_elems);
        Kernels::template recur<cell>(&x, hidden, state_.data(), scratch, Listener::step_weights<0>(weights_));
        std::free(scratch);
        float* const out = heap_floats(1);
        const float* const rows[] = {hidden};
        Kernels::template row<dense>(RowTaps{rows}, nullptr, out, Listener::step_weights<1>(weights_));
        const float y = *out;
        std::free(hidden);
        std::free(out);
        return y;
    }

    const Listener::Weights& weights_;
    alignas(64) std::array<float, Cell::state_elems> state_{};
};

bool stream(Report& report) {
    const char* const name = "GRU-16 stream";
    const Weighted<Listener> weights;
    const std::vector<float> input = random_input<1024>();
    const auto own = std::make_unique<Listener::Stream>(*weights.packed);
    HeapListener heap(*weights.packed);
    std::array<std::size_t, 3> at{};
    std::array<float, 3> y{};
    const auto next = [&](std::size_t who) { return input[at[who]++ % 1024]; };
    std::vector<Runner> runners{{"tarn",
                                 [&] {
                                     const float x = next(0);
                                     y[0] = own->push(std::span<const float, 1>{&x, 1})[0];
                                 }},
                                {"allocating", [&] { y[1] = heap.push(next(1)); }}};
    // The state goes back and forth between two buffers, so there are two sets of tensors.
    float x = 0;
    std::array<float, stream_hidden> states[2]{};
    std::unique_ptr<OnnxRuntime> onnx[2];
    if (OnnxRuntime::available()) {
        const std::string file = listener_onnx(weights.pointers).file();
        for (std::size_t i = 0; i < 2; ++i)
            onnx[i] = std::make_unique<OnnxRuntime>(
                file,
                std::vector<OnnxRuntime::Tensor>{{"x", {1, 1, 1}, &x}, {"h", {1, 1, stream_hidden}, states[i].data()}},
                std::vector<OnnxRuntime::Tensor>{{"y", {1, 1, 1}, &y[2]},
                                                 {"next", {1, 1, stream_hidden}, states[1 - i].data()}});
        runners.push_back({"ONNX Runtime", [&] {
                               const std::size_t turn = at[2] % 2;
                               x = next(2);
                               onnx[turn]->run();
                           }});
    }
    for (int i = 0; i < 100; ++i)
        for (const Runner& runner : runners) runner.forward();
    if (!agree(name, "allocating", &y[0], &y[1], 1)) return false;
    if (onnx[0] && !agree(name, "ONNX Runtime", &y[0], &y[2], 1)) return false;
    report.measure(name, runners);
    return true;
}

} // namespace

int main(int argc, char** argv) {
    pin_to_last_core();
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) std::printf("memory could not be locked\n");
    const bool first = setpriority(PRIO_PROCESS, 0, -20) == 0;
    const auto count = argc > 2 ? static_cast<std::size_t>(std::atol(argv[2])) : std::size_t{1000000};
    std::printf("%zu forwards each%s; clock_gettime(CLOCK_MONOTONIC_RAW) itself takes %lld ns; %s\n", count,
                first ? ", at the highest priority among ordinary programs" : "",
                static_cast<long long>(clock_cost_ns()), OnnxRuntime::why().c_str());
    Report report(count);
    const bool same = forwards<Digits>(report, "digits", digits_onnx, {1, 1, 8, 8}, {1, 10}) &&
                      forwards<Policy>(report, "quadruped policy", policy_onnx, {1, 48}, {1, 12}) && stream(report);
    return same && report.finish(argc > 1 ? argv[1] : nullptr) ? 0 : 1;
}
