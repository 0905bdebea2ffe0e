// SPDX-License-Identifier: MIT
// Pack: addresses for buffers with lifetimes, so that no two alive together share an element, in little memory.
// Beside the planner: for sets of buffers that may not overlap, in a constant or for thousands while running.
// Knows lifetimes and sizes; nothing of steps, kernels or who owns the buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tarn {

/// What packing writes down about a buffer, so that it needs no memory of its own.
struct PackNotes {
    std::size_t size = 0;   ///< rounded up to the alignment; 0 if the buffer is never alive
    std::size_t best = 0;   ///< address in the best packing so far
    std::uint32_t cost = 1; ///< of moving it out of the way: grows whenever it moved others
    int next = -1;          ///< in the list of buffers in place, by bottom, or in that of those out of place
    int slot[2] = {};       ///< lists for a moment: buffers about one buffer, by bottom and by top; what waits
};

/// A stretch of memory, needed during the half-open range of steps [begin, end).
struct Buffer {
    long begin = 0, end = 0;
    std::size_t size = 0; ///< in elements
    std::size_t at = 0;   ///< address in elements; packing sets it
    PackNotes notes{};
};

/// Which buffers first fit takes first: the earliest, the largest, the longest needed, the largest times longest.
enum class PackOrder { time, size, life, area };

namespace detail {

constexpr std::size_t aligned(const Buffer& b, std::size_t alignment) noexcept {
    return b.begin < b.end ? (b.size + alignment - 1) / alignment * alignment : 0;
}

} // namespace detail

/// LB0: the most elements alive at once, sizes rounded up to the alignment. No packing is smaller.
constexpr std::size_t live_bound(std::span<const Buffer> buffers, std::size_t alignment = 1) noexcept {
    std::size_t most = 0;
    for (const Buffer& start : buffers) {
        std::size_t alive = 0;
        for (const Buffer& b : buffers)
            if (b.begin <= start.begin && start.begin < b.end) alive += detail::aligned(b, alignment);
        most = alive > most ? alive : most;
    }
    return most;
}

namespace detail {

class Packer {
  public:
    constexpr Packer(std::span<Buffer> buffers, std::size_t alignment) noexcept
        : buffers_(buffers), count_(static_cast<int>(buffers.size())) {
        for (Buffer& b : buffers_) {
            b.at = 0;
            b.notes = {};
            b.notes.size = aligned(b, alignment);
            for (std::size_t rest = b.notes.size; rest > 0;) {
                const std::size_t next = unit_ % rest;
                unit_ = rest;
                rest = next;
            }
        }
    }

    /// Every buffer at the lowest address that is free, one order. Returns the highest end.
    constexpr std::size_t first_fit(PackOrder order) noexcept {
        int waiting = 0;
        for (int i = 0; i < count_; ++i)
            if (notes(i).size > 0) notes(waiting++).slot[0] = i;
        return place_all(waiting, &order);
    }

    /// Lowers the best packing towards the bound, for at most so many moves, and leaves the buffers in it.
    constexpr std::size_t improve(std::size_t best, std::size_t bound, long moves) noexcept {
        const long patience = moves / 16 + 16;
        for (std::size_t drop = best - bound; best > bound && moves > 0;) {
            drop = drop / 2 < unit_ ? unit_ : drop / 2 / unit_ * unit_;
            while (best > bound && settle_below(best - bound < drop ? bound : best - drop, patience, moves)) {
                best = turn_over();
                keep();
            }
        }
        for (Buffer& b : buffers_) b.at = b.notes.best;
        return best;
    }

    /// What stands now is the best.
    constexpr void keep() noexcept {
        for (Buffer& b : buffers_) b.notes.best = b.at;
    }

