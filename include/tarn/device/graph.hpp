// SPDX-License-Identifier: MIT
// RecordedGraph: work on a stream, captured once and launched again as one; GraphNodes: what it consists of.
// Under Session. Knows CUDA's runtime; nothing of networks.
#pragma once

#include <tarn/device/status.hpp>

#include <cstddef>

namespace tarn::cuda {

/// How many nodes of each kind a graph has.
struct GraphNodes {
    int kernels = 0, copies = 0, clears = 0;
    int memory = 0; ///< nodes that take or give back memory
    int others = 0;
};

namespace launching {

inline constexpr std::size_t most_graph_nodes = 4096;

inline Status count_nodes(cudaGraph_t graph, GraphNodes& found) noexcept {
    std::size_t count = 0;
    Status status = Status::of(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
    if (!status.ok()) return status;
    if (count > most_graph_nodes)
        return {static_cast<int>(cudaErrorInvalidValue), "Session::record", "more than 4096 nodes"};
    cudaGraphNode_t nodes[most_graph_nodes];
    status = Status::of(cudaGraphGetNodes(graph, nodes, &count), "cudaGraphGetNodes");
    for (std::size_t i = 0; status.ok() && i < count; ++i) {
        cudaGraphNodeType type{};
        status = Status::of(cudaGraphNodeGetType(nodes[i], &type), "cudaGraphNodeGetType");
        switch (type) {
        case cudaGraphNodeTypeKernel:
            ++found.kernels;
            break;
        case cudaGraphNodeTypeMemcpy:
            ++found.copies;
            break;
        case cudaGraphNodeTypeMemset:
            ++found.clears;
            break;
        case cudaGraphNodeTypeMemAlloc:
        case cudaGraphNodeTypeMemFree:
            ++found.memory;
            break;
        default:
            ++found.others;
            break;
        }
    }
    return status;
}

} // namespace launching

/// Empty until recorded. Memory: the driver's, at record; launching takes none.
class RecordedGraph {
  public:
    RecordedGraph() noexcept = default;
    RecordedGraph(const RecordedGraph&) = delete;
    RecordedGraph& operator=(const RecordedGraph&) = delete;
    ~RecordedGraph() { reset(); }

    explicit operator bool() const noexcept { return launchable_ != nullptr; }
    GraphNodes nodes() const noexcept { return nodes_; }

    /// enqueue() puts work on the stream, which does not run. Calls of this thread that are unsafe meanwhile, such as
    /// cudaMalloc, fail; other threads' go on.
    template <class Enqueue> Status record(cudaStream_t stream, const Enqueue& enqueue) noexcept {
        reset();
        Status status =
            Status::of(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        if (!status.ok()) return status;
        status = enqueue();
        cudaGraph_t graph = nullptr;
        const Status ended = Status::of(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
        if (status.ok()) status = ended;
        GraphNodes found;
        if (status.ok()) status = launching::count_nodes(graph, found);
        if (status.ok() && found.memory > 0)
            status = {static_cast<int>(cudaErrorStreamCaptureUnsupported), "Session::record", "the graph takes memory"};
        if (status.ok()) status = Status::of(cudaGraphInstantiate(&launchable_, graph, 0), "cudaGraphInstantiate");
        if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
        if (status.ok()) status = Status::of(cudaGraphUpload(launchable_, stream), "cudaGraphUpload");
        if (status.ok())
            nodes_ = found;
        else
            reset();
        return status;
    }
    Status launch(cudaStream_t stream) const noexcept {
        return Status::of(cudaGraphLaunch(launchable_, stream), "cudaGraphLaunch");
    }
    void reset() noexcept {
        if (launchable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(launchable_));
        launchable_ = nullptr;
        nodes_ = {};
    }

  private:
    cudaGraphExec_t launchable_ = nullptr;
    GraphNodes nodes_;
};

} // namespace tarn::cuda
