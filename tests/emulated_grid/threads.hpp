// SPDX-License-Identifier: MIT
// ThreadGrid: the threads of an emulated grid as threads of the system, with real concurrency.
// The executor that has no order of its own; a divergent barrier hangs it, as it may hang a GPU.
// Knows nothing of kernels.
#pragma once

#include "emulated_grid/grid.hpp"

#include <barrier>
#include <thread>

namespace tarn_test {

class ThreadGrid final : public Grid {
  public:
    ThreadGrid(int blocks, int threads_of_block, std::size_t shared_bytes, Body body)
        : Grid(blocks, threads_of_block, shared_bytes, std::move(body)), whole_(count()) {
        for (int b = 0; b < blocks; ++b) blocks_.push_back(std::make_unique<Barrier>(threads()));
        for (int w = 0; w < count(); w += warp_threads) warps_.push_back(std::make_unique<Barrier>(warp_threads));
    }

    /// Runs all threads to their end. What went wrong, or an empty text.
    std::string run() {
        {
            std::vector<std::jthread> running;
            for (int rank = 0; rank < count(); ++rank) running.emplace_back([this, rank] { run_thread(rank); });
        }
        return broken_guard();
    }

    void wait(Scope scope, int block, int thread, const Place&) override {
        Barrier& barrier = scope == Scope::warp    ? *warps_[index((block * threads() + thread) / warp_threads)]
                           : scope == Scope::block ? *blocks_[index(block)]
                                                   : whole_;
        barrier.arrive_and_wait();
    }

  private:
    using Barrier = std::barrier<>;

    std::vector<std::unique_ptr<Barrier>> warps_, blocks_;
    Barrier whole_;
};

} // namespace tarn_test