  private:
    /// First fit of the first `waiting` in slot[0], the highest rank first. Returns the highest end.
    constexpr std::size_t place_all(int waiting, const PackOrder* order) noexcept {
        for (int sorted = 1; sorted < waiting; ++sorted) {
            const int i = notes(sorted).slot[0];
            int place = sorted;
            for (; place > 0 && rank(notes(place - 1).slot[0], order) < rank(i, order); --place)
                notes(place).slot[0] = notes(place - 1).slot[0];
            notes(place).slot[0] = i;
        }
        lowest_ = -1;
        std::size_t peak = 0;
        for (int n = 0; n < waiting; ++n) {
            const int i = notes(n).slot[0];
            std::size_t at = 0;
            int* link = &lowest_;
            for (int other = lowest_; other >= 0; other = notes(other).next) {
                if (!together(i, other)) continue;
                if (bottom(other) >= at + notes(i).size) break;
                if (at < top(other)) at = top(other), link = &notes(other).next;
            }
            while (*link >= 0 && bottom(*link) < at) link = &notes(*link).next;
            insert(i, at, link);
            peak = peak < top(i) ? top(i) : peak;
        }
        return peak;
    }

    /// What first fit takes the highest of first; without an order that is the end reached.
    constexpr double rank(int i, const PackOrder* order) const noexcept {
        if (order == nullptr) return static_cast<double>(top(i));
        const double begin = static_cast<double>(buffers_[index(i)].begin);
        const double life = static_cast<double>(buffers_[index(i)].end) - begin;
        const double size = static_cast<double>(notes(i).size);
        return *order == PackOrder::time   ? -begin
               : *order == PackOrder::size ? size
               : *order == PackOrder::life ? life
                                           : size * life;
    }

    /// Everything upside down and pushed together again: no higher than before, and the gaps lie elsewhere.
    constexpr std::size_t turn_over() noexcept {
        int waiting = 0;
        for (int i = lowest_; i >= 0; i = notes(i).next) ++waiting;
        for (int i = lowest_, n = waiting; i >= 0; i = notes(i).next) notes(--n).slot[0] = i;
        return place_all(waiting, nullptr);
    }

    /// Takes what ends above `height` out of the best packing and puts it back lower, moving whatever lies there out of
    /// the way in its turn, at the place where that costs least. A buffer's cost grows whenever it moved others, so
    /// that those hard to place come to stay. False when patience or moves run out first.
    constexpr bool settle_below(std::size_t height, long patience, long& moves) noexcept {
        int out = 0;
        out_ = lowest_ = -1;
        for (int i = 0; i < count_; ++i) {
            if (notes(i).size == 0) continue;
            out += notes(i).best + notes(i).size > height ? take_out(i) : put(i, notes(i).best);
        }
        for (; out > 0; --patience, --moves) {
            if (patience == 0 || moves == 0) return false;
            int* link = &out_;
            for (auto drawn = random() % static_cast<unsigned>(out); drawn > 0; --drawn) link = &notes(*link).next;
            const int i = *link;
            *link = notes(i).next;
            const int moved = put(i, cheapest(i, height));
            notes(i).cost += static_cast<std::uint32_t>(moved > 0);
            out += moved - 1;
            if (patience % 25 == 0) turn_over();
        }
        return true;
    }

    /// The address for buffer i below `height` where those in the way cost least: one that touches another buffer or an
    /// end. Of equals one is drawn.
    constexpr std::size_t cheapest(int i, std::size_t height) noexcept {
        int near = 0; // buffers alive with i: slot[0] has them by bottom, slot[1] by top
        for (int other = lowest_; other >= 0; other = notes(other).next) {
            if (!together(i, other)) continue;
            int place = near++;
            notes(place).slot[0] = other;
            for (; place > 0 && top(notes(place - 1).slot[1]) > top(other); --place)
                notes(place).slot[1] = notes(place - 1).slot[1];
            notes(place).slot[1] = other;
        }
        const std::size_t size = notes(i).size;
        std::size_t best = 0;
        std::uint64_t least = ~std::uint64_t{0};
        unsigned equals = 0;
        // Upwards through the addresses that begin at a top, then through those that end at a bottom.
        for (const bool on_top : {true, false}) {
            int begun = 0, ended = 0;
            std::uint64_t cost = 0;
            for (int n = 0; n <= near; ++n) {
                const std::size_t start = n > 0 ? top(notes(n - 1).slot[1]) : 0;
                const std::size_t end = on_top ? start + size : n < near ? bottom(notes(n).slot[0]) : height;
                if (end > height) break;
                if (end < size) continue;
                const std::size_t at = end - size;
                for (; begun < near && bottom(notes(begun).slot[0]) < end; ++begun)
                    cost += notes(notes(begun).slot[0]).cost;
                for (; ended < near && top(notes(ended).slot[1]) <= at; ++ended)
                    cost -= notes(notes(ended).slot[1]).cost;
                if (cost < least) least = cost, equals = 0;
                if (cost == least && random() % ++equals == 0) best = at;
            }
        }
        return best;
    }

