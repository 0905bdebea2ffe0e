// SPDX-License-Identifier: MIT
// CUDA's runtime functions that a session calls, on the processor: linked in CUDA's place.
// Beside runtime.hpp. Knows nothing of tarn.
#include "device/runtime.hpp"

using tarn_test::FakeCuda;
using tarn_test::put_on;

namespace {

std::uintptr_t number(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

bool forbidden_while_capturing(const FakeCuda& cuda) {
    return std::any_of(cuda.streams.begin(), cuda.streams.end(), [](const auto& one) { return one.second->captures; });
}

} // namespace

extern "C" {

const char* cudaGetErrorString(cudaError_t code) {
    return code == cudaSuccess ? "no error" : code == cudaErrorMemoryAllocation ? "out of memory" : "an error of CUDA";
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudaMalloc")) return cudaErrorMemoryAllocation;
    if (forbidden_while_capturing(cuda)) return cudaErrorStreamCaptureUnsupported;
    const auto block = std::make_shared<tarn_test::GuardedBlock>(bytes);
    *memory = block->data();
    cuda.blocks[block->data()] = block;
    ++cuda.allocations;
    return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
    return FakeCuda::get().blocks.erase(memory) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudaMemcpyAsync")) return cudaErrorInvalidValue;
    if (kind == cudaMemcpyHostToDevice && (!cuda.on_device(to, bytes) || cuda.on_device(from, 1)))
        return cudaErrorInvalidValue;
    if (kind == cudaMemcpyDeviceToHost && (!cuda.on_device(from, bytes) || cuda.on_device(to, 1)))
        return cudaErrorInvalidValue;
    put_on(stream, cudaGraphNodeTypeMemcpy, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudaStreamCreate")) return cudaErrorUnknown;
    const std::uintptr_t handle = cuda.fresh();
    cuda.streams[handle] = std::make_shared<tarn_test::FakeStream>();
    *stream = reinterpret_cast<cudaStream_t>(handle);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return FakeCuda::get().streams.erase(number(stream)) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudaStreamSynchronize")) return cudaErrorLaunchFailure;
    tarn_test::FakeStream& waited = cuda.stream(stream);
    for (const tarn_test::StreamWork& work : std::exchange(waited.waiting, {})) work.run();
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudaStreamBeginCapture")) return cudaErrorUnknown;
    if (stream == nullptr) return cudaErrorStreamCaptureUnsupported;
    cuda.stream(stream).captures = true;
    cuda.stream(stream).captured.clear();
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    FakeCuda& cuda = FakeCuda::get();
    tarn_test::FakeStream& captured = cuda.stream(stream);
    captured.captures = false;
    if (cuda.fails("cudaStreamEndCapture")) return cudaErrorUnknown;
    const std::uintptr_t handle = cuda.fresh();
    cuda.graphs[handle] = std::make_shared<tarn_test::StreamWorks>(std::move(captured.captured));
    *graph = reinterpret_cast<cudaGraph_t>(handle);
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudaGraphGetNodes")) return cudaErrorUnknown;
    auto& works = *cuda.graphs.at(number(graph));
    *count = works.size();
    if (nodes != nullptr)
        for (std::size_t i = 0; i < works.size(); ++i) nodes[i] = reinterpret_cast<cudaGraphNode_t>(&works[i]);
    return cudaSuccess;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    if (FakeCuda::get().fails("cudaGraphNodeGetType")) return cudaErrorUnknown;
    *type = reinterpret_cast<const tarn_test::StreamWork*>(node)->type;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudaGraphInstantiate")) return cudaErrorUnknown;
    const std::uintptr_t handle = cuda.fresh();
    cuda.launchable[handle] = cuda.graphs.at(number(graph));
    *made = reinterpret_cast<cudaGraphExec_t>(handle);
    return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
    return FakeCuda::get().fails("cudaGraphUpload") ? cudaErrorUnknown : cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudaGraphLaunch")) return cudaErrorUnknown;
    for (const tarn_test::StreamWork& work : *cuda.launchable.at(number(graph))) put_on(stream, work.type, work.run);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return FakeCuda::get().graphs.erase(number(graph)) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    return FakeCuda::get().launchable.erase(number(graph)) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}

} // extern "C"
