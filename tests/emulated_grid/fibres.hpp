// SPDX-License-Identifier: MIT
// FibreGrid: the threads of an emulated grid as fibres of one thread, in a chosen order, one from barrier to barrier.
// The executor that finds divergent barriers, and races where ThreadSanitizer looks on: it knows each fibre as a thread
// and nothing but barriers as order. Knows nothing of kernels.
#pragma once

#include "emulated_grid/grid.hpp"

#include <atomic>

#include <ucontext.h>

namespace tarn_test {

/// Block by block, each as far as it comes alone, and in it thread by thread: by rank, backwards, or drawn anew each
/// time, how far a block comes too.
struct Order {
    enum Kind { forward, reverse, drawn } kind = forward;
    unsigned seed = 1;
};

class FibreGrid final : public Grid {
  public:
    FibreGrid(int blocks, int threads, std::size_t shared_bytes, Body body)
        : Grid(blocks, threads, shared_bytes, std::move(body)), fibres_(index(count())),
          keys_(index(count()) * scopes * generations) {}

    /// Runs all threads to their end. What went wrong, or an empty text.
    std::string run(Order order) {
        begin();
        seed_ = order.seed;
        std::vector<int> turns(index(blocks()));
        for (int i = 0; i < blocks(); ++i) turns[index(i)] = order.kind == Order::reverse ? blocks() - 1 - i : i;
        bool all_done = false;
        while (!all_done && fault_.empty()) {
            if (order.kind == Order::drawn) shuffle(turns);
            bool moved = false;
            for (const int block : turns) moved = run_block(block, order.kind) || moved;
            moved = release(Scope::grid, 0) || moved;
            all_done = true;
            for (int rank = 0; rank < count(); ++rank) all_done = all_done && done(rank);
            if (!moved && !all_done && fault_.empty()) report_stuck();
        }
        sanitizer::depart(&finished_);
        for (Fibre& f : fibres_) f.strand.destroy();
        return fault_.empty() ? broken_guard() : fault_;
    }

    void wait(Scope scope, int block, int thread, const Place& place) override {
        const int rank = block * threads() + thread;
        Fibre& mine = fibre(rank);
        // Two generations: with one key, a thread's next arrival would be ordered before a late departure from this.
        char* const key = key_of(scope, rank, mine.generation[index(static_cast<int>(scope))]++);
        mine.file.store(place.file, std::memory_order_relaxed);
        mine.line.store(place.line, std::memory_order_relaxed);
        mine.waits.store(scope, std::memory_order_relaxed);
        sanitizer::arrive(key);
        leave(mine, false);
        sanitizer::depart(key);
    }

  private:
    static constexpr std::size_t scopes = 4, generations = 2;
    static constexpr std::size_t stack_bytes = 256 * 1024;

    // Read by the scheduler and written by fibres that ThreadSanitizer takes for threads: atomic, or it reports itself.
    struct Fibre {
        ucontext_t context{};
        std::unique_ptr<char[]> memory;
        sanitizer::Stack stack{};
        sanitizer::Strand strand{};
        std::atomic<Scope> waits{Scope::none};
        std::atomic<bool> done{false};
        std::atomic<const char*> file{""};
        std::atomic<int> line{0};
        unsigned generation[scopes] = {};
    };

    Fibre& fibre(int rank) { return fibres_[index(rank)]; }
    bool done(int rank) { return fibre(rank).done.load(std::memory_order_relaxed); }
    char* key_of(Scope scope, int rank, unsigned generation) {
        const std::size_t group = index(group_begin(scope, rank));
        return &keys_[(group * scopes + index(static_cast<int>(scope))) * generations + generation % generations];
    }

