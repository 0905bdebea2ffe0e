// SPDX-License-Identifier: MIT
// Runs a plan on an arena whose elements remember which value's which element they hold: every read finds what it
// wants, or the plan is wrong. Kernels are imitated in the order in which they read and write.
// Judges planner and validator in tests. Knows steps, plans and footprints; shares nothing with either.
#pragma once

#include <tarn/plan/network.hpp>

#include "plan/reads.hpp"

#include <algorithm>

namespace tarn_test {

/// The footprint of the CPU kernel for an Op known at run time only; a test holds it against the kernels' own.
inline tarn::Footprint footprint_of(const tarn::Op& op) {
    using namespace tarn;
    Footprint f;
    const Lead all = reach_lead(op, false);
    const int in_c = op.in.last(), out_c = op.out.last();
    const bool image = is_image(op.kind) && !(op.window == Window{});
    const int out_w = image ? op.out[1] : static_cast<int>(op.out.rows());
    if (cpu::is_depthwise(op)) {
        f.direct_pixels = std::min(out_w, 4);
        f.direct = {all.ascending + (f.direct_pixels - 1) * in_c, all.descending + (f.direct_pixels - 1) * in_c};
        f.second_exact = op.add;
    } else if (cpu::is_dense(op)) {
        f.staged_pixels = std::min(out_w, 12);
        f.direct_pixels =
            std::clamp(6144 / (in_c * op.window.kernel_h * op.window.stride_w), f.staged_pixels, std::min(out_w, 96));
        f.direct = {all.ascending + long{f.direct_pixels} * out_c, all.descending + long{f.direct_pixels} * out_c};
        f.staged = reach_lead(op, true);
        f.can_stage = true;
        const bool one_panel = op.groups == 1 && out_c <= 16;
        f.scratch_elems = one_panel ? 0 : static_cast<std::size_t>(f.staged_pixels) * static_cast<std::size_t>(out_c);
        f.second_exact = op.add;
    } else if (op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d) {
        f.direct = all;
    } else if (op.kind != OpKind::flatten_pytorch) {
        f.direct.ascending = 0;
        f.second_exact = op.add;
    }
    return f;
}

/// What of an instruction set decides in which order a kernel works.
struct Machine {
    int lanes;
    int rows_of_16, rows_of_8; ///< pixels of a register tile for panels of 16 and of 8 outputs
};
inline constexpr Machine machines[] = {{4, 2, 6}, {8, 6, 12}, {1, 1, 1}}; // baseline, AVX2, the finest there could be

template <int Capacity> class Simulation {
  public:
    Simulation(const tarn::Problem<Capacity>& problem, const tarn::Plan<Capacity>& plan, Machine machine)
        : p_(problem), plan_(plan), machine_(machine), arena_(plan.arena_elems) {}

    /// Whether every read of every step, and of the results at the end, found its element.
    bool run() {
        for (int v = 0; v <= p_.net.count; ++v)
            if ((v > 0 || p_.owns_input) && plan_.value[v] == tarn::Plan<Capacity>::outside) return false;
        if (p_.owns_input)
            for (std::size_t i = 0; i < p_.net.elems(0); ++i) write_at(plan_.value[0], 0, i);
        for (s_ = 0; s_ < p_.net.count && good_; ++s_) step(p_.net.steps[s_]);
        const bool everything = p_.keep_all;
        for (int v = 0; v <= p_.net.count && good_; ++v)
            if (everything || v == p_.net.output)
                for (std::size_t i = 0; i < p_.net.elems(v); ++i) read(v, i);
        return good_;
    }

  private:
    struct Tag {
        int value = -1;
        std::size_t index = 0;
        bool operator==(const Tag&) const = default;
    };
    static constexpr int scratch_value = -2;

    void write_at(std::size_t base, int value, std::size_t index) {
        if (base + index >= arena_.size())
            good_ = false;
        else
            arena_[base + index] = {value, index};
    }
    void write(std::size_t index) { write_at(plan_.value[s_ + 1], s_ + 1, index); }
    void read_at(std::size_t base, int value, std::size_t index) {
        if (base + index >= arena_.size() || !(arena_[base + index] == Tag{value, index})) good_ = false;
    }
    void read(int value, std::size_t index) {
        if (value > 0 || p_.owns_input) read_at(plan_.value[value], value, index);
    }

    void step(const tarn::Step& step) {
        using tarn::OpKind;
        if (step.op.kind == OpKind::linear || step.op.kind == OpKind::conv2d) {
            if (tarn::cpu::is_depthwise(step.op))
                channelwise(step, std::min(width(step.op), 4));
            else
                dense(step);
        } else if (step.op.kind == OpKind::max_pool2d || step.op.kind == OpKind::avg_pool2d) {
            channelwise(step, 1);
        } else if (step.op.kind == OpKind::flatten_pytorch) {
            const auto channels = static_cast<std::size_t>(step.op.in.last()), pixels = step.op.in.rows();
            for (std::size_t i = 0; i < channels * pixels; ++i) {
                read(step.input, i % pixels * channels + i / pixels);
                write(i);
            }
        } else {
            for (std::size_t i = 0; i < step.op.out.elems(); ++i) {
                read(step.input, i);
                if (step.other >= 0) read(step.other, i);
                write(i);
            }
        }
    }

    static int width(const tarn::Op& op) {
        return is_image(op.kind) && !(op.window == tarn::Window{}) ? op.out[1] : static_cast<int>(op.out.rows());
    }
    static int height(const tarn::Op& op) { return static_cast<int>(op.out.rows()) / width(op); }

    /// Channels [first, last) of the inputs of output pixel t.
    void read_pixel(const tarn::Step& step, const std::vector<int>& pixels, int first, int last) {
        for (const int pixel : pixels)
            for (int c = first; c < last; ++c)
                read(step.input, static_cast<std::size_t>(pixel) * static_cast<std::size_t>(step.op.in.last()) +
                                     static_cast<std::size_t>(c));
    }
    static std::size_t element(const tarn::Op& op, int t, int c) {
        return static_cast<std::size_t>(t) * static_cast<std::size_t>(op.out.last()) + static_cast<std::size_t>(c);
    }

    /// Some channels of a few pixels are read, then the same channels written.
    void channelwise(const tarn::Step& step, int tile) {
        const bool down = plan_.schedule[s_].descending;
        const auto reads = pixels_read(step.op);
        const int channels = step.op.out.last(), w = width(step.op), h = height(step.op);
        const auto pass = [&](int t, int pixels, int c) {
            const int end = std::min(c + machine_.lanes, channels);
            for (int i = t; i < t + pixels; ++i) {
                read_pixel(step, reads[static_cast<std::size_t>(i)], c, end);
                if (step.other >= 0)
                    for (int k = c; k < end; ++k) read(step.other, element(step.op, i, k));
            }
            for (int i = t; i < t + pixels; ++i)
                for (int k = c; k < end; ++k) write(element(step.op, i, k));
        };
        const int passes = (channels + machine_.lanes - 1) / machine_.lanes, tiles = (w + tile - 1) / tile;
        for (int i = 0; i < h; ++i) {
            for (int j = 0; j < tiles; ++j) {
                const int y = down ? h - 1 - i : i, x = (down ? tiles - 1 - j : j) * tile;
                for (int k = 0; k < passes; ++k)
                    pass(y * w + x, std::min(tile, w - x), (down ? passes - 1 - k : k) * machine_.lanes);
            }
        }
    }

    /// Tiles of pixels, panel after panel, in blocks; a staged block of several panels goes through scratch.
    void dense(const tarn::Step& step) {
        const tarn::Op& op = step.op;
        const tarn::Schedule schedule = plan_.schedule[s_];
        const tarn::Footprint& f = p_.footprint[s_];
        const auto reads = pixels_read(op);
        const int w = width(op), h = height(op);
        const int group_in = op.in.last() / op.groups, group_out = op.out.last() / op.groups;
        const int panel = group_out <= 8 ? 8 : 16;
        const int rows = panel == 8 ? machine_.rows_of_8 : machine_.rows_of_16;
        std::vector<int> starts; // of tiles as even as can be
        const int count = (w + rows - 1) / rows;
        for (int t = 0, x = 0; t <= count; ++t) {
            starts.push_back(x);
            x += w / count + (t < w % count ? 1 : 0);
        }
        const int largest = starts[1];
        const bool waits = schedule.staged && (op.groups > 1 || group_out > panel);
        const int step_tiles = std::max(1, (schedule.staged ? f.staged_pixels : f.direct_pixels) / largest);
        const int blocks = (count + step_tiles - 1) / step_tiles;
        const auto tile = [&](int y, int t, int channel, int end, int group, int block_start) {
            const int first = y * w + starts[static_cast<std::size_t>(t)];
            const int last = y * w + starts[static_cast<std::size_t>(t) + 1];
            for (int i = first; i < last; ++i) {
                read_pixel(step, reads[static_cast<std::size_t>(i)], group * group_in, (group + 1) * group_in);
                if (step.other >= 0)
                    for (int c = channel; c < end; ++c) read(step.other, element(op, i, c));
            }
            for (int i = first; i < last; ++i)
                for (int c = channel; c < end; ++c) {
                    if (waits)
                        write_at(plan_.scratch[s_], scratch_value, element(op, i - block_start, c));
                    else
                        write(element(op, i, c));
                }
        };
        const auto block = [&](int y, int begin, int end) {
            const int start = y * w + starts[static_cast<std::size_t>(begin)];
            for (int g = 0; g < op.groups; ++g)
                for (int c = 0; c < group_out; c += panel)
                    for (int t = begin; t < end; ++t)
                        tile(y, t, g * group_out + c, g * group_out + std::min(c + panel, group_out), g, start);
            if (!waits) return;
            for (int i = start; i < y * w + starts[static_cast<std::size_t>(end)]; ++i)
                for (int c = 0; c < op.out.last(); ++c) {
                    read_at(plan_.scratch[s_], scratch_value, element(op, i - start, c));
                    write(element(op, i, c));
                }
        };
        for (int i = 0; i < h; ++i) {
            for (int j = 0; j < blocks; ++j) {
                const int y = schedule.descending ? h - 1 - i : i;
                const int begin = (schedule.descending ? blocks - 1 - j : j) * step_tiles;
                const int end = std::min(begin + step_tiles, count);
                if (schedule.staged && schedule.descending && !waits)
                    for (int t = end; t-- > begin;) block(y, t, t + 1);
                else
                    block(y, begin, end);
            }
        }
    }

    const tarn::Problem<Capacity>& p_;
    const tarn::Plan<Capacity>& plan_;
    Machine machine_;
    std::vector<Tag> arena_;
    int s_ = 0;
    bool good_ = true;
};

/// On every machine.
template <int Capacity> bool survives(const tarn::Problem<Capacity>& problem, const tarn::Plan<Capacity>& plan) {
    return std::all_of(std::begin(machines), std::end(machines),
                       [&](const Machine& m) { return Simulation<Capacity>(problem, plan, m).run(); });
}

} // namespace tarn_test
