// SPDX-License-Identifier: MIT
// Segment: a run of steps that executes row by row, depth first, through rings of rows; what it needs, exactly.
// Between lifetimes and placement: choose.hpp picks segments, place.hpp gives them memory, run/rows.hpp executes them.
// Knows which rows an Op reads; nothing of kernels' code or addresses.
#pragma once

#include <tarn/cpu/winograd_blocks.hpp>
#include <tarn/nn/reach.hpp>
#include <tarn/plan/lifetime.hpp>

#include <bit>
#include <cstdint>

namespace tarn {

/// Most steps that a segment may have: a set of them is one machine word.
inline constexpr int max_segment = 32;

/// Elements that addresses and sizes are multiples of: a cache line of floats.
inline constexpr std::size_t place_elems = 16;
constexpr std::size_t round_up(std::size_t elems) noexcept {
    return (elems + place_elems - 1) / place_elems * place_elems;
}

/// Elements from one row to the next.
constexpr std::size_t row_elems(const Extents& extents, int pitch) noexcept {
    const std::size_t pixels = extents.rows() / static_cast<std::size_t>(row_count(extents));
    return pixels * static_cast<std::size_t>(pitch > 0 ? pitch : extents.last());
}

/// Rows of a storage as one view of it sees them.
struct RowView {
    int storage = -1;
    int rows = 0;
    std::size_t stride = 0;            ///< elements from row to row
    std::size_t offset = 0, width = 0; ///< the view's part of a row

