// SPDX-License-Identifier: MIT
// Max, average and global average pooling of channels-last images; max and average pooling of frames.
// Descriptions: shape rule and Op, no parameters. Kernels are in kernels/tarn/*/pool.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/options.hpp>

namespace tarn {

enum class PoolMode : int { max, average };

/// A window over each channel on its own. MaxPool2d<2> and AvgPool2d<3, Stride<1>> are short names of it; here the
/// kernel is an option and may be rectangular.
/// Shapes: x [H, W, C] -> y [H', W', C]. Options: Kernel, Stride (default: the kernel), Padding or SameUpper or
/// SameLower, CeilMode, and ExcludePadding for averages.
/// Memory: in place, no scratch.
/// Errors: x must be an image at least as large as the kernel once padded; a pad as large as the kernel is refused.
/// Source: torch.nn.MaxPool2d, AvgPool2d; padding counts as minus infinity for max.
template <PoolMode Mode, class... Options> struct Pool2d {
    static constexpr detail::OptionValues options = [] {
        detail::OptionValues v = detail::collect_options<Options...>(
            detail::option_kernel | detail::option_stride | detail::option_padding | detail::option_ceil |
                (Mode == PoolMode::average ? detail::option_count_pad : 0U),
            Rule::pool_options);
        Window& w = v.window;
        if ((v.given & detail::option_stride) == 0) w.stride_h = w.kernel_h, w.stride_w = w.kernel_w;
        v.require((v.given & detail::option_kernel) != 0, Rule::pool_kernel);
        v.require(w.pad_top < w.kernel_h && w.pad_bottom < w.kernel_h && w.pad_left < w.kernel_w &&
                      w.pad_right < w.kernel_w,
                  Rule::pool_padding);
        return v;
    }();

    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        fault.found = in;
        if (options.broken != Rule::none) {
            fault.rule = options.broken;
        } else if (in.rank != 3) {
            fault.rule = Rule::pool_image;
            fault.wanted = extents_of(in.rank > 1 ? in[0] : 1, in.rank > 1 ? in[1] : 1, in.last());
        } else {
            const Window w = detail::resolve_window(options, in[0], in[1]);
            const int h = in[0] + w.pad_top + w.pad_bottom, width = in[1] + w.pad_left + w.pad_right;
            if (w.kernel_h > h || w.kernel_w > width) {
                fault.rule = Rule::pool_window;
                fault.found = extents_of(h, width);
                fault.wanted = extents_of(w.kernel_h, w.kernel_w);
            }
        }
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        const int height = in.rank == 3 ? in[0] : 1, width = in.rank == 3 ? in[1] : 1;
        Op op;
        op.kind = Mode == PoolMode::max ? OpKind::max_pool2d : OpKind::avg_pool2d;
        op.window = detail::resolve_window(options, height, width);
        const Window& w = op.window;
        const bool ceil = options.ceil_mode;
        const int h = detail::window_extent(height, w.pad_top, w.pad_bottom, w.kernel_h, w.stride_h, ceil);
        const int v = detail::window_extent(width, w.pad_left, w.pad_right, w.kernel_w, w.stride_w, ceil);
        op.in = extents_of(height, width, in.last());
        op.out = extents_of(h > 0 ? h : 1, v > 0 ? v : 1, in.last());
        op.count_include_pad = options.count_include_pad;
        return op;
    }
};

template <int K, class... Options> using MaxPool2d = Pool2d<PoolMode::max, Kernel<K>, Options...>;
template <int K, class... Options> using AvgPool2d = Pool2d<PoolMode::average, Kernel<K>, Options...>;

/// Mean of each channel over the whole image.
/// Shapes: x [H, W, C] -> y [1, 1, C]. Memory: in place, no scratch. Errors: x must be an image.
/// Source: torch.nn.AdaptiveAvgPool2d(1).
struct GlobalAvgPool2d {
    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        if (in.rank != 3) {
            fault.rule = Rule::pool_image;
            fault.found = in;
            fault.wanted = extents_of(in.rank > 1 ? in[0] : 1, in.rank > 1 ? in[1] : 1, in.last());
        }
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::avg_pool2d;
        op.in = in.rank == 3 ? in : extents_of(1, 1, in.last());
        op.window.kernel_h = op.window.stride_h = op.in[0];
        op.window.kernel_w = op.window.stride_w = op.in[1];
        op.out = extents_of(1, 1, in.last());
        return op;
    }
};

/// A window along time over each channel on its own. MaxPool1d<2> and AvgPool1d<3, Stride<1>> are short names of it.
/// Shapes: x [T, C] -> y [T', C]. Options: Kernel, Stride (default: the kernel), Padding<p> or Padding<before, after>
/// or SameUpper or SameLower, CeilMode, and ExcludePadding for averages. Memory: in place, no scratch. Errors: x must
/// be frames, at least as many as the kernel once padded; a pad as large as the kernel is refused. Source:
/// torch.nn.MaxPool1d, AvgPool1d; padding counts as minus infinity for max.
template <PoolMode Mode, class... Options> struct Pool1d {
    static constexpr detail::OptionValues options = [] {
        detail::OptionValues v = detail::collect_options<Options...>(
            detail::option_kernel | detail::option_stride | detail::option_padding | detail::option_ceil |
                (Mode == PoolMode::average ? detail::option_count_pad : 0U),
            Rule::pool1d_options);
        detail::keep_one_axis(v);
        Window& w = v.window;
        if ((v.given & detail::option_stride) == 0) w.stride_h = w.kernel_h;
        v.require((v.given & detail::option_kernel) != 0, Rule::pool_kernel);
        v.require(w.pad_top < w.kernel_h && w.pad_bottom < w.kernel_h, Rule::pool_padding);
        return v;
    }();

    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault = detail::frames_fault(options, in, in.last());
        detail::frames_window_rule(fault, options, in);
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = Mode == PoolMode::max ? OpKind::max_pool2d : OpKind::avg_pool2d;
        detail::set_frames(op, options, in, in.last(), in.last());
        op.count_include_pad = options.count_include_pad;
        return op;
    }
};

template <int K, class... Options> using MaxPool1d = Pool1d<PoolMode::max, Kernel<K>, Options...>;
template <int K, class... Options> using AvgPool1d = Pool1d<PoolMode::average, Kernel<K>, Options...>;

} // namespace tarn
