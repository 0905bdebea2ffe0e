// SPDX-License-Identifier: MIT
// What single things cost on a card: taking and giving back memory, a launch, a node of a graph, barriers of a grid and
// of a block. One part of bench/gpu.
// Knows the runtime; the barriers are those of DeviceContext, nothing else here is tarn's.
#include "report.hpp"

#include <tarn/cuda/kernel.cuh>

namespace {

using namespace tarn_bench;

constexpr int many = 1000; // barriers of a launch, nodes of a graph
constexpr int block_threads = 256;

struct Empty {
    static constexpr int threads = block_threads;
    template <class Context> TARN_DEVICE static void run(const Context&) {}
};
/// Count barriers one after another; nothing is ordered but the waiting itself.
template <int Count> struct GridBarriers {
    static constexpr int threads = block_threads;
    template <class Context> TARN_DEVICE static void run(const Context& context) {
        for (int i = 0; i < Count; ++i) context.grid_barrier();
    }
};
template <int Count> struct BlockBarriers {
    static constexpr int threads = block_threads;
    template <class Context> TARN_DEVICE static void run(const Context& context) {
        for (int i = 0; i < Count; ++i) context.block_barrier();
    }
};

void launch(const void* kernel, int blocks, bool cooperative, cudaStream_t stream) {
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(blocks));
    how.blockDim = dim3(block_threads);
    how.stream = stream;
    how.attrs = &together;
    how.numAttrs = cooperative ? 1 : 0;
    must(cudaLaunchKernelExC(&how, kernel, nullptr), "cudaLaunchKernelExC");
}
template <class Work> const void* kernel_of() {
    return reinterpret_cast<const void*>(static_cast<void (*)()>(&tarn::cuda::kernel<Work>));
}

void add_host_row(Report& report, const std::string& name, std::vector<double> ns, double each = 1.0) {
    for (double& one : ns) one /= each;
    report.add(name,
               {{"p50_ns", median(ns)}, {"p99_ns", quantile(ns, 0.99)}, {"calls", static_cast<double>(ns.size())}});
}
void add_device_row(Report& report, const std::string& name, double ns) { report.add(name, {{"ns", ns}}); }

void time_memory(Report& report, std::size_t bytes, const std::string& size) {
    const auto pair = [&] {
        void* memory = nullptr;
        must(cudaMalloc(&memory, bytes), "cudaMalloc");
        must(cudaFree(memory), "cudaFree");
    };
    static_cast<void>(host_ns(20, pair));
    add_host_row(report, "cudaMalloc and cudaFree of " + size, host_ns(300, pair));
}
/// kept: see keep_pool.
void time_pool(Report& report, std::size_t bytes, const std::string& size, bool kept) {
    keep_pool(kept);
    const Stream stream;
    const auto pair = [&] {
        void* memory = nullptr;
        must(cudaMallocAsync(&memory, bytes, stream), "cudaMallocAsync");
        must(cudaFreeAsync(memory, stream), "cudaFreeAsync");
    };
    const auto waiting = [&] {
        pair();
        stream.wait();
    };
    for (int i = 0; i < 100; ++i) waiting();
    if (kept) {
        add_host_row(report, "cudaMallocAsync and cudaFreeAsync of " + size + ", a hit in the pool",
                     host_ns(2000, pair));
        stream.wait();
    }
    add_host_row(report,
                 "cudaMallocAsync and cudaFreeAsync of " + size + " and a wait" +
                     (kept ? ", pool kept" : ", pool trimmed"),
                 host_ns(500, waiting));
    keep_pool(false);
    must(cudaMemPoolTrimTo(default_pool(), 0), "cudaMemPoolTrimTo");
}