    /// Whether rows of both are the same rows of the same storage.
    constexpr bool same_rows(const RowView& o) const noexcept {
        return storage == o.storage && rows == o.rows && stride == o.stride && offset < stride && o.offset < o.stride;
    }
};
namespace detail {
constexpr RowView row_view(const View& view, const Extents& extents, int pitch) noexcept {
    const int rows = row_count(extents);
    const std::size_t stride = row_elems(extents, pitch);
    const auto pixels = extents.rows() / static_cast<std::size_t>(rows);
    const auto features = static_cast<std::size_t>(extents.last());
    return {view.storage, rows, stride, view.offset,
            pitch > 0 ? (pixels - 1) * static_cast<std::size_t>(pitch) + features : stride};
}
} // namespace detail
constexpr RowView in_rows(const Step& step) noexcept { return detail::row_view(step.in, step.op.in, step.op.in_pitch); }
constexpr RowView out_rows(const Step& step) noexcept {
    return detail::row_view(step.out, step.op.out, step.op.out_pitch);
}
constexpr RowView other_rows(const Step& step) noexcept {
    return step.op.broadcast ? detail::row_view(step.other, extents_of(1, 1, step.op.out.last()), 0)
                             : detail::row_view(step.other, step.op.out, step.op.other_pitch);
}

/// Whether a step can make its output row by row from few rows of its input.
constexpr bool is_row_wise(const Op& op) noexcept {
    return op.kind != OpKind::flatten_pytorch && op.kind != OpKind::gru && op.kind != OpKind::lstm && op.in.rank <= 3 &&
           op.out.rank <= 3;
}
/// First and last row of the input that row `row` of the output reads, inside the image.
constexpr int first_read(const Op& op, int row) noexcept {
    const long at = tap_row(op, row, 0);
    return at < 0 ? 0 : static_cast<int>(at);
}
constexpr int last_read(const Op& op, int row) noexcept {
    const long at = tap_row(op, row, tap_count(op) - 1);
    const int last = row_count(op.in) - 1;
    return at > last ? last : static_cast<int>(at);
}

/// What a step reads and writes, in rows.
struct StepRows {
    RowView in, other, out;
    bool row_wise = false;
};
/// The rows of every step, worked out once.
template <int Capacity> struct RowTable {
    StepRows steps[Capacity > 0 ? Capacity : 1]{};

    constexpr explicit RowTable(const Steps<Capacity>& net) noexcept {
        for (int s = 0; s < net.count; ++s) {
            const Step& step = net.steps[s];
            steps[s] = {in_rows(step), step.other ? other_rows(step) : RowView{}, out_rows(step), is_row_wise(step.op)};
        }
    }
};

/// A segment may work upwards from the first row or downwards from the last. Steps then count rows in the order they
/// come, and these say which of them row `row` of the output reads.
constexpr int first_come(const Op& op, int row, bool downwards) noexcept {
    return downwards ? row_count(op.in) - 1 - last_read(op, row_count(op.out) - 1 - row) : first_read(op, row);
}
constexpr int last_come(const Op& op, int row, bool downwards) noexcept {
    return downwards ? row_count(op.in) - 1 - first_read(op, row_count(op.out) - 1 - row) : last_read(op, row);
}
/// Rows that a step makes at once, those of a tile: from row `row` to this one, as they come.
constexpr int band_end(const Op& op, int row, bool downwards) noexcept {
    if (op.winograd == 0) return row + 1;
    const int rows = row_count(op.out), m = op.winograd;
    if (downwards) return rows - (rows - 1 - row) / m * m;
    return row + m < rows ? row + m : rows;
}
/// Whether the order of rows can change what a step computes: sums that grow row by row.
constexpr bool minds_order(const Op& op) noexcept { return accumulates(op) && op.window.kernel_h > 1; }

/// Which steps of a segment wait for which: sets of steps, bit i for step first + i.
struct Links {
    std::uint32_t in_from[max_segment] = {}, other_from[max_segment] = {};
    std::uint32_t sinks = 0; ///< steps whose rows no step of the segment reads
    int first = 0, count = 0;
    int driver = 0; ///< the sink that sets the pace, counted from first
    bool valid = false;
};

namespace detail {
constexpr bool has(std::uint32_t set, int i) noexcept { return (set >> i & 1U) != 0; }

/// Whether a view of rows is written by another, in rows of the same numbers.
constexpr bool overlaps(const RowView& a, const RowView& b) noexcept {
    return a.offset < b.offset + b.width && b.offset < a.offset + a.width;
}
} // namespace detail

/// Adds the step after the last one; false when it is not row-wise or sees a storage's rows as no other step does.
template <int Capacity> constexpr bool add_link(const RowTable<Capacity>& table, Links& links) noexcept {
    const StepRows& step = table.steps[links.first + links.count];
    if (links.count == max_segment || !step.row_wise) return false;
    const int i = links.count++;
    for (int p = 0; p < i; ++p) {
        const RowView& made = table.steps[links.first + p].out;
        if (made.storage == step.in.storage) {
            if (!made.same_rows(step.in)) return false;
            if (detail::overlaps(made, step.in)) links.in_from[i] |= 1U << p;
        }
        if (made.storage == step.other.storage) {
            if (!made.same_rows(step.other)) return false;
            if (detail::overlaps(made, step.other)) links.other_from[i] |= 1U << p;
        }
    }
    return true;
}

/// The links of steps [first, last].
template <int Capacity> constexpr Links links_of(const RowTable<Capacity>& table, int first, int last) noexcept {
    Links links;
    links.first = first;
    while (links.first + links.count <= last)
        if (!add_link(table, links)) return links;
    std::uint32_t read = 0;
    for (int i = 0; i < links.count; ++i) read |= links.in_from[i] | links.other_from[i];
    links.sinks = ~read & (links.count == max_segment ? ~0U : (1U << links.count) - 1U);
    const auto rows = [&](int i) { return table.steps[first + i].out.rows; };
    links.driver = links.count - 1;
    for (int i = 0; i < links.count; ++i)
        if (detail::has(links.sinks, i) && rows(i) > rows(links.driver)) links.driver = i;
    links.valid = true;
    return links;
}

/// What a segment needs, in elements.
struct SegmentFacts {
    int storage[2 * max_segment] = {};         ///< storages that are rings in it
    int ring_rows[2 * max_segment] = {};       ///< rows that each ring holds
    std::size_t ring_at[2 * max_segment] = {}; ///< where it begins in the segment's block of rings
    int rings = 0;
    std::size_t scratch_at = 0; ///< where scratch of steps that work by tiles begins, behind the rings
    std::size_t ring_elems = 0; ///< the block
    int main_in = -1;           ///< an input that ends here and that main_out may overlap
    int main_out = -1;
    Lead lead{};        ///< how far apart main_in and main_out must lie
    bool exact = false; ///< upwards they may also begin at one address

