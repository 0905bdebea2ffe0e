// SPDX-License-Identifier: MIT
// Conv2d: dense, grouped and depthwise convolution of channels-last images.
// A description: parameters, shape rule, Op. Kernels are in kernels/tarn/*/conv and depthwise.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/options.hpp>

namespace tarn {

/// 2-D cross-correlation, as every framework's "convolution".
/// Shapes: x [H, W, I] -> y [H', W', O]; weight [O, I / G, KH, KW], bias [O].
/// Options: Kernel, Stride, Padding or SameUpper or SameLower, Dilation, Groups, NoBias.
/// Memory: overlaps its input up to the last pixel still to be read, plus a block of pixels of scratch.
/// Errors: x must be an image of I channels, and the dilated kernel must fit the padded image; options that make no
/// sense, repeat or belong to other layers; groups that do not divide I and O.
/// Source: torch.nn.Conv2d, relative 1e-5.
template <int I, int O, class... Options> struct Conv2d {
    static constexpr detail::OptionValues options = [] {
        detail::OptionValues v = detail::collect_options<Options...>(
            detail::option_kernel | detail::option_stride | detail::option_padding | detail::option_dilation |
                detail::option_groups | detail::option_bias,
            Rule::conv_options);
        v.require(I >= 1 && O >= 1, Rule::conv_extent);
        v.require((v.given & detail::option_kernel) != 0, Rule::conv_kernel);
        v.require(I % v.groups == 0 && O % v.groups == 0, Rule::conv_groups);
        return v;
    }();

    static constexpr int parameter_count = options.bias ? 2 : 1;
    static constexpr Parameter parameters[] = {
        {"weight", extents_of(O, I / options.groups, options.window.kernel_h, options.window.kernel_w)},
        {"bias", extents_of(O)}};

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        fault.found = in;
        if (options.broken != Rule::none) {
            fault.rule = options.broken;
        } else if (in.rank != 3) {
            fault.rule = Rule::conv_image;
            fault.wanted = extents_of(in.rank > 1 ? in[0] : 1, in.rank > 1 ? in[1] : 1, I);
        } else if (in[2] != I) {
            fault.rule = Rule::conv_channels;
            fault.wanted = in.with_last(I);
        } else {
            const Window w = detail::resolve_window(options, in[0], in[1]);
            const int h = in[0] + w.pad_top + w.pad_bottom, width = in[1] + w.pad_left + w.pad_right;
            if (w.reach_h() > h || w.reach_w() > width) {
                fault.rule = Rule::conv_window;
                fault.found = extents_of(h, width);
                fault.wanted = extents_of(w.reach_h(), w.reach_w());
            }
        }
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        const int height = in.rank == 3 ? in[0] : 1, width = in.rank == 3 ? in[1] : 1;
        Op op;
        op.kind = OpKind::conv2d;
        op.window = detail::resolve_window(options, height, width);
        const Window& w = op.window;
        const int h = detail::window_extent(height, w.pad_top, w.pad_bottom, w.reach_h(), w.stride_h, false);
        const int v = detail::window_extent(width, w.pad_left, w.pad_right, w.reach_w(), w.stride_w, false);
        op.in = extents_of(height, width, I);
        op.out = extents_of(h > 0 ? h : 1, v > 0 ? v : 1, O > 0 ? O : 1);
        op.groups = options.groups;
        op.bias = options.bias;
        return op;
    }
};

} // namespace tarn