void time_launches(Report& report) {
    const Stream stream;
    const void* const empty = kernel_of<Empty>();
    const auto one = [&] { launch(empty, 1, false, stream); };
    const auto waited = [&] {
        one();
        stream.wait();
    };
    for (int i = 0; i < 1000; ++i) waited();
    add_host_row(report, "launch of an empty kernel and a wait", host_ns(5000, waited));
    const auto row_of_launches = [&] {
        for (int i = 0; i < many; ++i) one();
        stream.wait();
    };
    add_host_row(report, "launch of an empty kernel, of 1000 in a row, the wait included", host_ns(50, row_of_launches),
                 many);
    const auto together = [&] {
        launch(empty, multiprocessors(), true, stream);
        stream.wait();
    };
    for (int i = 0; i < 100; ++i) together();
    add_host_row(report, "cooperative launch of a block a multiprocessor and a wait", host_ns(2000, together));
}

void time_graph(Report& report, int nodes, const std::string& name) {
    const Stream stream;
    const void* const empty = kernel_of<Empty>();
    launch(empty, 1, false, stream);
    stream.wait();
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int i = 0; i < nodes; ++i) launch(empty, 1, false, stream);
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t made = nullptr;
    must(cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate");
    const auto replay = [&] {
        must(cudaGraphLaunch(made, stream), "cudaGraphLaunch");
        stream.wait();
    };
    for (int i = 0; i < 20; ++i) replay();
    add_host_row(report, name, host_ns(nodes == 1 ? 5000 : 100, replay), nodes);
    must(cudaGraphExecDestroy(made), "cudaGraphExecDestroy");
    must(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

/// The difference of two launches, so that the launch itself drops out.
void time_barriers(Report& report, const std::string& name, const void* few, const void* more, int blocks,
                   bool cooperative) {
    const Stream stream;
    int each = 0;
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, more, block_threads, 0),
         "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (cooperative && each * multiprocessors() < blocks) throw Fault{"so many blocks are not resident together"};
    const double one = device_ms(stream, [&] { launch(few, blocks, cooperative, stream); });
    const double all = device_ms(stream, [&] { launch(more, blocks, cooperative, stream); });
    add_device_row(report, name, (all - one) * 1e6 / (many - 1));
}

} // namespace

int main(int argc, char** argv) {
    return run_part("nanoseconds of single things", argc, argv, [](Report& report) {
        const auto attempt = [&](const char* name, const auto& work) { report.attempt(name, work); };
        attempt("cudaMalloc and cudaFree", [&] {
            time_memory(report, 256, "256 bytes");
            time_memory(report, std::size_t{64} << 10, "64 KiB");
            time_memory(report, std::size_t{1} << 20, "1 MiB");
            time_memory(report, std::size_t{16} << 20, "16 MiB");
            time_memory(report, std::size_t{256} << 20, "256 MiB");
        });
        attempt("cudaMallocAsync and cudaFreeAsync", [&] {
            for (const bool kept : {true, false}) {
                time_pool(report, 256, "256 bytes", kept);
                time_pool(report, std::size_t{1} << 20, "1 MiB", kept);
                time_pool(report, std::size_t{64} << 20, "64 MiB", kept);
            }
        });
        attempt("launch", [&] { time_launches(report); });
        attempt("graph", [&] {
            time_graph(report, 1, "graph of one empty kernel and a wait");
            time_graph(report, many, "node of a graph of 1000 empty kernels, the wait included");
        });
        attempt("grid barrier", [&] {
            const void* const few = kernel_of<GridBarriers<1>>();
            const void* const more = kernel_of<GridBarriers<many>>();
            time_barriers(report, "grid barrier, one block a multiprocessor", few, more, multiprocessors(), true);
            time_barriers(report, "grid barrier, two blocks a multiprocessor", few, more, 2 * multiprocessors(), true);
        });
        attempt("block barrier", [&] {
            const void* const few = kernel_of<BlockBarriers<1>>();
            const void* const more = kernel_of<BlockBarriers<many>>();
            time_barriers(report, "block barrier, 256 threads", few, more, 1, false);
        });
    });
}
