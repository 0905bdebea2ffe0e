// SPDX-License-Identifier: MIT
// Every layer of cpu_bench, by tarn and by each rival, and every network of models_bench under each policy, as programs
// of Google Benchmark: its flags filter, repeat and report. `tools/bench ops [--benchmark_filter=REGEX ...]`.
// One process pinned to one core, one thread, random data; results are compared by cpu_bench and models_bench.
// Knows rows and rivals by their interfaces, networks by the C functions of models_library.hpp.
#include "cpu_pin.hpp"
#include "cpu_rows.hpp"
#include "table.hpp"

#include <benchmark/benchmark.h>

#include <tarn/cpu/cpu.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include <dlfcn.h>

namespace {

using namespace tarn_bench;

/// Prints as Google Benchmark does and keeps name, time, and rates for the JSON that every bench writes.
class KeepingReporter : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run>& runs) override {
        ConsoleReporter::ReportRuns(runs);
        for (const Run& run : runs) {
            if (run.error_occurred) continue;
            std::vector<Figure> figures{{"real_ns", run.GetAdjustedRealTime()},
                                        {"cpu_ns", run.GetAdjustedCPUTime()},
                                        {"iterations", static_cast<double>(run.iterations)}};
            for (const auto& [name, counter] : run.counters) figures.push_back({name, counter.value});
            table_.add(run.benchmark_name(), std::move(figures));
        }
    }
    bool write(const char* path) const { return Table::write({&table_}, path); }

  private:
    Table table_{""};
};

/// A row with everybody who can do it; kept until another row is asked for, since rows follow each other.
struct Prepared {
    Case made{};
    std::vector<Contender> contenders{};

    static Prepared& of(const Row& row) {
        static std::string name;
        static Prepared last;
        if (name == row.name) return last;
        name = row.name;
        last = Prepared{};
        last.made = row.make();
        last.contenders = last.made.own;
        for (const Rival& rival : rivals())
            if (rival.is_here()) rival.prepare(last.made.problem, last.contenders);
        return last;
    }
};

void layer(benchmark::State& state, const Row& row, const std::string& who) {
    Prepared& prepared = Prepared::of(row);
    const auto found = std::find_if(prepared.contenders.begin(), prepared.contenders.end(),
                                    [&](const Contender& contender) { return contender.name == who; });
    if (found == prepared.contenders.end()) return state.SkipWithError("has nothing for this layer");
    found->run(1);
    constexpr int batch = 16; // runs between two looks at the clock
    while (state.KeepRunningBatch(batch)) found->run(batch);
    const auto runs = static_cast<double>(state.iterations());
    if (prepared.made.flops > 0)
        state.counters["flops_per_s"] = {prepared.made.flops * runs, benchmark::Counter::kIsRate};
    if (prepared.made.bytes > 0)
        state.counters["bytes_per_s"] = {prepared.made.bytes * runs, benchmark::Counter::kIsRate};
}

/// A network's shared library, opened for good.
class Network {
  public:
    explicit Network(const std::string& path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        const std::string stem = std::filesystem::path(path).stem().string(), prefix = "libmodels_";
        name_ = stem.compare(0, prefix.size(), prefix) == 0 ? stem.substr(prefix.size()) : stem;
    }
    const std::string& name() const { return name_; }
    bool usable() const { return library_ != nullptr && function<int()>("tarn_runs_here")() != 0; }

    void run(benchmark::State& state, const char* policy) const {
        const std::string weights =
            (std::filesystem::temp_directory_path() / ("tarn_ops_" + name_ + ".safetensors")).string();
        const bool written = function<int(const char*)>("tarn_write_weights")(weights.c_str()) == 0;
        void* const model =
            written ? function<void*(const char*, const char*)>("tarn_open")(weights.c_str(), policy) : nullptr;
        std::filesystem::remove(weights);
        if (model == nullptr) return state.SkipWithError("its weights could not be written and read");
        const auto forward = function<int(void*)>("tarn_forward");
        for (auto _ : state) forward(model);
        const auto bytes = function<std::size_t(const char*)>("tarn_arena_bytes")(policy);
        state.counters["arena_bytes"] = static_cast<double>(bytes);
        const auto macs = static_cast<double>(function<std::size_t()>("tarn_macs")());
        state.counters["macs_per_s"] = {macs * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate};
    }

  private:
    template <class F> F* function(const char* name) const { return reinterpret_cast<F*>(dlsym(library_, name)); }

    void* library_;
    std::string name_;
};

void register_all() {
    for (const Row& row : rows_in_order()) {
        std::vector<std::string> names{own_name};
        for (const Rival& rival : rivals())
            if (std::find(names.begin(), names.end(), rival.name) == names.end()) names.push_back(rival.name);
        for (const std::string& who : names)
            benchmark::RegisterBenchmark((row.name + "/" + who).c_str(),
                                         [row, who](benchmark::State& state) { layer(state, row, who); });
    }
    std::istringstream paths(TARN_BENCH_MODELS);
    for (std::string path; std::getline(paths, path, ':');) {
        const Network network(path);
        if (!network.usable()) continue;
        for (const char* const policy : {"Fastest", "Winograd<Fastest>", "Winograd<Smallest>"})
            benchmark::RegisterBenchmark((network.name() + "/" + policy).c_str(),
                                         [network, policy](benchmark::State& state) { network.run(state, policy); });
    }
}

} // namespace

int main(int argc, char** argv) {
    begin_with_one_thread(argv);
    const char* const json = argc > 1 && argv[1][0] != '-' ? argv[1] : nullptr;
    if (json != nullptr) argv[1] = argv[0], ++argv, --argc;
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    pin_to_last_core();
    const tarn::Cpu<>::Scope scope; // subnormals are zeros for everybody alike
    register_all();
    KeepingReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return json == nullptr || reporter.write(json) ? 0 : 1;
}
