// SPDX-License-Identifier: MIT
// cuda::Session: a Model on a card: its one block of memory, its stream, forward, and forward as a CUDA graph.
// What host code names, compiled by any compiler; the kernels are linked from a .cu file (device/launches.cuh).
// Knows models on a card and CUDA's runtime; nothing of kernels.
#pragma once

#include <tarn/device/graph.hpp>
#include <tarn/device/model.hpp>

#include <tuple>

namespace tarn::cuda {

/// What is found out about launches before the first: how many blocks each gets, and what libraries have chosen.
template <int LaunchCount> struct Prepared {
    int blocks[LaunchCount > 0 ? LaunchCount : 1] = {};
    void* products = nullptr;
    void* convolutions = nullptr;
};

/// The launches of a model, declared for the host's compiler. Defined in device/launches.cuh: one .cu file says
/// `template struct tarn::cuda::Launches<TheModel>;`, any other file only links with it.
template <class TheModel> struct Launches {
    using How = Prepared<TheModel::launch_count>;

    /// Loads the kernels, asks how many blocks are resident, lets libraries choose their algorithms for this arena and
    /// these weights, which stay where they are. Errors: a grid that is not resident at once where it must be; a shape
    /// for which a library has no algorithm.
    static Status prepare(How& how, float* arena, const void* weights) noexcept;
    /// Enqueues a forward on what lies in the arena. Allocates nothing; may be captured into a graph.
    static Status enqueue(const How& how, float* arena, const void* weights, cudaStream_t stream) noexcept;
    static void release(How& how) noexcept;
};

/// A network on the card that is current when it is opened, and must be current at each call. One thread at a time.
/// Memory: one cudaMalloc of device_bytes in open, the arena and the weights behind it; nothing after it.
/// Errors: a Status from every call; nothing is printed, and what open had taken is given back.
template <class TheModel> class Session {
    static_assert(
        requires { TheModel::device_arena_bytes; }, "cuda: a session runs a Model<Net, In, Cuda<..>>");

  public:
    using Weights = typename TheModel::Weights;
    static constexpr int input_count = TheModel::input_count, output_count = TheModel::output_count;
    template <int I> static constexpr std::size_t input_size = TheModel::template input_elems<I>;
    template <int I> static constexpr std::size_t output_size = TheModel::template output_elems<I>;
    static constexpr std::size_t arena_bytes =
        (TheModel::device_arena_bytes + device_alignment - 1) / device_alignment * device_alignment;
    static constexpr std::size_t device_bytes = arena_bytes + TheModel::device_weight_bytes;

    Session() noexcept = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { close(); }

    /// Takes the memory, uploads packed weights in one copy, which may go when this returns, prepares the launches and
    /// runs once, so that no forward is the first. With a stream of its own that waits for no other.
    Status open(const Weights& weights) noexcept {
        close();
        Status status = Status::of(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        owns_stream_ = status.ok();
        return status.ok() ? take(weights) : status;
    }
    /// The same on the caller's stream, which must outlive this.
    Status open(const Weights& weights, cudaStream_t stream) noexcept {
        close();
        stream_ = stream;
        return take(weights);
    }
    /// Waits for the stream and gives everything back. Called again, does nothing.
    void close() noexcept {
        if (memory_ != nullptr) static_cast<void>(cudaStreamSynchronize(stream_));
        graph_.reset();
        Launches<TheModel>::release(how_);
        if (memory_ != nullptr) static_cast<void>(cudaFree(memory_));
        if (owns_stream_) static_cast<void>(cudaStreamDestroy(stream_));
        memory_ = nullptr;
        stream_ = nullptr;
        owns_stream_ = false;
    }
    bool is_open() const noexcept { return memory_ != nullptr; }
    cudaStream_t stream() const noexcept { return stream_; }

    /// Copies the inputs to the card, runs, copies the outputs back and waits: spans of all inputs, then of all
    /// outputs, in the order of Inputs and of the network's results.
    template <class... Spans>
    Status forward(Spans&&... spans) noexcept
        requires(sizeof...(Spans) == static_cast<std::size_t>(input_count + output_count)) {
        const auto all = std::forward_as_tuple(spans...);
        Status status = copy_in(all, std::make_integer_sequence<int, input_count>{});
        if (status.ok()) status = enqueue();
        if (status.ok()) status = copy_out(all, std::make_integer_sequence<int, output_count>{});
        return status.ok() ? wait() : status;
    }

    /// Input or output I on the card, for callers who have theirs there: [input_size<I>] floats to be written before
    /// each enqueue, which overwrites them; [output_size<I>] to be read before the next.
    template <int I = 0> float* device_input() noexcept { return arena() + TheModel::template input_at<I>; }
    template <int I = 0> const float* device_output() const noexcept {
        return arena() + TheModel::template output_at<I>;
    }

    /// Runs on the inputs that lie on the card. Returns at once, the work goes on in the stream. A launch of the graph
    /// where one was recorded.
    Status enqueue() noexcept {
        if (!is_open()) return not_open();
        return graph_ ? graph_.launch(stream_) : launch();
    }
    Status wait() noexcept {
        if (!is_open()) return not_open();
        return Status::of(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    }

    /// Captures a forward into a CUDA graph, which enqueue and forward replay from then on. Nothing runs meanwhile, so
    /// inputs that lie on the card already stay; open has run once. No state outlives a forward.
    /// Errors: the legacy default stream cannot be captured; a graph that would take memory is refused.
    Status record() noexcept {
        if (!is_open()) return not_open();
        return graph_.record(stream_, [this] { return launch(); });
    }
    /// What the recorded graph consists of; all zero before record.
    GraphNodes graph_nodes() const noexcept { return graph_.nodes(); }

  private:
    static Status not_open() noexcept { return {static_cast<int>(cudaErrorNotReady), "Session::open", "not open"}; }
    float* arena() const noexcept { return reinterpret_cast<float*>(memory_); }
    const void* weights() const noexcept { return memory_ + arena_bytes; }

    Status take(const Weights& packed) noexcept {
        void* memory = nullptr;
        Status status = Status::of(cudaMalloc(&memory, device_bytes), "cudaMalloc");
        if (status.ok()) {
            memory_ = static_cast<unsigned char*>(memory);
            status = Status::of(
                cudaMemcpyAsync(memory_ + arena_bytes, &packed, sizeof packed, cudaMemcpyHostToDevice, stream_),
                "cudaMemcpyAsync");
        }
        if (status.ok()) status = wait();
        if (status.ok()) status = Launches<TheModel>::prepare(how_, arena(), weights());
        // Once on whatever lies in the arena: libraries load their kernels at the first call, and may take memory then.
        if (status.ok()) status = launch();
        if (status.ok()) status = wait();
        if (!status.ok()) close();
        return status;
    }
    Status launch() noexcept { return Launches<TheModel>::enqueue(how_, arena(), weights(), stream_); }

    template <class All, int... I> Status copy_in(const All& all, std::integer_sequence<int, I...>) noexcept {
        if (!is_open()) return not_open();
        Status status;
        static_cast<void>((... && (status = copy_one_in<I>(std::get<I>(all))).ok()));
        return status;
    }
    template <int I> Status copy_one_in(std::span<const float, input_size<I>> from) noexcept {
        return Status::of(
            cudaMemcpyAsync(device_input<I>(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream_),
            "cudaMemcpyAsync");
    }
    template <class All, int... I> Status copy_out(const All& all, std::integer_sequence<int, I...>) noexcept {
        Status status;
        static_cast<void>((... && (status = copy_one_out<I>(std::get<input_count + I>(all))).ok()));
        return status;
    }
    template <int I> Status copy_one_out(std::span<float, output_size<I>> to) noexcept {
        return Status::of(
            cudaMemcpyAsync(to.data(), device_output<I>(), to.size_bytes(), cudaMemcpyDeviceToHost, stream_),
            "cudaMemcpyAsync");
    }

    unsigned char* memory_ = nullptr;
    cudaStream_t stream_ = nullptr;
    bool owns_stream_ = false;
    typename Launches<TheModel>::How how_;
    RecordedGraph graph_;
};

} // namespace tarn::cuda
