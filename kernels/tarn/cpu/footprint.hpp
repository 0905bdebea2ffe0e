// SPDX-License-Identifier: MIT
// Footprint: how far a CPU kernel's output may run into its inputs, and what scratch it takes, for any Op as a value.
// The planner reads it; kernels cut their blocks by the same functions, so figure and code cannot disagree.
// Knows nothing of instruction sets, weights, plans or files.
#pragma once

#include <tarn/cpu/winograd_blocks.hpp>
#include <tarn/nn/reach.hpp>

namespace tarn {

/// In which order a kernel works through its rows, and whether a block of outputs goes through scratch.
struct Schedule {
    bool descending = false;
    bool staged = false;

    friend constexpr bool operator==(const Schedule&, const Schedule&) = default;
};

/// What a kernel may share with its inputs, in elements. `direct` writes outputs where they belong at once; `staged`
/// computes a block of outputs in scratch first, which lets it follow its reads more closely.
struct Footprint {
    Lead direct{};
    Lead staged{};
    std::size_t scratch_elems = 0;  ///< taken by staged only
    std::size_t direct_scratch = 0; ///< taken by direct only: a recurrent layer's state and working row
    bool can_stage = false;
    int direct_pixels = 1;     ///< most outputs of a row written before the next inputs are read
    int direct_rows = 1;       ///< rows of them; several only where they are whole rows
    int staged_pixels = 1;     ///< outputs that wait in scratch: of a row
    int staged_rows = 1;       ///< rows of them; several only where they are whole rows
    bool second_exact = false; ///< the second input may be the output's own bytes
};

namespace cpu {

/// Weights and biases lie in panels of 16 output channels (8 where fewer are wanted), whatever the vector's width:
/// one AVX-512 register, two AVX, four SSE or NEON ones. The last panel is padded with zeros.
constexpr int panel_width(int outputs) noexcept { return outputs <= 8 ? 8 : 16; }

constexpr bool is_matrix(const Op& op) noexcept {
    return op.kind == OpKind::linear || (op.kind == OpKind::conv2d && op.groups == 1 && op.window == Window{});
}
constexpr bool is_depthwise(const Op& op) noexcept {
    return op.kind == OpKind::conv2d && op.groups > 1 && op.groups == op.in.last() && op.groups == op.out.last();
}
constexpr bool is_dense(const Op& op) noexcept {
    return op.kind == OpKind::linear || (op.kind == OpKind::conv2d && !is_depthwise(op));
}
constexpr bool is_recurrent(const Op& op) noexcept { return op.kind == OpKind::gru || op.kind == OpKind::lstm; }
/// Kinds that read a second input.
constexpr bool reads_other(const Op& op) noexcept { return op.add || op.kind == OpKind::mul; }

/// Floats from one pixel to the next: of the input, the output and the second input.
constexpr int in_pitch_of(const Op& op) noexcept { return op.in_pitch > 0 ? op.in_pitch : op.in.last(); }
constexpr int out_pitch_of(const Op& op) noexcept { return op.out_pitch > 0 ? op.out_pitch : op.out.last(); }
constexpr int other_pitch_of(const Op& op) noexcept { return op.other_pitch > 0 ? op.other_pitch : op.out.last(); }
constexpr bool has_pitch(const Op& op) noexcept { return op.in_pitch > 0 || op.out_pitch > 0 || op.other_pitch > 0; }

/// Panels of one group's output channels.
constexpr int panels_of(int outputs) noexcept { return (outputs + panel_width(outputs) - 1) / panel_width(outputs); }

/// Weights of a dense layer.
constexpr long weight_count(const Op& op) noexcept {
    const detail::Plane p = detail::plane_of(op);
    return p.in_c / op.groups * p.out_c * p.window.kernel_h * p.window.kernel_w;
}
/// Whether they are more than stays in a second-level cache beside the pixels: every block of pixels reads all of them,
/// so the fewer blocks the better.
constexpr bool has_large_weights(const Op& op) noexcept { return weight_count(op) > 32768; }
/// Whether they come from memory, not from a cache.
constexpr bool has_huge_weights(const Op& op) noexcept { return weight_count(op) > 1000000; }
/// What a dense layer works on together: a part of a row, or several rows.
struct Block {
    int pixels = 1, rows = 1;
};
/// What waits in scratch: two tiles of six rows, the widest that AVX2 registers hold, more where weights are large. One
/// where the image is so small that two would be a good part of it; narrow panels take tiles of twelve.
constexpr Block staged_block_of(const Op& op) noexcept {
    const detail::Plane p = detail::plane_of(op);
    const bool small = p.pixels() <= 400 && op.out.last() / op.groups > 8;
    const long most = small ? 6 : has_large_weights(op) ? 32 : 12;
    const bool two_rows = !small && has_huge_weights(op) && p.out_w <= most && p.out_h > 1;
    return {static_cast<int>(p.out_w < most ? p.out_w : most), two_rows ? 2 : 1};
}
/// What is worked on together when outputs go straight out. Its inputs should stay in a 32 KiB first-level cache; in a
/// part of the second-level one where weights are large, in most of it where those come from memory.
constexpr Block direct_block_of(const Op& op) noexcept {
    const detail::Plane p = detail::plane_of(op);
    const long width = op.kind == OpKind::up_conv2d ? p.in_w : p.out_w; // up_conv2d: blocks of its input
    const long inputs = op.kind == OpKind::up_conv2d ? p.in_c : p.in_c * p.window.kernel_h * p.window.stride_w;
    const bool large = has_large_weights(op);
    const long cached = !large ? 6144 : has_huge_weights(op) ? 98304 : 40960;
    const long fit = large && p.window == Window{} ? 24 : cached / inputs; // a matrix: its rows may lie a page apart
    const long least = width < 12 ? width : 12;
    const long most = width < 96 || large ? width : 96;
    Block block;
    block.pixels = static_cast<int>(detail::clamp_to(fit, least, most));
    if (!large || block.pixels < width || op.kind == OpKind::up_conv2d) return block;
    const long row = p.in_w * p.in_c, first = p.window.kernel_h - p.window.stride_h;
    const long rows = detail::clamp_to((cached / row - first) / p.window.stride_h, 1, p.out_h);
    const long bands = (p.out_h + rows - 1) / rows;
    block.rows = static_cast<int>((p.out_h + bands - 1) / bands);
    return block;
}
/// Depthwise layers: pixels a pass, sharing the weights in registers.
constexpr int depthwise_tile(const Op& op) noexcept {
    const long out_w = detail::plane_of(op).out_w;
    return out_w < 4 ? static_cast<int>(out_w) : 4;
}
/// Recurrent layers: the hidden width in whole panels; the state of a GRU is h, of an LSTM h and c.
constexpr int padded_hidden(const Op& op) noexcept { return panels_of(op.out.last()) * panel_width(op.out.last()); }
constexpr int states_of(const Op& op) noexcept { return op.kind == OpKind::gru ? 1 : 2; }

/// The footprint of the kernel for an Op.
constexpr Footprint footprint_of(const Op& op) noexcept {
    Footprint f;
    const detail::Plane p = detail::plane_of(op);
    const auto direct_after = [&](long elems) { // written before all that they are made from is read
        const Lead all = reach_lead(op, false);
        f.direct = {all.ascending + elems, all.descending + elems};
    };
    if (is_depthwise(op) || op.kind == OpKind::upsample) {
        // A pass reads some channels of its pixels, then writes the same channels: others are not disturbed while
        // the writes lie at or before the first pixel still read (`tile - 1` pixels further for the pass itself).
        f.direct_pixels = is_depthwise(op) ? depthwise_tile(op) : op.window.stride_w;
        direct_after((f.direct_pixels - 1) * p.in_c);
        f.second_exact = op.add;
    } else if (is_winograd(op)) {
        // A block's inputs are all read before its outputs are written, in both schedules alike; but a second input
        // is read panel by panel.
        const WinogradTiles t = winograd_tiles(op, op.winograd);
        f.direct_pixels = f.staged_pixels = op.out[1];
        f.direct_rows = f.staged_rows = t.rows * t.m;
        direct_after(long{f.direct_pixels} * f.direct_rows * p.out_c);
        f.can_stage = true;
        f.staged = reach_lead(op, true);
        f.scratch_elems = f.direct_scratch = static_cast<std::size_t>(t.scratch(panel_width(op.out.last())));
        f.second_exact = op.add;
    } else if (is_dense(op)) {
        const Block block = direct_block_of(op), waiting = staged_block_of(op);
        f.direct_pixels = block.pixels, f.direct_rows = block.rows;
        direct_after(long{block.pixels} * block.rows * p.out_c);
        f.can_stage = true;
        f.staged_pixels = waiting.pixels, f.staged_rows = waiting.rows;
        f.staged = reach_lead(op, true);
        // One panel for all channels: a tile's reads end before its first write, so nothing has to wait.
        if (op.groups > 1 || panels_of(op.out.last()) > 1)
            f.scratch_elems = static_cast<std::size_t>(long{f.staged_pixels} * f.staged_rows * p.out_c);
        f.second_exact = op.add;
    } else if (op.kind == OpKind::up_conv2d) {
        // A block of input pixels is read again for every kernel column, after the columns before it were written.
        f.direct_pixels = direct_block_of(op).pixels * op.window.kernel_w;
        direct_after(f.direct_pixels * p.out_c);
        f.second_exact = op.add;
    } else if (op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d) {
        direct_after(0); // pixel by pixel and channel by channel, so outputs may follow reads at once
    } else if (is_recurrent(op)) {
        // A step reads its input row and the state, and writes its output row when all else is done.
        f.direct.ascending = reach_lead(op, true).ascending;
        f.direct_scratch = static_cast<std::size_t>((states_of(op) + 1) * padded_hidden(op)); // and the next h
    } else if (op.kind != OpKind::flatten_pytorch) { // a permutation overlaps nothing
        f.direct.ascending = 0;                      // each element or row is read before it is written
        f.second_exact = reads_other(op) && !op.broadcast;
    }
    if (has_pitch(op)) { // other values stand between the pixels, so nothing may overlap
        f.direct = f.staged = Lead{};
        f.second_exact = false;
        // But a copy into memory that holds nothing else yet: pixels move apart, the last one stays.
        if (op.kind == OpKind::copy && op.in_pitch == 0)
            f.direct.ascending = static_cast<long>(op.out.rows() - 1) * (op.out_pitch - op.out.last());
    }
    return f;
}

} // namespace cpu
} // namespace tarn
