// SPDX-License-Identifier: MIT
// Which input pixels each output pixel of an Op reads, by trying every tap; and Ops of any window as values.
// The truth that the overlap law, the validator and the planner are held against in these tests.
// Knows Ops; nothing of the law, kernels or plans.
#pragma once

#include <tarn/nn/options.hpp>

#include "support/random.hpp"

#include <ostream>
#include <vector>

namespace tarn_test {

inline bool is_image(tarn::OpKind kind) {
    return kind == tarn::OpKind::conv2d || kind == tarn::OpKind::max_pool2d || kind == tarn::OpKind::avg_pool2d;
}

/// Windows that fit along an axis; PyTorch's ceil_mode lets the last one hang over the end if it starts inside.
inline int windows_along(int extent, int before, int after, int reach, int stride, bool ceil) {
    int count = 0;
    while (count * stride + reach <= extent + before + after) ++count;
    const bool left_over = count > 0 && (count - 1) * stride + reach < extent + before + after;
    return ceil && left_over && count * stride < extent + before ? count + 1 : count;
}

/// An Op with a window on an image [H, W, C]; pools keep C, convolutions make K channels.
inline tarn::Op windowed(tarn::OpKind kind, int h, int w, int c, int k, const tarn::Window& window, bool ceil = false) {
    tarn::Op op;
    op.kind = kind;
    op.window = window;
    op.in = tarn::extents_of(h, w, c);
    const int out_h = windows_along(h, window.pad_top, window.pad_bottom, window.reach_h(), window.stride_h, ceil);
    const int out_w = windows_along(w, window.pad_left, window.pad_right, window.reach_w(), window.stride_w, ceil);
    op.out = tarn::extents_of(out_h, out_w, k);
    return op;
}

/// A convolution or pool with any window that fits: kernel 1-7, stride 1-4, dilation 1-3, each side's padding its own.
inline tarn::Op random_windowed(Random& random, int most_extent, int most_channels) {
    for (;;) {
        tarn::Window w;
        w.kernel_h = random.between(1, 7), w.kernel_w = random.between(1, 7);
        w.stride_h = random.between(1, 4), w.stride_w = random.between(1, 4);
        if (random.one_in(2)) w.stride_h = w.stride_w = 1;
        if (random.one_in(3)) w.dilation_h = random.between(1, 3), w.dilation_w = random.between(1, 3);
        if (!random.one_in(4)) {
            w.pad_top = random.between(0, w.kernel_h), w.pad_bottom = random.between(0, w.kernel_h);
            w.pad_left = random.between(0, w.kernel_w), w.pad_right = random.between(0, w.kernel_w);
        }
        const int h = random.one_in(8) ? 1 : random.between(1, most_extent);
        const int width = random.one_in(8) ? 1 : random.between(1, most_extent);
        const int c = random.between(1, most_channels);
        const bool pool = random.one_in(5);
        const tarn::Op op = windowed(pool ? tarn::OpKind::max_pool2d : tarn::OpKind::conv2d, h, width, c,
                                     pool ? c : random.between(1, most_channels), w, pool && random.one_in(2));
        if (op.out[0] >= 1 && op.out[1] >= 1) return op;
    }
}

/// Input pixels that each output pixel reads, in raster order; rows of features are pixels of an image one high.
inline std::vector<std::vector<int>> pixels_read(const tarn::Op& op) {
    std::vector<std::vector<int>> reads;
    const bool enlarges = op.kind == tarn::OpKind::up_conv2d || op.kind == tarn::OpKind::upsample;
    if (!is_image(op.kind) && !enlarges) {
        for (int row = 0; row < static_cast<int>(op.out.rows()); ++row) reads.push_back({row});
        return reads;
    }
    const tarn::Window& w = op.window;
    const int in_w = op.in.rank > 2 ? op.in[1] : 1, out_w = op.out.rank > 2 ? op.out[1] : 1; // frames: one pixel wide
    for (int y = 0; y < op.out[0]; ++y) {
        for (int x = 0; x < out_w; ++x) {
            std::vector<int>& pixel = reads.emplace_back();
            if (enlarges) pixel.push_back(y / w.stride_h * in_w + x / w.stride_w);
            for (int ky = 0; ky < w.kernel_h && !enlarges; ++ky) {
                for (int kx = 0; kx < w.kernel_w; ++kx) {
                    const int row = y * w.stride_h - w.pad_top + ky * w.dilation_h;
                    const int column = x * w.stride_w - w.pad_left + kx * w.dilation_w;
                    if (row >= 0 && row < op.in[0] && column >= 0 && column < in_w)
                        pixel.push_back(row * in_w + column);
                }
            }
        }
    }
    return reads;
}

} // namespace tarn_test

namespace tarn {

inline std::ostream& operator<<(std::ostream& to, const Op& op) {
    const Window& w = op.window;
    return to << "op " << static_cast<int>(op.kind) << " [" << op.in[0] << ' ' << op.in[1] << ' ' << op.in[2]
              << "] -> [" << op.out[0] << ' ' << op.out[1] << ' ' << op.out[2] << "] kernel " << w.kernel_h << 'x'
              << w.kernel_w << " stride " << w.stride_h << 'x' << w.stride_w << " pad " << w.pad_top << ' '
              << w.pad_bottom << ' ' << w.pad_left << ' ' << w.pad_right << " dilation " << w.dilation_h << 'x'
              << w.dilation_w << " groups " << op.groups << (op.add ? " add" : "");
}

} // namespace tarn
