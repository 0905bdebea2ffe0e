// SPDX-License-Identifier: MIT
// Runs a plan on an arena whose elements remember which storage's which element they hold: every read finds what it
// wants, or the plan is wrong. Kernels are imitated in the order in which they read and write, whole and by rows.
// Judges planner and validator in tests. Knows steps, plans and footprints; shares nothing with either.
#pragma once

#include "plan/planning.hpp"
#include "plan/reads.hpp"

#include <algorithm>

namespace tarn_test {

/// What of an instruction set decides in which order a kernel works.
struct Machine {
    int lanes;
    int rows_of_16, rows_of_8; ///< pixels of a register tile for panels of 16 and of 8 outputs
};
inline constexpr Machine machines[] = {{4, 2, 6}, {8, 6, 12}, {1, 1, 1}}; // baseline, AVX2, the finest there could be

template <int Capacity> class Simulation {
  public:
    Simulation(const Planning<Capacity>& planning, const tarn::Plan<Capacity>& plan, Machine machine)
        : made_(planning), p_(planning.problem), plan_(plan), machine_(machine), arena_(plan.arena_elems) {}

    /// Whether every read of every step, and of the results at the end, found its element.
    bool run() {
        const auto& net = p_.net;
        for (int v = 0; v < net.input_count && p_.owns_input; ++v) {
            if (plan_.storage[v] == outside) return false;
            for (std::size_t e = 0; e < net.storage[v]; ++e) put(plan_.storage[v] + e, v, e);
        }
        for (int t = 0; t < p_.task_count && good_; ++t) {
            task_ = t;
            if (!p_.tasks[t].rows) {
                step(net.steps[p_.tasks[t].first]);
            } else {
                links_ = &made_.links[static_cast<std::size_t>(t)];
                facts_ = &made_.facts[static_cast<std::size_t>(t)];
                rows();
                links_ = nullptr, facts_ = nullptr;
            }
        }
        for (int o = 0; o < net.output_count && good_; ++o) {
            const tarn::Port& port = net.outputs[o];
            const Side side = side_of(port.view, port.extents, 0);
            for (int i = 0; i < side.pixels; ++i) read(side, i, 0, side.width);
        }
        for (int s = 0; s < net.count && made_.keep_all && good_; ++s) {
            const Side side = out_of(net.steps[s]);
            for (int i = 0; i < side.pixels; ++i) read(side, i, 0, side.width);
        }
        return good_;
    }

  private:
    static constexpr std::size_t outside = tarn::Plan<Capacity>::outside;
    struct Tag {
        int storage = -1;
        std::size_t element = 0;
        bool operator==(const Tag&) const = default;
    };
    static constexpr int scratch_tag = -2, unfinished_tag = -3;

    /// What a step sees of a storage: pixels of some features.
    struct Side {
        int storage;
        std::size_t offset, pitch;
        int width, pixels, rows;

        int row_pixels() const { return pixels / rows; }
        std::size_t element(int pixel, int channel) const {
            return offset + static_cast<std::size_t>(pixel) * pitch + static_cast<std::size_t>(channel);
        }
    };
    static Side side_of(const tarn::View& view, const tarn::Extents& e, int pitch) {
        return {view.storage,
                view.offset,
                static_cast<std::size_t>(pitch > 0 ? pitch : e.last()),
                e.last(),
                static_cast<int>(e.rows()),
                tarn::row_count(e)};
    }
    static Side in_of(const tarn::Step& s) { return side_of(s.in, s.op.in, s.op.in_pitch); }
    static Side out_of(const tarn::Step& s) { return side_of(s.out, s.op.out, s.op.out_pitch); }
    static Side other_of(const tarn::Step& s) {
        return s.op.broadcast ? side_of(s.other, tarn::extents_of(1, 1, s.op.out.last()), 0)
                              : side_of(s.other, s.op.out, s.op.other_pitch);
    }

    /// The arena's element for one of a storage, outside for the caller's memory.
    std::size_t address(const Side& side, int pixel, int channel) {
        const int ring = facts_ != nullptr ? facts_->ring_of(side.storage) : -1;
        if (ring < 0) {
            const std::size_t at = plan_.storage[side.storage];
            if (at == outside && !(p_.net.is_input(side.storage) && !p_.owns_input)) good_ = false;
            return at == outside ? outside : at + side.element(pixel, channel);
        }
        const int y = pixel / side.row_pixels(), come = turned(y, side.rows);
        const auto slot = static_cast<std::size_t>(come % facts_->ring_rows[ring]);
        const std::size_t stride = side.pitch * static_cast<std::size_t>(side.row_pixels());
        const std::size_t within = side.element(pixel % side.row_pixels(), channel);
        if (within >= stride || plan_.scratch[task_] == outside) good_ = false;
        return plan_.scratch[task_] + facts_->ring_at[ring] + slot * stride + within;
    }
    void put(std::size_t at, int storage, std::size_t element) {
        if (at >= arena_.size())
            good_ = false;
        else
            arena_[at] = {storage, element};
    }
    void expect(std::size_t at, int storage, std::size_t element) {
        if (at >= arena_.size() || !(arena_[at] == Tag{storage, element})) good_ = false;
    }
    void write(const Side& side, int pixel, int first, int last) {
        for (int c = first; c < last; ++c) put(address(side, pixel, c), side.storage, side.element(pixel, c));
    }
    void read(const Side& side, int pixel, int first, int last) {
        for (int c = first; c < last; ++c)
            if (const std::size_t at = address(side, pixel, c); at != outside)
                expect(at, side.storage, side.element(pixel, c));
    }
    void read_other(const tarn::Step& s, int pixel, int first, int last) {
        if (s.other) read(other_of(s), s.op.broadcast ? 0 : pixel, first, last);
    }
    /// Channels [first, last) of the inputs of an output pixel.
    void read_pixels(const tarn::Step& s, const std::vector<int>& pixels, int first, int last) {
        const Side in = in_of(s);
        for (const int pixel : pixels) read(in, pixel, first, last);
    }

    // Steps that run whole.

    void step(const tarn::Step& s) {
        using tarn::OpKind;
        reads_ = pixels_read(s.op);
        switch (s.op.kind) {
        case OpKind::linear:
        case OpKind::conv2d:
            if (s.op.winograd > 0) return tiled(s);
            if (tarn::cpu::is_depthwise(s.op)) return channelwise(s, std::min(width(s.op), 4));
            return dense(s);
        case OpKind::max_pool2d:
        case OpKind::avg_pool2d:
            return channelwise(s, 1);
        case OpKind::upsample:
            return channelwise(s, s.op.window.stride_w);
        case OpKind::up_conv2d:
            return up_conv(s);
        case OpKind::gru:
        case OpKind::lstm:
            return recurrent(s);
        case OpKind::flatten_pytorch: {
            const int channels = s.op.in.last(), pixels = static_cast<int>(s.op.in.rows());
            for (int i = 0; i < channels * pixels; ++i) {
                read(in_of(s), i % pixels, i / pixels, i / pixels + 1);
                write(out_of(s), 0, i, i + 1);
            }
            return;
        }
        default:
            for (int i = 0; i < static_cast<int>(s.op.out.rows()); ++i) {
                const bool reads_row = s.op.kind == OpKind::softmax || s.op.kind == OpKind::layer_norm;
                if (reads_row) read(in_of(s), i, 0, s.op.in.last());
                for (int c = 0; c < s.op.out.last(); ++c) {
                    if (!reads_row) read(in_of(s), i, c, c + 1);
                    read_other(s, i, c, c + 1);
                    write(out_of(s), i, c, c + 1);
                }
            }
        }
    }

    static int width(const tarn::Op& op) {
        const bool image = (is_image(op.kind) && !(op.window == tarn::Window{})) || tarn::is_enlarging(op.kind);
        return !image ? static_cast<int>(op.out.rows()) : op.out.rank > 2 ? op.out[1] : 1;
    }
    static int height(const tarn::Op& op) { return static_cast<int>(op.out.rows()) / width(op); }
    const std::vector<int>& inputs_of(int pixel) const { return reads_[static_cast<std::size_t>(pixel)]; }
    bool down() const { return plan_.schedule[task_].descending; }

    /// Some channels of a few pixels are read, then the same channels written.
    void channelwise(const tarn::Step& s, int tile) {
        const int channels = s.op.out.last(), w = width(s.op), h = height(s.op);
        const auto pass = [&](int t, int pixels, int c) {
            const int end = std::min(c + machine_.lanes, channels);
            for (int i = t; i < t + pixels; ++i) {
                read_pixels(s, inputs_of(i), c, end);
                read_other(s, i, c, end);
            }
            for (int i = t; i < t + pixels; ++i) write(out_of(s), i, c, end);
        };
        const int passes = (channels + machine_.lanes - 1) / machine_.lanes, tiles = (w + tile - 1) / tile;
        for (int i = 0; i < h; ++i) {
            for (int j = 0; j < tiles; ++j) {
                const int y = down() ? h - 1 - i : i, x = (down() ? tiles - 1 - j : j) * tile;
                for (int k = 0; k < passes; ++k)
                    pass(y * w + x, std::min(tile, w - x), (down() ? passes - 1 - k : k) * machine_.lanes);
            }
        }
    }

    /// Pixels of a row cut into register tiles as even as can be: where each begins.
    std::vector<int> tiles_of(int row_width, int outputs) const {
        const int rows = outputs <= 8 ? machine_.rows_of_8 : machine_.rows_of_16;
        const int count = (row_width + rows - 1) / rows;
        std::vector<int> starts;
        for (int t = 0, x = 0; t <= count; ++t) {
            starts.push_back(x);
            x += row_width / count + (t < row_width % count ? 1 : 0);
        }
        return starts;
    }

    /// Tiles of pixels, panel after panel, in blocks; a staged block of several panels goes through scratch.
    void dense(const tarn::Step& s) {
        const tarn::Op& op = s.op;
        const tarn::Schedule schedule = plan_.schedule[task_];
        const tarn::Footprint& f = p_.footprint[p_.tasks[task_].first];
        const int w = width(op), h = height(op);
        const int group_in = op.in.last() / op.groups, group_out = op.out.last() / op.groups;
        const int panel = group_out <= 8 ? 8 : 16;
        const std::vector<int> starts = tiles_of(w, group_out);
        const auto start = [&](int t) { return starts[static_cast<std::size_t>(t)]; };
        const int count = static_cast<int>(starts.size()) - 1;
        const bool waits = schedule.staged && (op.groups > 1 || group_out > panel);
        const int step_tiles = std::max(1, (schedule.staged ? f.staged_pixels : f.direct_pixels) / starts[1]);
        const int blocks = (count + step_tiles - 1) / step_tiles, band = waits             ? f.staged_rows
                                                                         : schedule.staged ? 1
                                                                                           : f.direct_rows;
        const auto in_scratch = [&](int pixel, int channel) {
            return static_cast<std::size_t>(pixel) * static_cast<std::size_t>(op.out.last()) +
                   static_cast<std::size_t>(channel);
        };
        const auto tile = [&](int first, int last, int channel, int end, int group, int block_start) {
            for (int i = first; i < last; ++i) read_pixels(s, inputs_of(i), group * group_in, (group + 1) * group_in);
            for (int i = first; i < last; ++i) { // the epilogue, pixel by pixel
                read_other(s, i, channel, end);
                if (!waits) write(out_of(s), i, channel, end);
                for (int c = channel; c < end && waits; ++c)
                    put(plan_.scratch[task_] + in_scratch(i - block_start, c), scratch_tag, in_scratch(i, c));
            }
        };
        const auto block = [&](int y, int begin, int end) {
            for (int g = 0; g < op.groups; ++g)
                for (int c = 0; c < group_out; c += panel)
                    for (int row = y; row < std::min(y + band, h); ++row)
                        for (int t = begin; t < end; ++t)
                            tile(row * w + start(t), row * w + start(t + 1), g * group_out + c,
                                 g * group_out + std::min(c + panel, group_out), g, y * w + start(begin));
            if (!waits) return;
            const int last = band > 1 ? std::min(y + band, h) - 1 : y;
            for (int i = y * w + start(begin); i < last * w + start(end); ++i)
                for (int c = 0; c < op.out.last(); ++c) {
                    expect(plan_.scratch[task_] + in_scratch(i - y * w - start(begin), c), scratch_tag,
                           in_scratch(i, c));
                    write(out_of(s), i, c, c + 1);
                }
        };
        const int bands = (h + band - 1) / band;
        for (int i = 0; i < bands; ++i) {
            for (int j = 0; j < blocks; ++j) {
                const int y = (schedule.descending ? bands - 1 - i : i) * band;
                const int begin = (schedule.descending ? blocks - 1 - j : j) * step_tiles;
                const int end = std::min(begin + step_tiles, count);
                if (schedule.staged && schedule.descending && !waits)
                    for (int t = end; t-- > begin;) block(y, t, t + 1);
                else
                    block(y, begin, end);
            }
        }
    }

    /// Rows of tiles: a block's inputs go to scratch, then its outputs come panel by panel, tile by tile.
    void tiled(const tarn::Step& s) {
        const tarn::Op& op = s.op;
        const tarn::Footprint& f = p_.footprint[p_.tasks[task_].first];
        const int w = op.out[1], h = op.out[0], m = op.winograd, band = f.direct_rows, bands = (h + band - 1) / band;
        const int panel = op.out.last() <= 8 ? 8 : 16;
        for (int i = 0; i < bands; ++i) {
            const int y = (down() ? bands - 1 - i : i) * band, end = std::min(y + band, h);
            for (int pixel = y * w; pixel < end * w; ++pixel) read_pixels(s, inputs_of(pixel), 0, op.in.last());
            for (std::size_t e = 0; e < f.direct_scratch; ++e) put(plan_.scratch[task_] + e, scratch_tag, e);
            for (int c = 0; c < op.out.last(); c += panel)
                for (int tile = y; tile < end; tile += m)
                    for (int x = 0; x < w; ++x)
                        for (int row = tile; row < std::min(tile + m, end); ++row) {
                            read_other(s, row * w + x, c, std::min(c + panel, op.out.last()));
                            write(out_of(s), row * w + x, c, std::min(c + panel, op.out.last()));
                        }
            for (std::size_t e = 0; e < f.direct_scratch; ++e) expect(plan_.scratch[task_] + e, scratch_tag, e);
        }
    }

    /// Blocks of input pixels, read once for each column of the kernel.
    void up_conv(const tarn::Step& s) {
        const tarn::Op& op = s.op;
        const int columns = op.window.kernel_w, w = op.in[1], h = op.out[0], out_w = op.out[1];
        const std::vector<int> starts = tiles_of(w, op.out.last());
        const int count = static_cast<int>(starts.size()) - 1, panel = op.out.last() <= 8 ? 8 : 16;
        const int pixels = p_.footprint[p_.tasks[task_].first].direct_pixels / columns;
        const int step_tiles = std::max(1, pixels / starts[1]), blocks = (count + step_tiles - 1) / step_tiles;
        for (int i = 0; i < h; ++i)
            for (int j = 0; j < blocks; ++j) {
                const int y = down() ? h - 1 - i : i, begin = (down() ? blocks - 1 - j : j) * step_tiles;
                const int end = std::min(begin + step_tiles, count);
                for (int column = 0; column < columns; ++column)
                    for (int c = 0; c < op.out.last(); c += panel)
                        for (int t = begin; t < end; ++t) {
                            const int first = starts[static_cast<std::size_t>(t)],
                                      last = starts[static_cast<std::size_t>(t) + 1];
                            for (int x = first; x < last; ++x)
                                read(in_of(s), y / op.window.stride_h * w + x, 0, op.in.last());
                            for (int x = first; x < last; ++x)
                                write(out_of(s), y * out_w + x * columns + column, c,
                                      std::min(c + panel, op.out.last()));
                        }
            }
    }

    /// The state and a working row lie in scratch.
    void recurrent(const tarn::Step& s) {
        const std::size_t held = p_.footprint[p_.tasks[task_].first].direct_scratch;
        for (std::size_t e = 0; e < held; ++e) put(plan_.scratch[task_] + e, scratch_tag, e);
        for (int i = 0; i < static_cast<int>(s.op.out.rows()); ++i) {
            read(in_of(s), i, 0, s.op.in.last());
            for (std::size_t e = 0; e < held; ++e) expect(plan_.scratch[task_] + e, scratch_tag, e);
            write(out_of(s), i, 0, s.op.out.last());
        }
    }

    // Segments, in the order that run/rows.hpp documents. Rows are counted as they come.

    int turned(int row, int rows) const { return plan_.schedule[task_].descending ? rows - 1 - row : row; }
    const tarn::Step& part(int i) const { return p_.net.steps[links_->first + i]; }
    int rows_of(int i) const { return tarn::row_count(part(i).op.out); }

    void rows() {
        next_.assign(static_cast<std::size_t>(links_->count), 0);
        for (int row = 0; row < rows_of(links_->driver) && good_; ++row) {
            ensure(links_->driver, row);
            for (int i = 0; i < links_->count; ++i)
                if ((links_->sinks >> i & 1U) != 0 && i != links_->driver)
                    ensure(i, (row + 1) * rows_of(i) / rows_of(links_->driver) - 1);
        }
        for (int i = 0; i < links_->count && good_; ++i)
            if (facts_->ring_of(part(i).out.storage) < 0) ensure(i, rows_of(i) - 1);
    }
    void ensure(int i, int row) {
        while (next_[static_cast<std::size_t>(i)] <= row && good_) produce(i);
    }
    void ensure_all(std::uint32_t steps, int row) {
        for (int i = 0; steps >> i != 0; ++i)
            if ((steps >> i & 1U) != 0) ensure(i, row);
    }
    void ensure_rows(std::uint32_t steps, int begin, int end) {
        if (std::has_single_bit(steps)) return ensure_all(steps, end - 1);
        for (int row = begin; row < end; ++row) ensure_all(steps, row);
    }

    void read_row(const Side& side, int y) {
        for (int x = 0; x < side.row_pixels(); ++x) read(side, y * side.row_pixels() + x, 0, side.width);
    }
    void mark_row(const Side& side, int y, int tag) {
        for (int x = 0; x < side.row_pixels(); ++x)
            for (int c = 0; c < side.width; ++c) {
                const int pixel = y * side.row_pixels() + x;
                put(address(side, pixel, c), tag == 0 ? side.storage : tag, side.element(pixel, c));
            }
    }

    /// A row of tiles: all inputs are read, then outputs are written, each after the second input's element.
    void produce_tile(int i) {
        const tarn::Step& s = part(i);
        const Side in = in_of(s), out = out_of(s);
        int& next = next_[static_cast<std::size_t>(i)];
        const int m = s.op.winograd, y = turned(next, out.rows) / m * m, last = std::min(y + m, out.rows) - 1;
        std::vector<int> image_rows;
        for (int r = y - s.op.window.pad_top; r <= last - s.op.window.pad_top + 2; ++r)
            if (r >= 0 && r < in.rows) image_rows.push_back(r);
        if (!image_rows.empty() && links_->in_from[i] != 0) {
            const int a = turned(image_rows.front(), in.rows), b = turned(image_rows.back(), in.rows);
            ensure_rows(links_->in_from[i], std::min(a, b), std::max(a, b) + 1);
        }
        if (s.other) ensure_all(links_->other_from[i], std::max(turned(y, out.rows), turned(last, out.rows)));
        for (const int r : image_rows) read_row(in, r);
        const std::size_t scratch = plan_.scratch[task_] + facts_->scratch_at, held = tarn::cpu::band_scratch(s.op);
        for (std::size_t e = 0; e < held; ++e) put(scratch + e, scratch_tag, e);
        if (s.other) {
            for (int r = y; r <= last; ++r) read_row(other_of(s), r);
            for (int r = y; r <= last; ++r) { // panel by panel: what lies elsewhere must outlive all writes
                mark_row(out, r, 0);
                for (int later = r + 1; later <= last; ++later) read_row(other_of(s), later);
                for (int sooner = y; sooner <= r; ++sooner)
                    if (!takes_over(other_of(s), sooner, out, sooner)) read_row(other_of(s), sooner);
            }
        } else {
            for (int r = y; r <= last; ++r) mark_row(out, r, 0);
        }
        for (std::size_t e = 0; e < held; ++e) expect(scratch + e, scratch_tag, e);
        // All of them are there now: a ring that holds fewer has lost some.
        for (int r = y; r <= last; ++r) read_row(out, r);
        next += last - y + 1;
    }

    void produce(int i) {
        if (part(i).op.winograd > 0) return produce_tile(i);
        const tarn::Step& s = part(i);
        const tarn::Op& op = s.op;
        const Side in = in_of(s), out = out_of(s);
        int& next = next_[static_cast<std::size_t>(i)];
        if (next >= out.rows) {
            good_ = false;
            return;
        }
        const int row = next, y = turned(row, out.rows);
        const tarn::TapRange taps = tarn::tap_range(op, y);
        std::vector<int> image_rows;
        for (int t = taps.begin; t < taps.end; ++t) image_rows.push_back(static_cast<int>(tarn::tap_row(op, y, t)));
        if (tarn::accumulates(op)) {
            mark_row(out, y, unfinished_tag);
            for (const int r : image_rows) {
                ensure_rows(links_->in_from[i], turned(r, in.rows), turned(r, in.rows) + 1);
                read_row(in, r);
                for (int x = 0; x < out.row_pixels() && good_; ++x)
                    for (int c = 0; c < out.width; ++c)
                        expect(address(out, y * out.row_pixels() + x, c), unfinished_tag,
                               out.element(y * out.row_pixels() + x, c));
            }
            mark_row(out, y, 0);
        } else {
            if (!image_rows.empty()) {
                const int a = turned(image_rows.front(), in.rows), b = turned(image_rows.back(), in.rows);
                if (links_->in_from[i] != 0) ensure_rows(links_->in_from[i], std::min(a, b), std::max(a, b) + 1);
            }
            const int other_y = op.broadcast ? 0 : y;
            if (s.other) ensure_all(links_->other_from[i], op.broadcast ? 0 : row);
            for (const int r : image_rows) read_row(in, r);
            if (s.other) read_row(other_of(s), other_y);
            mark_row(out, y, 0);
            // A kernel may read any of its inputs until its last output is written, but for those it takes over.
            using tarn::OpKind;
            const bool elementwise = op.kind == OpKind::activation || op.kind == OpKind::batch_norm ||
                                     op.kind == OpKind::softmax || op.kind == OpKind::layer_norm ||
                                     op.kind == OpKind::add || op.kind == OpKind::mul || op.kind == OpKind::copy;
            for (const int r : image_rows)
                if (!(elementwise && takes_over(in, r, out, y))) read_row(in, r);
            if (s.other && (op.broadcast || !takes_over(other_of(s), other_y, out, y))) read_row(other_of(s), other_y);
        }
        next = row + 1;
    }
    bool takes_over(const Side& in, int in_y, const Side& out, int y) {
        const bool touching = in.pitch == out.pitch && static_cast<int>(in.pitch) == in.width;
        return in.width == out.width && (touching || in.row_pixels() == 1) &&
               address(in, in_y * in.row_pixels(), 0) == address(out, y * out.row_pixels(), 0);
    }

    const Planning<Capacity>& made_;
    const tarn::Problem<Capacity>& p_;
    const tarn::Plan<Capacity>& plan_;
    Machine machine_;
    std::vector<Tag> arena_;
    std::vector<std::vector<int>> reads_; // of the step that runs whole
    const tarn::Links* links_ = nullptr;
    const tarn::SegmentFacts* facts_ = nullptr;
    std::vector<int> next_;
    int task_ = 0;
    bool good_ = true;
};

/// On every machine.
template <int Capacity> bool survives(const Planning<Capacity>& planning, const tarn::Plan<Capacity>& plan) {
    return std::all_of(std::begin(machines), std::end(machines),
                       [&](const Machine& m) { return Simulation<Capacity>(planning, plan, m).run(); });
}

} // namespace tarn_test
