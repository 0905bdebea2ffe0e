// SPDX-License-Identifier: MIT
// A CUDA runtime on the processor, for host code that is compiled without nvcc: device memory in guarded blocks of
// exact size, streams that do nothing until they are waited for, graphs; it counts what is alive and fails on demand.
// runtime.cpp and library.cpp define CUDA's functions on it. Knows nothing of tarn.
#pragma once

#include "emulated_grid/memory.hpp"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tarn_test {

/// What a stream does, or what a graph was recorded of.
struct StreamWork {
    cudaGraphNodeType type{};
    std::function<void()> run;
};
using StreamWorks = std::vector<StreamWork>;

struct FakeStream {
    StreamWorks waiting;
    bool captures = false;
    StreamWorks captured;
};

/// All that the functions of the runtime share. One thread.
class FakeCuda {
  public:
    static FakeCuda& get() {
        static FakeCuda one;
        return one;
    }
    void reset() { *this = FakeCuda{}; }

    /// The n-th call from now on fails, 0: none; counted in `calls`, the name of it in `failed`.
    void fail_at(int n) {
        calls = 0;
        fails_at_ = n;
        failed.clear();
    }
    bool fails(const char* name) {
        ++calls;
        if (calls != fails_at_) return false;
        failed = name;
        return true;
    }
    /// Everything that was made and not given back.
    std::size_t alive() const {
        return blocks.size() + streams.size() + graphs.size() + launchable.size() + library_objects.size();
    }

    /// Whether [at, at + bytes) lies in one block of the device.
    bool on_device(const void* at, std::size_t bytes) const {
        const auto* const first = static_cast<const std::byte*>(at);
        for (const auto& [begin, block] : blocks) {
            const auto* const own = static_cast<const std::byte*>(block->data());
            if (own <= first && first + bytes <= own + block->bytes()) return true;
        }
        return false;
    }
    FakeStream& stream(cudaStream_t handle) {
        if (handle == nullptr) return legacy_;
        return *streams.at(reinterpret_cast<std::uintptr_t>(handle));
    }
    bool intact() const {
        return std::all_of(blocks.begin(), blocks.end(), [](const auto& one) { return one.second->intact(); });
    }

    int calls = 0;
    std::string failed;
    int allocations = 0; ///< ever made
    std::string fault;   ///< what a kernel did wrong
    std::map<void*, std::shared_ptr<GuardedBlock>> blocks;
    std::map<std::uintptr_t, std::shared_ptr<FakeStream>> streams;
    std::map<std::uintptr_t, std::shared_ptr<StreamWorks>> graphs, launchable;
    std::set<void*> library_objects;
    int multiprocessors = 2, resident_each = 4;

    /// Handles are numbers that never come back.
    std::uintptr_t fresh() { return next_ += 16; }

  private:
    int fails_at_ = 0;
    std::uintptr_t next_ = 4096;
    FakeStream legacy_;
};

/// Puts work on a stream as CUDA would: into its graph while it captures.
inline void put_on(cudaStream_t stream, cudaGraphNodeType type, std::function<void()> run) {
    FakeStream& to = FakeCuda::get().stream(stream);
    (to.captures ? to.captured : to.waiting).push_back({type, std::move(run)});
}

} // namespace tarn_test
