// SPDX-License-Identifier: MIT
// Choose: which steps run whole and which row by row, by minimax over the places where the network can be cut, then by
// estimated time inside the arena so found.
// Between segments and placement. Estimates in closed form, since there are many candidates; segment.hpp counts
// exactly. Knows footprints and rows; nothing of addresses.
#pragma once

#include <tarn/cpu/geometry.hpp>
#include <tarn/plan/bound.hpp>
#include <tarn/plan/segment.hpp>

#include <bit>
#include <initializer_list>

namespace tarn {

/// How sums are taken: in the order written, or apart where that is faster (cpu/winograd.hpp).
enum class Summation { as_written, winograd };

/// How a plan is wanted. Policies are types that hold one.
struct Wish {
    bool keep_all = false;               ///< every step's output kept
    bool rows = true;                    ///< segments may run row by row; else only a norm with what it is before
    bool fastest = false;                ///< least time first; the arena is only held under `bytes`
    std::size_t bytes = ~std::size_t{0}; ///< the arena at most
    bool pushed = false;                 ///< the input comes row by row: the first segment reads it all from a ring
    bool any_count = false;              ///< the input has rows up to its extent: what reads some of them works by rows
    Summation sums = Summation::as_written;
};

/// What a candidate [first, last] would ask for.
struct Estimate {
    std::size_t elems = ~std::size_t{0}; ///< of the arena while it runs, all that waits included
    float time = 0.F;                    ///< nanoseconds on a processor of our time; only compared with each other
};

/// Candidates that begin at one step.
struct EstimateRow {
    Estimate whole{};
    Estimate rows[max_segment]{}; ///< steps [first, first + i] row by row
    int count = 0;
};

namespace detail {

constexpr long as_long(std::size_t n) noexcept { return static_cast<long>(n); }

/// Elements an input and an output need together under one of the kernel's schedules, scratch and rounding included.
constexpr std::size_t least_pair(std::size_t in, std::size_t out, const Footprint& f) noexcept {
    const auto rounded = [](Lead lead) {
        const auto up = [](long v) {
            return v > 0 && v < Lead::never ? as_long(round_up(static_cast<std::size_t>(v))) : v;
        };
        return Lead{up(lead.ascending), up(lead.descending)};
    };
    const std::size_t in_size = round_up(in), out_size = round_up(out);
    std::size_t least = overlapped_elems(in_size, out_size, rounded(f.direct)) + round_up(f.direct_scratch);
    if (f.can_stage)
        least = smaller(least, overlapped_elems(in_size, out_size, rounded(f.staged)) + round_up(f.scratch_elems));
    return least;
}

/// Rows of the input as straight lines over rows of the output: first and last row read.
struct RowLine {
    double slope = 1.0, first = 0.0, last = 0.0;
};
constexpr RowLine row_line(const Op& op) noexcept {
    if (op.kind == OpKind::upsample || op.kind == OpKind::up_conv2d) {
        const double slope = 1.0 / op.window.stride_h;
        return {slope, slope - 1.0, 0.0};
    }
    if (op.winograd > 0) { // rows of a tile come together, whichever of them is asked for
        const double others = op.winograd - 1;
        return {1.0, static_cast<double>(tap_row(op, 0, 0)) - others, static_cast<double>(tap_row(op, 0, 2)) + others};
    }
    if (tap_count(op) == 1 && tap_row(op, 1, 0) == 1) return {};
    return {static_cast<double>(op.window.stride_h), static_cast<double>(tap_row(op, 0, 0)),
            static_cast<double>(tap_row(op, 0, tap_count(op) - 1))};
}
constexpr int rows_reached(const Op& op) noexcept {
    if (accumulates(op)) return 1;
    const long reached = tap_row(op, 0, tap_count(op) - 1) - tap_row(op, 0, 0) + (op.winograd > 0 ? op.winograd : 1);
    const int rows = row_count(op.in);
    return reached < rows ? static_cast<int>(reached) : rows;
}

/// Most rows that the steps of a segment may have together: segment.hpp counts each, within what compilers allow.
inline constexpr int max_rows = 2000;

/// Bytes a nanosecond from memory of the given extent.
constexpr double bytes_per_ns(std::size_t bytes) noexcept {
    return bytes <= 32768 ? 150.0 : bytes <= 458752 ? 80.0 : bytes <= 8388608 ? 35.0 : 11.0;
}
/// Bytes of the weights that every row of a step reads; 0 of kinds without.
constexpr std::size_t row_weights(const Op& op) noexcept {
    if (op.winograd > 0) {
        const auto n = static_cast<std::size_t>(op.winograd) + 2;
        return n * n * static_cast<std::size_t>(op.in.last()) * static_cast<std::size_t>(op.out.last()) *
               sizeof(float) / (n - 2);
    }
    return op.out.rows() > 0 ? macs_of(op) / op.out.rows() * sizeof(float) : 0;
}
/// Weights of a segment that together stay in a third-level cache from row to row; beyond that every row reads them
/// from memory, at 10 bytes a nanosecond where measured (`tools/bench streaming`).
inline constexpr double cached_weights = 6e6;
/// Where a step has more than a second-level cache of weights and rows of few pixels, reading them for every row costs
/// more than the arithmetic: a segment does not take it.
constexpr bool rows_cost_too_much(const Op& op) noexcept {
    const auto rows = static_cast<std::size_t>(row_count(op.out));
    if (op.winograd > 0) return row_weights(op) > 150000 && op.out[1] < 7 * op.winograd; // few tiles for a reading
    return rows > 1 && row_weights(op) > 600000 && op.out.rows() / rows < 32;
}

/// Time of a step's arithmetic.
constexpr double compute_ns(const Op& op) noexcept {
    if (op.winograd > 0) return cpu::winograd_ns(op, cpu::winograd_tiles(op, op.winograd));
    const bool matrix = op.kind == OpKind::linear || op.kind == OpKind::up_conv2d || op.kind == OpKind::conv2d;
    if (!matrix) {
        const double taps = op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d
                                ? static_cast<double>(op.window.kernel_h) * op.window.kernel_w
                                : 1.0;
        return static_cast<double>(op.out.elems()) * (0.05 + 0.1 * taps);
    }
    return static_cast<double>(macs_of(op)) / (op.groups > 1 ? 12.0 : 40.0);
}

/// How much longer a dense layer computes by rows: its tiles of up to six pixels are cut from each row, and one of
/// fewer than four waits for its own sums.
constexpr double row_tiles(const Op& op) noexcept {
    const bool dense = op.kind == OpKind::linear || (op.kind == OpKind::conv2d && op.groups == 1);
    if (!dense) return 1.0;
    const int width = static_cast<int>(op.out.rows()) / row_count(op.out);
    const int tiles = (width + 5) / 6, shorter = width / tiles, longer = width % tiles;
    const auto cost = [](int pixels) { return pixels < 4 ? 4 : pixels; };
    return static_cast<double>(longer * cost(shorter + 1) + (tiles - longer) * cost(shorter)) / width;
}

/// What the estimates ask of every step, worked out once.
template <int Capacity> struct EstimateTable {
    RowTable<Capacity> rows;
    RowLine line[Capacity > 0 ? Capacity : 1]{};
    int reached[Capacity > 0 ? Capacity : 1] = {};
    double time[Capacity > 0 ? Capacity : 1] = {};    ///< of all its rows, one by one
    double weights[Capacity > 0 ? Capacity : 1] = {}; ///< bytes that each row reads
    std::size_t alive[Capacity + 1] = {};             ///< elements in the arena when the step begins
    int born[Capacity + 1] = {};                      ///< storages of lower numbers are there when the step begins

    constexpr EstimateTable(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives, bool owns_input) noexcept
        : rows(net) {
        std::size_t ends[Capacity + 1] = {}; // by step
        std::size_t now = 0;
        int storage = 0;
        for (int s = 0; s <= net.count; ++s) {
            for (; storage < net.storage_count && lives.birth[storage] < s; ++storage) {
                if (lives.death[storage] < s || (net.is_input(storage) && !owns_input)) continue;
                now += round_up(net.storage[storage]);
                ends[lives.death[storage]] += round_up(net.storage[storage]);
            }
            born[s] = storage;
            alive[s] = now;
            if (s == net.count) break;
            now -= ends[s];
            const Op& op = net.steps[s].op;
            const auto count = static_cast<std::size_t>(row_count(op.out));
            line[s] = row_line(op);
            reached[s] = rows_reached(op);
            weights[s] = static_cast<double>(row_weights(op));
            const double arithmetic = op.winograd > 0 ? cpu::winograd_ns(op, cpu::winograd_bands(op, op.winograd))
                                                      : compute_ns(op) * row_tiles(op);
            time[s] = arithmetic + 40.0 * static_cast<double>(count);
        }
    }
};

template <int Capacity> class Estimator {
  public:
    constexpr Estimator(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives,
                        const EstimateTable<Capacity>& table, bool owns_input, bool pushed = false) noexcept
        : net_(net), lives_(lives), table_(table), owns_input_(owns_input), pushed_(pushed) {}

    constexpr Estimate whole(int s, const Footprint& f) const noexcept {
        const Step& step = net_.steps[s];
        const std::size_t alive = table_.alive[s];
        const int out = step.out.storage;
        const bool born = lives_.birth[out] == s;
        std::size_t elems = alive + (born ? size(out) : 0) + round_up(f.direct_scratch);
        const auto dies = [&](const View& view) {
            return view && held(view.storage) && lives_.birth[view.storage] < s && lives_.death[view.storage] == s;
        };
        if (born && dies(step.in) && !step.op.broadcast)
            elems = smaller(elems, alive - size(step.in.storage) +
                                       least_pair(net_.storage[step.in.storage], net_.storage[out], f));
        if (born && dies(step.other) && f.second_exact && net_.storage[step.other.storage] == net_.storage[out])
            elems = smaller(elems, alive);
        const std::size_t bytes = sizeof(float) * (step.op.in.elems() + step.op.out.elems());
        const double time = compute_ns(step.op) + static_cast<double>(bytes) / bytes_per_ns(bytes);
        return {elems, static_cast<float>(time)};
    }

    /// Candidates of up to `most` steps from step `first` on, until one is not row-wise or its rings alone pass
    /// `limit`.
    constexpr EstimateRow row(int first, const Footprint& f, std::size_t limit, int most,
                              bool any_count = false) noexcept {
        EstimateRow to;
        to.whole = whole(first, f);
        links_.first = first;
        base_ = table_.born[first];
        int rows = 0;
        while (first + links_.count < net_.count && to.count < most) {
            rows += table_.rows.steps[first + links_.count].out.rows;
            const Op& op = net_.steps[first + links_.count].op;
            const bool too_much = rows > max_rows || rows_cost_too_much(op);
            if ((too_much && !(any_count && to.count == 0)) || !add()) break;
            std::size_t rings = 0;
            to.rows[to.count++] = estimate(rings);
            if (rings > limit) break;
        }
        return to;
    }

  private:
    /// A storage that begins in the segment.
    struct Local {
        int writer = 0;    ///< the first
        double rows = 1.0; ///< that a ring of it must hold
        int band = 1;      ///< rows that are made at once
        int readers = 0;
    };

    constexpr bool held(int storage) const noexcept { return owns_input_ || !net_.is_input(storage); }
    constexpr std::size_t size(int storage) const noexcept {
        return held(storage) ? round_up(net_.storage[storage]) : 0;
    }
    constexpr const StepRows& rows_at(int i) const noexcept { return table_.rows.steps[links_.first + i]; }

    constexpr bool add() noexcept {
        if (!add_link(table_.rows, links_)) return false;
        const int c = links_.count - 1, s = links_.first + c;
        const StepRows& step = rows_at(c);
        time_ += table_.time[s];
        weights_ += table_.weights[s];
        weight_reads_ += table_.weights[s] * step.out.rows;
        lines_known_ = -1;
        reads(step.in.storage, table_.reached[s]);
        if (step.other.storage >= 0) reads(step.other.storage, 1);
        if (!std::has_single_bit(links_.in_from[c] | links_.other_from[c])) joins(c);
        if (step.out.storage - base_ == local_count_) local_[local_count_++].writer = c;
        const Op& op = net_.steps[s].op;
        if (op.winograd > 0 && step.out.storage >= base_)
            local_[step.out.storage - base_].band = larger(local_[step.out.storage - base_].band, op.winograd);
        scratch_ = larger(scratch_, round_up(cpu::band_scratch(op)));
        return true;
    }
    constexpr void reads(int storage, int reached) noexcept {
        if (storage >= base_) {
            Local& local = local_[storage - base_];
            local.rows = larger(local.rows, static_cast<double>(reached));
            ++local.readers;
            return;
        }
        bytes_in_ += sizeof(float) * net_.storage[storage];
        for (int i = 0; i < input_count_; ++i)
            if (inputs_[i] == storage) return;
        if (input_count_ < max_segment) inputs_[input_count_++] = storage;
    }
    /// Step j waits for several: what all of them were made from has come as far as the one that needs most, and
    /// whoever needs less reads it late.
    constexpr void joins(int j) noexcept {
        lines_from(j);
        double come[max_segment] = {}; // by storage
        for (int i = 0; i < j; ++i) {
            const int local = rows_at(i).out.storage - base_;
            if (local >= 0 && (known_ >> i & 1U) != 0) come[local] = larger(come[local], last_[i]);
        }
        for (int c = 0; c <= j; ++c) {
            if ((known_ >> c & 1U) == 0) continue;
            const StepRows& step = rows_at(c);
            const RowLine& line = table_.line[links_.first + c];
            late(step.in.storage, come, line.slope * last_[c] + line.first);
            late(step.other.storage, come, last_[c]);
        }
    }
    constexpr void late(int storage, const double* come, double low) noexcept {
        if (storage < base_) return;
        Local& local = local_[storage - base_];
        if (local.readers > 1) local.rows = larger(local.rows, come[storage - base_] - low + 1.0);
    }

    /// Lines of all steps over the rows of step c: how far each must have come for a row of c.
    constexpr void lines_from(int c) noexcept {
        if (lines_known_ == c) return;
        lines_known_ = c;
        known_ = 1U << c;
        slope_[c] = 1.0;
        last_[c] = 0.0;
        for (int i = c; i > 0; --i) {
            if ((known_ >> i & 1U) == 0) continue;
            const RowLine& line = table_.line[links_.first + i];
            for (std::uint32_t from = links_.in_from[i]; from != 0; from &= from - 1)
                reach(std::countr_zero(from), slope_[i] * line.slope, line.slope * last_[i] + line.last);
            for (std::uint32_t from = links_.other_from[i]; from != 0; from &= from - 1)
                reach(std::countr_zero(from), slope_[i], last_[i]);
        }
    }
    constexpr void reach(int p, double slope, double last) noexcept {
        const bool known = (known_ >> p & 1U) != 0;
        slope_[p] = known && slope_[p] > slope ? slope_[p] : slope;
        last_[p] = known && last_[p] > last ? last_[p] : last;
        known_ |= 1U << p;
    }

    constexpr Estimate estimate(std::size_t& rings) noexcept {
        const int end = links_.first + links_.count - 1;
        std::size_t born = 0, out_best = 0, bytes = bytes_in_;
        int writer = -1;
        for (int i = 0; i < local_count_; ++i) {
            const int storage = base_ + i;
            if (lives_.death[storage] > end) {
                born += size(storage);
                bytes += sizeof(float) * net_.storage[storage];
                if (net_.storage[storage] > out_best) out_best = net_.storage[storage], writer = local_[i].writer;
            } else {
                const RowView& made = rows_at(local_[i].writer).out;
                const double wanted = local_[i].rows + local_[i].band - 1;
                const int rows = wanted < made.rows ? static_cast<int>(wanted) : made.rows;
                rings += round_up(made.stride * static_cast<std::size_t>(rows));
            }
        }
        rings += scratch_;
        if (pushed_ && links_.first == 0) rings += pushed_elems();
        int main_in = -1;
        std::size_t in_best = 0;
        for (int i = 0; i < input_count_; ++i)
            if (lives_.death[inputs_[i]] <= end && held(inputs_[i]) && net_.storage[inputs_[i]] > in_best)
                in_best = net_.storage[inputs_[i]], main_in = inputs_[i];
        std::size_t elems = table_.alive[links_.first] + born + rings;
        if (main_in >= 0 && writer >= 0) {
            const Lead lead{ascending(main_in, writer), Lead::never};
            const std::size_t apart = round_up(in_best) + round_up(out_best);
            elems -= apart - smaller(apart, round_up(overlapped_elems(round_up(in_best), round_up(out_best), lead)));
        }
        const std::size_t ring_bytes = rings * sizeof(float);
        const double time = time_ + (weights_ > cached_weights ? weight_reads_ / 10.0 : 0.0) +
                            static_cast<double>(bytes) / bytes_per_ns(bytes) +
                            static_cast<double>(ring_bytes) / bytes_per_ns(ring_bytes);
        return {elems, static_cast<float>(time)};
    }

    /// Elements of the ring that the network's input needs when it comes row by row: what one row of the last step
    /// takes, and what its window still holds.
    constexpr std::size_t pushed_elems() noexcept {
        lines_from(links_.count - 1);
        const RowView input = row_view(net_.inputs[0].view, net_.inputs[0].extents, 0);
        double rows = 1.0;
        for (int c = 0; c < links_.count; ++c) {
            if (rows_at(c).in.storage != 0 || (known_ >> c & 1U) == 0) continue;
            const RowLine& line = table_.line[links_.first + c];
            rows = larger(rows, slope_[c] * line.slope + line.last - line.first);
        }
        return round_up(input.stride *
                        static_cast<std::size_t>(rows < input.rows ? static_cast<int>(rows) : input.rows));
    }

    /// How far main_in must lie above what `writer` writes: at its first rows, in the middle, and at its last.
    constexpr long ascending(int main_in, int writer) noexcept {
        lines_from(writer);
        const RowView& out = rows_at(writer).out;
        double lead = 0.0;
        for (int c = 0; c < links_.count; ++c) {
            const StepRows& step = rows_at(c);
            const bool reads = step.in.storage == main_in, sums = step.other.storage == main_in;
            if (!(reads || sums) || (c != writer && (known_ >> c & 1U) == 0)) continue;
            const auto stride = static_cast<double>((reads ? step.in : step.other).stride);
            const RowLine line = sums ? RowLine{} : table_.line[links_.first + c];
            for (const int row : {0, out.rows / 2, out.rows - 1}) {
                double low = 0.0;
                if (c == writer)
                    low = sums ? row + 1.0 : line.slope * row + line.first;
                else if (slope_[c] * row + last_[c] + 1.0 >= step.out.rows)
                    continue; // it has read everything
                else
                    low = line.slope * (slope_[c] * row + last_[c] + 1.0) + line.first;
                lead = larger(lead, static_cast<double>(out.stride) * (row + 1.0) - stride * (low > 0.0 ? low : 0.0));
            }
        }
        return static_cast<long>(lead);
    }

    const Steps<Capacity>& net_;
    const Lifetimes<Capacity>& lives_;
    const EstimateTable<Capacity>& table_;
    bool owns_input_, pushed_;
    Links links_{};
    int base_ = 0; // number of the first storage that may begin in the segment
    Local local_[max_segment]{};
    int local_count_ = 0;
    int inputs_[max_segment] = {}; // storages read that begin before
    int input_count_ = 0;
    double time_ = 0.0, weights_ = 0.0, weight_reads_ = 0.0;
    std::size_t bytes_in_ = 0, scratch_ = 0;
    int lines_known_ = -1;
    std::uint32_t known_ = 0;
    double slope_[max_segment] = {}, last_[max_segment] = {};
};

} // namespace detail

/// Steps that a segment from step s on may have under a wish.
template <int Capacity>
constexpr int longest_segment(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives, const Wish& wish,
                              int s) noexcept {
    return wish.rows ? max_segment : norms_the_next(net, lives, s) ? 2 : wish.any_count ? 1 : 0;
}

/// A partition of the steps: task t runs steps [first[t], first[t + 1]).
template <int Capacity> struct Choice {
    int first[Capacity + 1] = {};
    bool rows[Capacity > 0 ? Capacity : 1] = {}; ///< by rows; else a single step, whole
    int count = 0;
    std::size_t estimate = 0; ///< elements
};

/// The best partition under a wish, out of the estimates of all candidates. input_death: the last step that reads the
/// first input.
template <int Capacity>
constexpr Choice<Capacity> choose(int steps, const EstimateRow* const* table, const Wish& wish, std::size_t least,
                                  int input_death = 0) noexcept {
    constexpr std::size_t none = ~std::size_t{0};
    // Whether steps [i, i + n] may be a segment, and step i run whole.
    const auto by_rows = [&](int i, int n) {
        return wish.pushed && i == 0 ? n >= input_death : n > 0 || wish.any_count;
    };
    const auto whole = [&](int i) { return !wish.pushed || i > 0; };
    std::size_t need[Capacity + 1] = {}; // smallest arena for steps [i, end)
    for (int i = steps; i-- > 0;) {
        need[i] = whole(i) ? detail::larger(table[i]->whole.elems, need[i + 1]) : none;
        for (int n = 0; n < table[i]->count; ++n)
            if (by_rows(i, n))
                need[i] = detail::smaller(need[i], detail::larger(table[i]->rows[n].elems, need[i + 1 + n]));
    }
    Choice<Capacity> choice;
    choice.estimate = detail::larger(need[0], least);
    const std::size_t given = wish.bytes == none ? none : wish.bytes / sizeof(float);
    const std::size_t limit = wish.fastest ? detail::larger(given, choice.estimate) : choice.estimate;
    float time[Capacity + 1] = {};
    int taken[Capacity + 1] = {}; // 0: whole, else the number of steps by rows
    for (int i = steps; i-- > 0;) {
        float best = 1e30F;
        if (whole(i) && table[i]->whole.elems <= limit) best = table[i]->whole.time + time[i + 1];
        for (int n = 0; n < table[i]->count; ++n) {
            if (!by_rows(i, n) || table[i]->rows[n].elems > limit || need[i + 1 + n] > limit) continue;
            const float t = table[i]->rows[n].time + time[i + 1 + n];
            if (t < best) best = t, taken[i] = n + 1;
        }
        time[i] = best;
    }
    for (int i = 0; i < steps;) {
        choice.first[choice.count] = i;
        choice.rows[choice.count++] = taken[i] > 0;
        i += taken[i] > 0 ? taken[i] : 1;
    }
    choice.first[choice.count] = steps;
    return choice;
}

/// Estimates of every step, whole and by rows where the wish allows it, as Planned makes them one constant each: for
/// networks that are no types. Returns the elements that are there before the first step.
template <int Capacity>
constexpr std::size_t estimate_all(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives,
                                   const Footprint* footprints, const Wish& wish, bool owns_input,
                                   EstimateRow* to) noexcept {
    const detail::EstimateTable<Capacity> table(net, lives, owns_input);
    std::size_t peak = 0;
    for (int s = 0; s < net.count; ++s) {
        to[s].whole = detail::Estimator(net, lives, table, owns_input).whole(s, footprints[s]);
        peak = detail::larger(peak, to[s].whole.elems);
    }
    for (int s = 0; s < net.count; ++s)
        to[s] = detail::Estimator(net, lives, table, owns_input, wish.pushed)
                    .row(s, footprints[s], peak, longest_segment(net, lives, wish, s));
    return table.alive[0];
}

} // namespace tarn
