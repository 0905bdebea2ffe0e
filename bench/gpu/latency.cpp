// SPDX-License-Identifier: MIT
// Latency of single forwards on a card, batch one, in every mode, by launches and by a CUDA graph, and with a block of
// memory taken for each layer's output. One part of bench/gpu; latency_torch.py measures PyTorch on the same networks.
// Compiled without nvcc. Knows models by their public face.
#include "latency_networks.hpp"
#include "networks.hpp"
#include "report.hpp"

#include <memory>

namespace {

using namespace tarn_bench;

constexpr int most_calls = 2000;

/// p50 and p99 of a forward and a wait, after as many again half of warm-up: 2,000 calls, or a second and a half of
/// them.
template <class Enqueue> std::pair<double, double> microseconds(const Enqueue& forward) {
    const double once = std::max(median(host_ns(20, forward)), 1.0);
    const int calls = std::clamp(static_cast<int>(1.5e9 / once), 100, most_calls);
    static_cast<void>(host_ns(calls / 2, forward));
    const std::vector<double> ns = host_ns(calls, forward);
    return {median(ns) / 1e3, quantile(ns, 0.99) / 1e3};
}

void add_row(Report& report, const std::string& name, std::pair<double, double> launched, std::vector<Figure> of_graph,
             double arena_bytes, int launches) {
    std::vector<Figure> figures{{"p50_us", launched.first}, {"p99_us", launched.second}};
    figures.insert(figures.end(), of_graph.begin(), of_graph.end());
    figures.push_back({"arena_bytes", arena_bytes});
    figures.push_back({"launches", static_cast<double>(launches)});
    report.add(name, std::move(figures));
}

template <class M> void time_mode(Report& report, const std::string& name) {
    report.attempt(name, [&] {
        const Stream stream;
        tarn::cuda::Session<M> session;
        must(session.open(*random_weights<M>(), stream));
        const std::vector<float> input = random_input<M::template input_elems<0>>();
        std::vector<float> output(M::template output_elems<0>);
        must(session.forward(std::span<const float, M::template input_elems<0>>(input),
                             std::span<float, M::template output_elems<0>>(output)));
        const auto forward = [&] {
            must(session.enqueue());
            must(session.wait());
        };
        const auto launched = microseconds(forward);
        must(session.record());
        const auto replayed = microseconds(forward);
        const double busy = device_ms(stream, [&] { must(session.enqueue()); }) * 1e3;
        add_row(report, name, launched,
                {{"graph_p50_us", replayed.first}, {"graph_p99_us", replayed.second}, {"graph_back_to_back_us", busy}},
                static_cast<double>(M::device_arena_bytes), session.graph_nodes().kernels);
    });
}

/// The model's launches, prepared by hand, so that something can stand between them.
template <class M> class Allocating {
  public:
    Allocating() : memory_(bytes_of_arena + M::device_weight_bytes) {
        must(cudaMemset(memory_.get(), 0, bytes_of_arena), "cudaMemset");
        const auto packed = random_weights<M>();
        must(cudaMemcpy(weights(), packed.get(), sizeof *packed, cudaMemcpyHostToDevice), "cudaMemcpy");
        must(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // the stream waits for no other
        must(tarn::cuda::Launches<M>::prepare(how_, memory_.floats(), weights()));
    }
    Allocating(const Allocating&) = delete;
    Allocating& operator=(const Allocating&) = delete;
    ~Allocating() { tarn::cuda::Launches<M>::release(how_); }

    void forward(Taking taking) {
        must(AllocatingLaunches<M>::enqueue(how_, memory_.floats(), weights(), stream_, taking));
        stream_.wait();
    }

  private:
    static constexpr std::size_t bytes_of_arena = tarn::cuda::Session<M>::arena_bytes;
    unsigned char* weights() const { return static_cast<unsigned char*>(memory_.get()) + bytes_of_arena; }

    Stream stream_{};
    DeviceBlock memory_;
    typename tarn::cuda::Launches<M>::How how_{};
};

template <class M> void time_allocating(Report& report, const std::string& name) {
    const auto row = [&](const char* what, Taking taking) {
        report.attempt(name + what, [&] {
            Allocating<M> allocating;
            const auto taken = microseconds([&] { allocating.forward(taking); });
            add_row(report, name + what, taken,
                    {Figure::missing("graph_p50_us"), Figure::missing("graph_p99_us"),
                     Figure::missing("graph_back_to_back_us")},
                    static_cast<double>(M::device_arena_bytes), M::launch_count);
        });
    };
    row(", cudaMalloc and cudaFree a layer", Taking::malloc);
    keep_pool(true);
    row(", cudaMallocAsync a layer, pool kept", Taking::pool);
    keep_pool(false);
    row(", cudaMallocAsync a layer, pool trimmed", Taking::pool);
}

template <template <class, class> class On> void time_network(Report& report, const std::string& name) {
    using namespace tarn::cuda;
    using tarn::Fastest, tarn::Smallest;
    time_mode<On<InPlace, Smallest>>(report, name + ", in place, smallest");
    time_mode<On<InPlace, Fastest>>(report, name + ", in place, fastest");
    time_mode<On<OneLaunch, Smallest>>(report, name + ", one launch, smallest");
    time_mode<On<OneLaunch, Fastest>>(report, name + ", one launch, fastest");
    time_mode<On<Library<>, Fastest>>(report, name + ", library, fastest");
    if constexpr (have_cudnn) time_mode<On<LibraryWithDnn<>, Fastest>>(report, name + ", library with cuDNN, fastest");
    time_mode<On<Best, Fastest>>(report, name + ", best, fastest");
    time_allocating<On<InPlace, Fastest>>(report, name + ", in place, fastest");
}

} // namespace

int main(int argc, char** argv) {
    return run_part("latency of single forwards, batch one", argc, argv, [](Report& report) {
        time_network<FastMlpOn>(report, "MLP");
        time_network<FastCnnOn>(report, "CNN");
        time_network<FastGruOn>(report, "GRU");
    });
}