    void begin() {
        scheduler_strand_ = sanitizer::Strand::current();
        for (Fibre& f : fibres_) {
            f.memory.reset(new char[stack_bytes]);
            f.stack = {f.memory.get(), stack_bytes, nullptr};
            f.strand = sanitizer::Strand::create();
            begin(f);
        }
    }
    // A function of its own: after getcontext, which may return twice, compilers doubt every variable.
    [[gnu::noinline]] void begin(Fibre& f) {
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.memory.get();
        f.context.uc_stack.ss_size = stack_bytes;
        const auto self = reinterpret_cast<std::uintptr_t>(this); // makecontext passes ints
        makecontext(&f.context, reinterpret_cast<void (*)()>(&FibreGrid::entry), 2,
                    static_cast<unsigned>(self & 0xFFFFFFFFU), static_cast<unsigned>(self >> 32));
    }
    static void entry(unsigned low, unsigned high) {
        auto& grid = *reinterpret_cast<FibreGrid*>(std::uintptr_t{high} << 32 | low);
        const int rank = grid.current_.load(std::memory_order_relaxed);
        sanitizer::arrived({}, &grid.scheduler_stack_);
        grid.run_thread(rank);
        Fibre& mine = grid.fibre(rank);
        mine.done.store(true, std::memory_order_relaxed);
        grid.leave(mine, true);
    }
    /// Lets a block go as far as it comes without the others, or, in drawn order, somewhat less. Whether it moved.
    bool run_block(int block, Order::Kind kind) {
        std::vector<int> ranks(index(threads()));
        for (int i = 0; i < threads(); ++i)
            ranks[index(i)] = block * threads() + (kind == Order::reverse ? threads() - 1 - i : i);
        for (bool ever = false;; ever = true) {
            if (kind == Order::drawn) shuffle(ranks);
            bool moved = false;
            for (const int rank : ranks)
                if (!done(rank) && fibre(rank).waits.load(std::memory_order_relaxed) == Scope::none)
                    resume(rank), moved = true;
            for (const Scope scope : {Scope::warp, Scope::block})
                for (int rank = block * threads(); rank < (block + 1) * threads(); rank = group_end(scope, rank))
                    moved = release(scope, rank) || moved;
            if (!moved || !fault_.empty()) return ever || moved;
            if (kind == Order::drawn && draw(3) == 0) return true;
        }
    }
    void resume(int rank) {
        Fibre& f = fibre(rank);
        current_.store(rank, std::memory_order_relaxed);
        sanitizer::Stack own;
        sanitizer::leave(&own, f.stack);
        f.strand.enter();
        swapcontext(&scheduler_, &f.context);
        sanitizer::arrived(own, nullptr);
    }
    /// Back to the scheduler.
    void leave(Fibre& from, bool for_ever) {
        const sanitizer::Strand strand = scheduler_strand_;
        const sanitizer::Stack stack = scheduler_stack_;
        sanitizer::arrive(&finished_); // the fibre's last look at what the scheduler may delete then
        sanitizer::leave(for_ever ? nullptr : &from.stack, stack);
        strand.enter();
        swapcontext(&from.context, &scheduler_);
        sanitizer::arrived(from.stack, nullptr);
    }

    /// Lets a group go on when all of it is there. Whether anybody was.
    bool release(Scope scope, int first) {
        const int end = group_end(scope, first);
        int waiting = 0, gone = 0, one = -1;
        for (int rank = first; rank < end; ++rank) {
            if (done(rank))
                ++gone;
            else if (fibre(rank).waits.load(std::memory_order_relaxed) == scope)
                ++waiting, one = rank;
        }
        if (waiting == 0 || waiting + gone < end - first) return false;
        if (gone > 0) return report(one, "a barrier reached by a part of its group, the rest has returned"), true;
        for (int rank = first; rank < end; ++rank) {
            if (!(place_of(rank) == place_of(one)))
                return report(rank, "threads of one group wait at different barriers"), true;
            fibre(rank).waits.store(Scope::none, std::memory_order_relaxed);
        }
        return true;
    }
    Place place_of(int rank) {
        return {fibre(rank).file.load(std::memory_order_relaxed), fibre(rank).line.load(std::memory_order_relaxed)};
    }
    void report_stuck() {
        for (int rank = 0; rank < count(); ++rank)
            if (!done(rank)) return report(rank, "threads wait for each other at barriers of different scopes");
    }
    void report(int rank, const char* what) {
        const Place place = place_of(rank);
        fault_ = std::string(what) + ": block " + std::to_string(rank / threads()) + ", thread " +
                 std::to_string(rank % threads()) + ", " + place.file + ":" + std::to_string(place.line);
    }
    std::size_t draw(std::size_t below) {
        seed_ = seed_ * 1664525U + 1013904223U;
        return (seed_ >> 8) % below;
    }
    void shuffle(std::vector<int>& ranks) {
        for (std::size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[draw(i)]);
    }

    std::vector<Fibre> fibres_;
    std::vector<char> keys_; // whose addresses stand for barriers
    char finished_ = 0;
    std::string fault_;
    unsigned seed_ = 1;
    std::atomic<int> current_{0};
    ucontext_t scheduler_{};
    sanitizer::Stack scheduler_stack_{};
    sanitizer::Strand scheduler_strand_{};
};

} // namespace tarn_test
