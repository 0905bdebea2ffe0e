// SPDX-License-Identifier: MIT
// Conv2d and Conv1d: dense, grouped and depthwise convolution of channels-last images and of frames; ConvTranspose2d.
// Descriptions: parameters, shape rule, Op. Kernels are in kernels/tarn/*/conv and depthwise.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/options.hpp>

namespace tarn {

namespace detail {
/// What a convolution of images asks of its input.
constexpr Fault conv_image_fault(const OptionValues& v, Extents in, int channels) noexcept {
    Fault fault;
    fault.found = in;
    if (v.broken != Rule::none) {
        fault.rule = v.broken;
    } else if (in.rank != 3) {
        fault.rule = Rule::conv_image;
        fault.wanted = extents_of(in.rank > 1 ? in[0] : 1, in.rank > 1 ? in[1] : 1, channels);
    } else if (in[2] != channels) {
        fault.rule = Rule::conv_channels;
        fault.wanted = in.with_last(channels);
    }
    return fault;
}
} // namespace detail

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
        Fault fault = detail::conv_image_fault(options, in, I);
        if (fault.rule == Rule::none) {
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

/// 1-d cross-correlation along time.
/// Shapes: x [T, I] -> y [T', O]; weight [O, I / G, K], bias [O].
/// Options: Kernel<k>, Stride<s>, Padding<p> or Padding<before, after> or SameUpper or SameLower or Causal,
/// Dilation<d>, Groups, NoBias. Memory: as Conv2d of an image one pixel wide. Errors: x must be frames of I channels,
/// and the dilated kernel must fit the padded frames; options as Conv2d's. Source: torch.nn.Conv1d, relative 1e-5.
template <int I, int O, class... Options> struct Conv1d {
    static constexpr detail::OptionValues options = [] {
        detail::OptionValues v = detail::collect_options<Options...>(
            detail::option_kernel | detail::option_stride | detail::option_padding | detail::option_dilation |
                detail::option_groups | detail::option_bias | detail::option_causal,
            Rule::conv1d_options);
        detail::keep_one_axis(v);
        v.require(I >= 1 && O >= 1, Rule::conv_extent);
        v.require((v.given & detail::option_kernel) != 0, Rule::conv_kernel);
        v.require(I % v.groups == 0 && O % v.groups == 0, Rule::conv_groups);
        return v;
    }();

    static constexpr int parameter_count = options.bias ? 2 : 1;
    static constexpr Parameter parameters[] = {{"weight", extents_of(O, I / options.groups, options.window.kernel_h)},
                                               {"bias", extents_of(O)}};

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault = detail::frames_fault(options, in, I);
        detail::frames_window_rule(fault, options, in);
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::conv2d;
        detail::set_frames(op, options, in, I, O);
        op.groups = options.groups;
        op.bias = options.bias;
        return op;
    }
};

/// Transposed convolution whose stride is its kernel: each input pixel makes a block of KH x KW output pixels alone.
/// Shapes: x [H, W, I] -> y [H * KH, W * KW, O]; weight [I, O, KH, KW], bias [O]. Options: Kernel, Stride, NoBias.
/// Memory: out of place. Errors: x must be an image of I channels; a stride that is not the kernel.
/// Source: torch.nn.ConvTranspose2d, relative 1e-5.
template <int I, int O, class... Options> struct ConvTranspose2d {
    static constexpr detail::OptionValues options = [] {
        detail::OptionValues v = detail::collect_options<Options...>(
            detail::option_kernel | detail::option_stride | detail::option_bias, Rule::up_conv_options);
        const Window& w = v.window;
        v.require(I >= 1 && O >= 1, Rule::conv_extent);
        v.require((v.given & detail::option_kernel) != 0, Rule::conv_kernel);
        v.require(w.stride_h == w.kernel_h && w.stride_w == w.kernel_w, Rule::up_conv_stride);
        return v;
    }();

    static constexpr int parameter_count = options.bias ? 2 : 1;
    static constexpr Parameter parameters[] = {
        {"weight", extents_of(I, O, options.window.kernel_h, options.window.kernel_w)}, {"bias", extents_of(O)}};

    static constexpr Fault rule(Extents in) noexcept { return detail::conv_image_fault(options, in, I); }
    static constexpr Op op(Extents in) noexcept {
        const int height = in.rank == 3 ? in[0] : 1, width = in.rank == 3 ? in[1] : 1;
        Op op;
        op.kind = OpKind::up_conv2d;
        op.window = options.window;
        op.in = extents_of(height, width, I > 0 ? I : 1);
        op.out = extents_of(height * op.window.kernel_h, width * op.window.kernel_w, O > 0 ? O : 1);
        op.bias = options.bias;
        return op;
    }
};

} // namespace tarn