    constexpr int ring_of(int storage_number) const noexcept {
        for (int i = 0; i < rings; ++i)
            if (storage[i] == storage_number) return i;
        return -1;
    }
};

namespace detail {

/// Executes a segment's rows as run/rows.hpp will, counting instead of computing.
template <int Capacity> class RowCount {
  public:
    constexpr RowCount(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives, const Links& links, bool downwards,
                       bool pushed, int* needs) noexcept
        : net_(net), lives_(lives), links_(links), downwards_(downwards), pushed_(pushed), needs_(needs) {
        const int last = links.first + links.count - 1;
        for (int i = 0; i < links.count; ++i) {
            const Step& step = net.steps[links.first + i];
            rows_[i] = row_count(step.op.out);
            const int storage = step.out.storage;
            const bool ring = lives.birth[storage] >= links.first && lives.death[storage] <= last;
            int k = facts_.ring_of(storage);
            if (ring && k < 0) {
                k = facts_.rings++;
                facts_.storage[k] = storage;
                facts_.ring_rows[k] = 1;
            }
            ring_[i] = ring ? k : -1;
            if (!ring && lives.birth[storage] >= links.first) consider_out(i, storage);
        }
        if (pushed) {
            facts_.storage[facts_.rings] = 0;
            facts_.ring_rows[facts_.rings++] = 1;
        }
        for (int i = 0; i < links.count; ++i) {
            const Step& step = net.steps[links.first + i];
            consider_in(in_rows(step), last);
            if (step.other && !step.op.broadcast) consider_in(other_rows(step), last);
        }
        if (facts_.main_in < 0 || facts_.main_out < 0) facts_.main_in = facts_.main_out = -1;
        for (int k = 0; k < facts_.rings; ++k) ring_readers_[k] = readers_of(facts_.storage[k]);
        if (facts_.main_in >= 0) in_readers_ = readers_of(facts_.main_in);
        drive();
        if (facts_.main_out < 0) return;
        (downwards ? facts_.lead.descending : facts_.lead.ascending) = lead_;
        facts_.exact = exact_ && !downwards;
    }
    constexpr const SegmentFacts& facts() const noexcept { return facts_; }

  private:
    /// Sets of the steps that read a storage, with their first input and with their second.
    struct Readers {
        std::uint32_t first = 0, second = 0;
    };
    constexpr Readers in_readers_of_pushed() const noexcept { return ring_readers_[facts_.rings - 1]; }
    constexpr Readers readers_of(int storage) const noexcept {
        Readers readers;
        for (int c = 0; c < links_.count; ++c) {
            const Step& step = net_.steps[links_.first + c];
            if (step.in.storage == storage) readers.first |= 1U << c;
            if (step.other.storage == storage) readers.second |= 1U << c;
        }
        return readers;
    }

    /// The largest output with one writer may take the place of the largest input that ends here.
    constexpr void consider_out(int i, int storage) noexcept {
        int writers = 0;
        for (int w = 0; w < links_.count; ++w) writers += net_.steps[links_.first + w].out.storage == storage;
        if (writers != 1) return;
        if (facts_.main_out >= 0 && net_.storage[facts_.main_out] >= net_.storage[storage]) return;
        facts_.main_out = storage;
        writer_ = i;
        const RowView made = out_rows(net_.steps[links_.first + i]);
        out_row_ = made.stride;
        out_end_ = static_cast<long>(made.offset + made.width);
        whole_rows_ = made.offset == 0 && made.width == made.stride;
    }
    constexpr void consider_in(const RowView& seen, int last) noexcept {
        const int storage = seen.storage;
        if (lives_.birth[storage] >= links_.first || lives_.death[storage] > last) return;
        if (facts_.main_in >= 0 && net_.storage[facts_.main_in] >= net_.storage[storage]) return;
        for (int i = 0; i < links_.count; ++i) { // leads count in rows that all see alike
            const Step& step = net_.steps[links_.first + i];
            if (step.in.storage == storage && !lies_in_rows(in_rows(step), seen)) return;
            if (step.other && !step.op.broadcast && step.other.storage == storage &&
                !lies_in_rows(other_rows(step), seen))
                return;
        }
        facts_.main_in = storage;
        main_in_rows_ = seen;
    }
    static constexpr bool lies_in_rows(const RowView& view, const RowView& seen) noexcept {
        return view.same_rows(seen) && view.offset + view.width <= view.stride;
    }

    constexpr void drive() noexcept {
        const int driver = links_.driver;
        for (int row = 0; row < rows_[driver]; ++row) {
            const long low = pushed_ ? lowest(in_readers_of_pushed(), -1) : 0;
            ensure(driver, row);
            for (int s = 0; s < links_.count; ++s)
                if (has(links_.sinks, s) && s != driver) ensure(s, (row + 1) * rows_[s] / rows_[driver] - 1);
            if (pushed_ && come_ - low + 1 > facts_.ring_rows[facts_.rings - 1])
                facts_.ring_rows[facts_.rings - 1] = static_cast<int>(come_ - low + 1);
            if (needs_ != nullptr) needs_[row] = come_;
        }
        for (int s = 0; s < links_.count; ++s)
            if (ring_[s] < 0) ensure(s, rows_[s] - 1);
    }
    constexpr void ensure(int step, int row) noexcept {
        while (next_[step] <= row) produce(step);
    }
    constexpr void ensure_all(std::uint32_t steps, int row) noexcept {
        for (; steps != 0; steps &= steps - 1) ensure(std::countr_zero(steps), row);
    }
    constexpr void produce(int s) noexcept {
        const Op& op = net_.steps[links_.first + s].op;
        const int row = next_[s], past = band_end(op, row, downwards_);
        const int begin = first_come(op, row, downwards_), end = last_come(op, past - 1, downwards_);
        low_[s] = begin;
        if (accumulates(op)) wrote(s, row, row); // the row holds what its inputs have come to so far
        const bool one_by_one = accumulates(op) || !std::has_single_bit(links_.in_from[s]);
        for (int r = one_by_one ? begin : end; r <= end; ++r) {
            if (accumulates(op)) low_[s] = r;
            ensure_all(links_.in_from[s], r);
        }
        ensure_all(links_.other_from[s], op.broadcast ? 0 : past - 1);
        const Step& step = net_.steps[links_.first + s];
        if (step.in.storage == 0 && end > come_) come_ = end;
        if (step.other.storage == 0 && past - 1 > come_) come_ = past - 1;
        for (int r = row; r < past; ++r) wrote(s, r, row);
        next_[s] = past;
        low_[s] = past < rows_[s] ? first_come(op, past, downwards_) : row_count(op.in);
    }
    /// The lowest row of a storage that a step still reads. `but`: a step whose second input is left out.
    constexpr long lowest(const Readers& readers, int but) const noexcept {
        long low = never_read;
        for (std::uint32_t left = readers.first; left != 0; left &= left - 1) {
            const int c = std::countr_zero(left);
            if (next_[c] < rows_[c] && low_[c] < low) low = low_[c];
        }
        for (std::uint32_t left = readers.second; left != 0; left &= left - 1) {
            const int c = std::countr_zero(left);
            if (next_[c] >= rows_[c] || c == but) continue;
            const long second = net_.steps[links_.first + c].op.broadcast ? 0 : next_[c];
            if (second < low) low = second;
        }
        return low;
    }
    /// first: of the rows that are written together.
    constexpr void wrote(int s, int row, int first) noexcept {
        if (ring_[s] >= 0) {
            const long low = lowest(ring_readers_[ring_[s]], -1);
            const long held = row - (low < first ? low : first) + 1;
            if (held > facts_.ring_rows[ring_[s]]) facts_.ring_rows[ring_[s]] = static_cast<int>(held);
        } else if (s == writer_ && facts_.main_out >= 0) {
            // Upwards rows below `low` may be overwritten, downwards those above what is then the same count from the
            // end.
            const auto out_row = static_cast<long>(out_row_), in_row = static_cast<long>(main_in_rows_.stride);
            const long in_rows = main_in_rows_.rows, first_out = rows_[s] - 1 - row;
            const auto rise = [&](long low) {
                if (low == never_read) return Lead::always;
                return downwards_ ? (in_rows - low) * in_row - first_out * out_row
                                  : row * out_row + out_end_ - low * in_row;
            };
            const long all = rise(lowest(in_readers_, -1)), others = rise(lowest(in_readers_, s));
            if (all > lead_) lead_ = all;
            const Step& step = net_.steps[links_.first + s];
            const bool sums = step.op.add || (step.op.kind == OpKind::mul && !step.op.broadcast);
            const bool follows =
                whole_rows_ && out_row_ == main_in_rows_.stride && step.in.storage != facts_.main_in && sums;
            if (!follows || others > 0) exact_ = false;
        }
    }
    static constexpr long never_read = 1L << 30;

    const Steps<Capacity>& net_;
    const Lifetimes<Capacity>& lives_;
    const Links& links_;
    SegmentFacts facts_{};
    int rows_[max_segment] = {}, next_[max_segment] = {}, ring_[max_segment] = {};
    long low_[max_segment] = {};
    Readers ring_readers_[2 * max_segment]{}, in_readers_{};
    RowView main_in_rows_{};
    std::size_t out_row_ = 0;
    int writer_ = -1;
    long lead_ = Lead::always, out_end_ = 0; // out_end_: of main_out's first row
    bool exact_ = true, whole_rows_ = false;
    bool downwards_;
    bool pushed_; // the network's input comes row by row and is a ring, the last of them
    int* needs_;  // by row of the driver: the last row of the input that it waits for
    int come_ = 0;
};

} // namespace detail

/// Whether a segment may also work downwards: nothing minds the order, and something is gained.
template <int Capacity>
constexpr bool works_downwards(const Steps<Capacity>& net, const Links& links, const SegmentFacts& upwards,
                               bool pushed) noexcept {
    if (pushed || upwards.main_out < 0) return false;
    for (int i = 0; i < links.count; ++i)
        if (minds_order(net.steps[links.first + i].op)) return false;
    return true;
}
/// A count of every row in one direction; pushed: the network's input comes row by row, and its readers take it from a
/// ring.
template <int Capacity>
constexpr SegmentFacts count_rows(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives, const Links& links,
                                  bool downwards, bool pushed) noexcept {
    return detail::RowCount<Capacity>(net, lives, links, downwards, pushed, nullptr).facts();
}
/// What the segment needs whichever way it works, from the counts of both; downwards may be null.
template <int Capacity>
constexpr SegmentFacts join_counts(const Steps<Capacity>& net, const Links& links, SegmentFacts facts,
                                   const SegmentFacts* downwards) noexcept {
    if (downwards != nullptr) {
        facts.lead.descending = downwards->lead.descending;
        for (int k = 0; k < facts.rings; ++k)
            if (downwards->ring_rows[k] > facts.ring_rows[k]) facts.ring_rows[k] = downwards->ring_rows[k];
    }
    for (int k = 0; k < facts.rings; ++k) {
        std::size_t row = 0;
        for (int i = 0; i < links.count; ++i)
            if (net.steps[links.first + i].out.storage == facts.storage[k])
                row = out_rows(net.steps[links.first + i]).stride;
        if (facts.storage[k] == 0) row = row_elems(net.inputs[0].extents, 0);
        facts.ring_at[k] = facts.ring_elems;
        facts.ring_elems += round_up(row * static_cast<std::size_t>(facts.ring_rows[k]));
    }
    std::size_t scratch = 0;
    for (int i = 0; i < links.count; ++i) {
        const std::size_t wanted = cpu::band_scratch(net.steps[links.first + i].op);
        if (wanted > scratch) scratch = wanted;
    }
    facts.scratch_at = facts.ring_elems;
    facts.ring_elems += round_up(scratch);
    return facts;
}

/// What the segment of valid links needs, both directions counted.
template <int Capacity>
constexpr SegmentFacts segment_facts(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives, const Links& links,
                                     bool pushed = false) noexcept {
    const SegmentFacts upwards = count_rows(net, lives, links, false, pushed);
    if (!works_downwards(net, links, upwards, pushed)) return join_counts(net, links, upwards, nullptr);
    const SegmentFacts downwards = count_rows(net, lives, links, true, false);
    return join_counts(net, links, upwards, &downwards);
}

/// Whether all who read the network's first input see it in its own rows, so that it may come row by row.
template <int Capacity> constexpr bool input_keeps_rows(const Steps<Capacity>& net) noexcept {
    const Port& input = net.inputs[0];
    const RowView own = detail::row_view(input.view, input.extents, 0);
    const auto in_own = [&](const RowView& seen) {
        return seen.storage != own.storage || (seen.same_rows(own) && seen.offset + seen.width <= own.stride);
    };
    for (int s = 0; s < net.count; ++s) {
        const Step& step = net.steps[s];
        if (!in_own(in_rows(step)) || (step.other && !in_own(other_rows(step)))) return false;
    }
    return true;
}

/// By row of a pushed segment's driver: the last row of the input that must have come.
template <int Capacity>
constexpr void row_needs(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives, const Links& links,
                         int* last) noexcept {
    detail::RowCount<Capacity>(net, lives, links, false, true, last);
}
template <int Rows> struct RowNeeds {
    int last[Rows > 0 ? Rows : 1] = {};

    template <int Capacity>
    constexpr RowNeeds(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives, const Links& links) noexcept {
        row_needs(net, lives, links, last);
    }
};

} // namespace tarn
