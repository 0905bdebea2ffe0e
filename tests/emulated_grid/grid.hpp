// SPDX-License-Identifier: MIT
// Grid and EmulatedContext: a CUDA grid on the processor, as kernel bodies see it. Who runs its threads is an executor.
// Beside kernels/tarn/cuda/context.hpp, whose concept it meets. fibres.hpp and threads.hpp are the executors.
// Knows nothing of Ops or kernels.
#pragma once

#include "emulated_grid/memory.hpp"

#include <tarn/cuda/context.hpp>

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tarn_test {

using tarn::cuda::Factor;
using tarn::cuda::Scope;
using tarn::cuda::warp_threads;

/// Where a barrier stands.
struct Place {
    const char* file = "";
    int line = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

/// What the threads of all blocks share, and how they wait.
class Grid {
  public:
    /// What thread `thread` of block `block` runs.
    using Body = std::function<void(Grid& grid, int block, int thread)>;

    Grid(int blocks, int threads, std::size_t shared_bytes, Body body)
        : blocks_(blocks), threads_(threads), body_(std::move(body)), exchange_(index(count()) * lane_words) {
        for (int b = 0; b < blocks; ++b) shared_.push_back(std::make_unique<GuardedBlock>(shared_bytes));
    }
    virtual ~Grid() = default;
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;

    virtual void wait(Scope scope, int block, int thread, const Place& place) = 0;

    int blocks() const { return blocks_; }
    int threads() const { return threads_; }
    int count() const { return blocks_ * threads_; }
    void* shared(int block) const { return shared_[index(block)]->data(); }
    /// What a lane shows the others of its warp between two barriers.
    static constexpr std::size_t lane_words = 6;
    float* exchange(int block, int thread) { return exchange_.data() + index(block * threads_ + thread) * lane_words; }

    /// The first member of the group that a thread waits with, and one past its last, as ranks in the grid.
    int group_begin(Scope scope, int rank) const {
        const int block = rank / threads_ * threads_;
        return scope == Scope::warp    ? block + (rank - block) / warp_threads * warp_threads
               : scope == Scope::block ? block
                                       : 0;
    }
    int group_end(Scope scope, int rank) const {
        const int begin = group_begin(scope, rank);
        return scope == Scope::warp ? begin + warp_threads : scope == Scope::block ? begin + threads_ : count();
    }

  protected:
    void run_thread(int rank) { body_(*this, rank / threads_, rank % threads_); }
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    /// A text if a block wrote beyond its shared memory, else an empty one.
    std::string broken_guard() const {
        for (int b = 0; b < blocks_; ++b)
            if (!shared_[index(b)]->intact())
                return "block " + std::to_string(b) + " wrote outside its " +
                       std::to_string(shared_[index(b)]->bytes()) + " bytes of shared memory";
        return "";
    }

  private:
    int blocks_, threads_;
    Body body_;
    std::vector<std::unique_ptr<GuardedBlock>> shared_;
    std::vector<float> exchange_;
};

/// A factor as a tensor core takes it.
template <Factor F> float rounded(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits & 0x80000000U, magnitude = bits & 0x7FFFFFFFU;
    if (magnitude >= 0x7F800000U) return value;
    if constexpr (F == Factor::bf16) {
        return std::bit_cast<float>((bits + 0x7FFFU + (bits >> 16 & 1U)) & 0xFFFF0000U);
    } else if constexpr (F == Factor::tf32) {
        return std::bit_cast<float>((bits + 0x1000U) & 0xFFFFE000U);
    } else if constexpr (F == Factor::f16) {
        if (magnitude >= 0x477FF000U) return std::bit_cast<float>(sign | 0x7F800000U); // 65520 and above
        if (magnitude < 0x38800000U) { // subnormal: multiples of 2^-24, as adding 2^-1 * 3 rounds them
            const float shifted = (std::bit_cast<float>(magnitude) + 0x1.8p-1F) - 0x1.8p-1F;
            return std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) | sign);
        }
        return std::bit_cast<float>((bits + 0xFFFU + (bits >> 13 & 1U)) & 0xFFFFE000U);
    }
    return value;
}

/// A thread of an emulated grid. Meets tarn::cuda::ExecutionContext.
template <int Threads> class EmulatedContext {
  public:
    static_assert(Threads % warp_threads == 0);
    static constexpr int threads = Threads;

    EmulatedContext(Grid& grid, int block, int thread) : grid_(&grid), block_(block), thread_(thread) {}

    int thread() const { return thread_; }
    int block() const { return block_; }
    int blocks() const { return grid_->blocks(); }
    void warp_barrier(int line = __builtin_LINE(), const char* file = __builtin_FILE()) const {
        grid_->wait(Scope::warp, block_, thread_, {file, line});
    }
    void block_barrier(int line = __builtin_LINE(), const char* file = __builtin_FILE()) const {
        grid_->wait(Scope::block, block_, thread_, {file, line});
    }
    void grid_barrier(int line = __builtin_LINE(), const char* file = __builtin_FILE()) const {
        grid_->wait(Scope::grid, block_, thread_, {file, line});
    }
    float shuffle_xor(float value, int mask, int line = __builtin_LINE(), const char* file = __builtin_FILE()) const {
        *lane(thread_) = value;
        warp_barrier(line, file);
        const float taken = *lane(thread_ ^ mask);
        warp_barrier(line, file);
        return taken;
    }
    template <class T> T* shared() const { return static_cast<T*>(grid_->shared(block_)); }

    template <Factor F>
    void multiply_add(float (&sums)[4], const float (&a)[4], const float (&b)[2], int line = __builtin_LINE(),
                      const char* file = __builtin_FILE()) const {
        float* const mine = lane(thread_);
        for (int i = 0; i < 4; ++i) mine[i] = rounded<F>(a[i]);
        for (int i = 0; i < 2; ++i) mine[4 + i] = rounded<F>(b[i]);
        warp_barrier(line, file);
        const int first = thread_ / warp_threads * warp_threads, g = thread_ % warp_threads / 4, t = thread_ % 4;
        for (int i = 0; i < 4; ++i) {
            const int row = g + i / 2 * 8, column = 2 * t + i % 2;
            for (int k = 0; k < 8; ++k)
                sums[i] += lane(first + 4 * (row % 8) + k / 2)[row / 8 * 2 + k % 2] *
                           lane(first + 4 * column + k / 2)[4 + k % 2];
        }
        warp_barrier(line, file);
    }

  private:
    float* lane(int thread) const { return grid_->exchange(block_, thread); }

    Grid* grid_;
    int block_, thread_;
};
static_assert(tarn::cuda::ExecutionContext<EmulatedContext<64>>);

} // namespace tarn_test
