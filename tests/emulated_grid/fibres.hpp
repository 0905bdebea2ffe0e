// SPDX-License-Identifier: MIT
// FibreGrid: the threads of an emulated grid as fibres of one thread, in a chosen order, one from barrier to barrier.
// The executor that finds divergent barriers, and races where ThreadSanitizer looks on: it knows each fibre as a thread
// and nothing but barriers as order. Knows nothing of kernels.
#pragma once

#include "emulated_grid/grid.hpp"

#include <atomic>
#include <utility>

#include <ucontext.h>

namespace tarn_test {

/// In which order threads run between two barriers: by rank, backwards, or drawn anew each time.
struct Order {
    enum Kind { forward, reverse, drawn } kind = forward;
    unsigned seed = 1;
};

template <class Body, class Context> class FibreGrid final : public Grid {
  public:
    FibreGrid(int blocks, std::size_t shared_bytes, const Body& body)
        : Grid(blocks, Context::threads, shared_bytes), body_(body), fibres_(index(count())),
          keys_(index(count()) * scopes * generations) {}

    /// Runs all threads to their end. What went wrong, or an empty text.
    std::string run(Order order) {
        begin();
        std::vector<int> ranks(index(count()));
        for (int i = 0; i < count(); ++i) ranks[index(i)] = order.kind == Order::reverse ? count() - 1 - i : i;
        bool all_done = false;
        while (!all_done && fault_.empty()) {
            if (order.kind == Order::drawn) shuffle(ranks, order.seed);
            bool moved = false;
            for (const int rank : ranks)
                if (fibre(rank).waits.load(std::memory_order_relaxed) == Scope::none) resume(rank), moved = true;
            for (const Scope scope : {Scope::warp, Scope::block, Scope::grid})
                for (int rank = 0; rank < count(); rank = group_end(scope, rank)) moved = release(scope, rank) || moved;
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
        const auto self = reinterpret_cast<std::uintptr_t>(this);
        for (Fibre& f : fibres_) {
            f.memory.reset(new char[stack_bytes]);
            f.stack = {f.memory.get(), stack_bytes, nullptr};
            f.strand = sanitizer::Strand::create();
            getcontext(&f.context);
            f.context.uc_stack.ss_sp = f.memory.get();
            f.context.uc_stack.ss_size = stack_bytes;
            // makecontext passes ints.
            makecontext(&f.context, reinterpret_cast<void (*)()>(&FibreGrid::entry), 2,
                        static_cast<unsigned>(self & 0xFFFFFFFFU), static_cast<unsigned>(self >> 32));
        }
    }
    static void entry(unsigned low, unsigned high) {
        auto& grid = *reinterpret_cast<FibreGrid*>(std::uintptr_t{high} << 32 | low);
        const int rank = grid.current_.load(std::memory_order_relaxed);
        sanitizer::arrived({}, &grid.scheduler_stack_);
        grid.body_(Context(grid, rank / grid.threads(), rank % grid.threads()));
        Fibre& mine = grid.fibre(rank);
        sanitizer::arrive(&grid.finished_);
        mine.waits.store(Scope::grid, std::memory_order_relaxed);
        mine.done.store(true, std::memory_order_relaxed);
        grid.leave(mine, true);
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
    void leave(Fibre& from, bool for_ever) {
        sanitizer::leave(for_ever ? nullptr : &from.stack, scheduler_stack_);
        scheduler_strand_.enter();
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
    static void shuffle(std::vector<int>& ranks, unsigned& seed) {
        for (std::size_t i = ranks.size(); i > 1; --i) {
            seed = seed * 1664525U + 1013904223U;
            std::swap(ranks[i - 1], ranks[(seed >> 8) % i]);
        }
    }

    const Body& body_;
    std::vector<Fibre> fibres_;
    std::vector<char> keys_; // whose addresses stand for barriers
    char finished_ = 0;
    std::string fault_;
    std::atomic<int> current_{0};
    ucontext_t scheduler_{};
    sanitizer::Stack scheduler_stack_{};
    sanitizer::Strand scheduler_strand_{};
};

} // namespace tarn_test