    /// Puts a buffer in place, and those in its way out of place. Returns how many.
    constexpr int put(int i, std::size_t at) noexcept {
        int moved = 0;
        int* spot = nullptr;
        int* link = &lowest_;
        while (*link >= 0 && bottom(*link) < at + notes(i).size) {
            const int other = *link;
            if (top(other) > at && together(i, other)) {
                *link = notes(other).next;
                moved += take_out(other);
                continue;
            }
            if (spot == nullptr && bottom(other) >= at) spot = link;
            link = &notes(other).next;
        }
        insert(i, at, spot == nullptr ? link : spot);
        return moved;
    }

    /// Links a buffer in behind those that begin below it.
    constexpr void insert(int i, std::size_t at, int* link) noexcept {
        buffers_[index(i)].at = at;
        notes(i).next = *link;
        *link = i;
    }

    /// Lists a buffer as out of place; counts it.
    constexpr int take_out(int i) noexcept {
        notes(i).next = out_;
        out_ = i;
        return 1;
    }

    constexpr bool together(int i, int j) const noexcept {
        const Buffer &a = buffers_[index(i)], &b = buffers_[index(j)];
        return a.begin < b.end && b.begin < a.end;
    }
    constexpr std::size_t bottom(int i) const noexcept { return buffers_[index(i)].at; }
    constexpr std::size_t top(int i) const noexcept { return buffers_[index(i)].at + buffers_[index(i)].notes.size; }
    constexpr PackNotes& notes(int i) const noexcept { return buffers_[index(i)].notes; }
    static constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

    /// xorshift: the same packing every time, everywhere.
    constexpr unsigned random() noexcept {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<unsigned>(state_ >> 32);
    }

    std::span<Buffer> buffers_;
    int count_;
    int lowest_ = -1;      // the first in place, by bottom
    int out_ = -1;         // the first out of place
    std::size_t unit_ = 0; // every rounded size is a multiple of it, and so is every address
    std::uint64_t state_ = 88172645463325252;
};

} // namespace detail

/// Packs in one order alone, each buffer at the lowest address that is free while it lives. Returns the elements used.
constexpr std::size_t first_fit(std::span<Buffer> buffers, PackOrder order, std::size_t alignment = 1) noexcept {
    return detail::Packer(buffers, alignment).first_fit(order);
}

/// Moves that pack may make after first fit: few, so that some dozens of buffers can be packed in a constant.
inline constexpr long default_pack_moves = 256;

/// Packs in the best of all orders, then by moving single buffers until LB0 is reached or the moves are used up; a
/// million take some seconds for hundreds of buffers. Returns the elements used. The result is the same everywhere.
/// Addresses are multiples of the alignment, which is at least 1. Buffers that are never alive lie at 0.
/// Memory: none beside the buffers' notes.
constexpr std::size_t pack(std::span<Buffer> buffers, std::size_t alignment = 1,
                           long moves = default_pack_moves) noexcept {
    detail::Packer packer(buffers, alignment);
    const std::size_t bound = live_bound(buffers, alignment);
    std::size_t best = ~std::size_t{0};
    for (const PackOrder order : {PackOrder::size, PackOrder::time, PackOrder::life, PackOrder::area}) {
        const std::size_t used = packer.first_fit(order);
        if (used >= best) continue;
        best = used;
        packer.keep();
        if (best == bound) break;
    }
    return packer.improve(best, bound, moves);
}

} // namespace tarn
