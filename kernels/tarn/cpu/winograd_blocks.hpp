// SPDX-License-Identifier: MIT
// Winograd's minimal filtering of 3x3 convolutions: which layers it suits, how the kernel cuts images into tiles and
// blocks, and what scratch that takes.
// Beside footprint.hpp; the planner and the kernel both ask here. Knows the Op; nothing of instruction sets.
#pragma once

#include <tarn/nn/reach.hpp>

namespace tarn::cpu {

/// A convolution that Op::winograd asks to be run by tiles: F(m x m, 3 x 3), m = Op::winograd.
constexpr bool is_winograd(const Op& op) noexcept { return op.winograd > 0; }

/// How F(m x m, 3 x 3) cuts an image: every tile of m x m outputs is made from n x n inputs, n = m + 2, through n * n
/// products of its transformed channels with a matrix each.
struct WinogradTiles {
    int m = 0, n = 0;
    int across = 0, down = 0; ///< tiles of the image, the last ones ragged
    int rows = 0;             ///< rows of tiles that are transformed together: a block
    int blocks = 0;
    int channels = 0; ///< of a transformed tile, in whole cache lines

    /// Rows of tiles in block b.
    constexpr int rows_in(int b) const noexcept { return b + 1 < blocks ? rows : down - b * rows; }
    /// Floats from one position's transformed inputs to the next's; a cache line more than there are, since pages of
    /// 4 KiB apart they would drive each other from the first-level cache.
    constexpr long input_pitch() const noexcept { return long{across} * rows * channels + 16; }
    constexpr long product_pitch(int panel) const noexcept { return long{across} * rows * panel + 16; }
    /// Floats of scratch: transformed inputs of a block, and the products of one panel of outputs.
    constexpr long scratch(int panel) const noexcept { return long{n} * n * (input_pitch() + product_pitch(panel)); }
};

constexpr int divide_up(int a, int b) noexcept { return (a + b - 1) / b; }

/// The tiles of F(m x m, 3 x 3) on a layer that lies whole.
constexpr WinogradTiles winograd_tiles(const Op& op, int m) noexcept {
    WinogradTiles t;
    t.m = m, t.n = m + 2;
    t.across = divide_up(op.out[1], m), t.down = divide_up(op.out[0], m);
    t.channels = divide_up(op.in.last(), 16) * 16;
    // Every block reads all weights: where they come from beyond the second-level cache it should be worth it.
    const long weights = long{t.n} * t.n * op.in.last() * op.out.last();
    const int wanted = weights > 2000000 ? 64 : weights > 120000 ? 24 : 14;
    const int rows = divide_up(wanted, t.across);
    t.blocks = divide_up(t.down, rows < t.down ? rows : t.down);
    t.rows = divide_up(t.down, t.blocks);
    t.blocks = divide_up(t.down, t.rows);
    return t;
}

/// The same by rows: each row of tiles is a block.
constexpr WinogradTiles winograd_bands(const Op& op, int m) noexcept {
    WinogradTiles t = winograd_tiles(op, m);
    t.rows = 1, t.blocks = t.down;
    return t;
}
/// Scratch of one row of tiles, in elements.
constexpr std::size_t band_scratch(const Op& op) noexcept {
    return is_winograd(op)
               ? static_cast<std::size_t>(winograd_bands(op, op.winograd).scratch(op.out.last() <= 8 ? 8 : 16))
               : 0;
}

/// Nanoseconds on a processor of our time, to be compared with each other and with direct sums: products by tiles of
/// six pixels, the transforms, and weights that come from memory. Fitted to `tools/bench cpu F43 F23`.
constexpr double winograd_ns(const Op& op, const WinogradTiles& t) noexcept {
    const double positions = double{1} * t.n * t.n, tiles = double{1} * t.across * t.down;
    const double in = op.in.last(), panels = divide_up(op.out.last(), 16);
    const double calls = divide_up(t.across * t.rows, 6) * double(t.blocks);
    const double products = positions * panels * calls * (12.0 + 6.0 * in * 16.0 / 46.0);
    const double transforms = tiles * (in + panels * 16.0) * (t.m == 4 ? 3.5 : 1.5);
    const double weights = positions * in * panels * 16.0 * sizeof(float);
    const double reading = weights > 6e6 ? weights * t.blocks / 12.0 : 0.0;
    return transforms + (products > reading ? products : reading);
}
/// Whether a layer is a 3x3 convolution of stride 1, of all channels.
constexpr bool takes_winograd(const Op& op) noexcept {
    const Window& w = op.window;
    return op.kind == OpKind::conv2d && op.groups == 1 && op.in.rank == 3 && w.kernel_h == 3 && w.kernel_w == 3 &&
           w.stride_h == 1 && w.stride_w == 1 && w.dilation_h == 1 && w.dilation_w == 1;
}
/// Which m, 2 or 4, suits a layer; 0: direct sums are as fast, or it takes none.
constexpr int winograd_choice(const Op& op) noexcept {
    if (!takes_winograd(op)) return 0;
    const double direct = static_cast<double>(macs_of(op)) / 44.0 / 1.15; // less is no gain in a network
    const double by4 = winograd_ns(op, winograd_tiles(op, 4)), by2 = winograd_ns(op, winograd_tiles(op, 2));
    if (by4 >= direct && by2 >= direct) return 0;
    return by4 <= by2 ? 4 : 2;
}

} // namespace tarn::cpu
