// SPDX-License-Identifier: MIT
// Options of layers as types: Kernel<3>, Stride<2>, Padding<1>, Groups<4>, NoBias, ... in any order.
// Read by conv, pool, norm, linear and recurrent to fill their Op.
// Knows no layer.
#pragma once

#include <tarn/nn/op.hpp>

#include <ratio>

namespace tarn {

namespace detail {
enum OptionKind : unsigned {
    option_kernel = 1,
    option_stride = 2,
    option_padding = 4,
    option_dilation = 8,
    option_groups = 16,
    option_bias = 32,
    option_ceil = 64,
    option_count_pad = 128,
    option_eps = 256,
    option_causal = 512,
    option_affine = 1024,
};

enum class Same : int { no, upper, lower, causal };

struct OptionValues {
    Window window{};
    Same same = Same::no;
    int padding_values = 0;
    int groups = 1;
    bool bias = true;
    bool affine = true;
    bool ceil_mode = false;
    bool count_include_pad = true;
    int eps_bits = ratio_bits<std::ratio<1, 100000>>();
    unsigned given = 0;
    Rule broken = Rule::none; ///< the first rule these options break; the values are safe to compute with all the same

    constexpr void require(bool holds, Rule rule) noexcept {
        if (!holds && broken == Rule::none) broken = rule;
    }
    constexpr int at_least(int least, int value, Rule rule) noexcept {
        require(value >= least, rule);
        return value >= least ? value : least;
    }
};
} // namespace detail

/// Extents of the window: Kernel<3> is 3x3, Kernel<5, 1> is five high and one wide.
template <int H, int W = H> struct Kernel {
    static constexpr unsigned kind = detail::option_kernel;
    static constexpr void apply(detail::OptionValues& v) noexcept {
        v.window.kernel_h = v.at_least(1, H, Rule::kernel_extent);
        v.window.kernel_w = v.at_least(1, W, Rule::kernel_extent);
    }
};

/// Step of the window in input pixels.
template <int H, int W = H> struct Stride {
    static constexpr unsigned kind = detail::option_stride;
    static constexpr void apply(detail::OptionValues& v) noexcept {
        v.window.stride_h = v.at_least(1, H, Rule::stride_step);
        v.window.stride_w = v.at_least(1, W, Rule::stride_step);
    }
};

/// Zero pixels around the image: Padding<p> on all sides, Padding<ph, pw>, or Padding<top, bottom, left, right>.
/// Around frames: Padding<p> or Padding<before, after>.
template <int... P> struct Padding {
    static constexpr unsigned kind = detail::option_padding;
    static constexpr void apply(detail::OptionValues& v) noexcept {
        constexpr int n = static_cast<int>(sizeof...(P));
        v.require(n == 1 || n == 2 || n == 4, Rule::padding_sides);
        v.padding_values = n;
        if (n == 0) return;
        const int p[] = {v.at_least(0, P, Rule::padding_value)..., 0};
        v.window.pad_top = p[0];
        v.window.pad_bottom = n == 4 ? p[1] : p[0];
        v.window.pad_left = n == 4 ? p[2] : p[n - 1];
        v.window.pad_right = p[n - 1];
    }
};

/// TensorFlow's and ONNX's SAME: output extent is ceil(in / stride), the odd pixel at the end (upper) or at the start.
struct SameUpper {
    static constexpr unsigned kind = detail::option_padding;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.same = detail::Same::upper; }
};
struct SameLower {
    static constexpr unsigned kind = detail::option_padding;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.same = detail::Same::lower; }
};

/// Conv1d: all padding before the first frame, (K - 1) * dilation of it, so that no output sees a later frame.
struct Causal {
    static constexpr unsigned kind = detail::option_padding | detail::option_causal;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.same = detail::Same::causal; }
};

/// Distance between the taps of the kernel.
template <int H, int W = H> struct Dilation {
    static constexpr unsigned kind = detail::option_dilation;
    static constexpr void apply(detail::OptionValues& v) noexcept {
        v.window.dilation_h = v.at_least(1, H, Rule::dilation_distance);
        v.window.dilation_w = v.at_least(1, W, Rule::dilation_distance);
    }
};

/// Groups of channels that do not see each other; Groups<C> of a C-channel image is a depthwise convolution.
template <int G> struct Groups {
    static constexpr unsigned kind = detail::option_groups;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.groups = v.at_least(1, G, Rule::groups_count); }
};

struct NoBias {
    static constexpr unsigned kind = detail::option_bias;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.bias = false; }
};

/// LayerNorm: neither weight nor bias (PyTorch's elementwise_affine=False).
struct NoAffine {
    static constexpr unsigned kind = detail::option_affine;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.affine = v.bias = false; }
};

/// Pools: the last window may hang over the edge, as PyTorch's ceil_mode=True.
struct CeilMode {
    static constexpr unsigned kind = detail::option_ceil;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.ceil_mode = true; }
};

/// Average pools: padding is not counted in the divisor (PyTorch's count_include_pad=False).
struct ExcludePadding {
    static constexpr unsigned kind = detail::option_count_pad;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.count_include_pad = false; }
};

/// A norm's eps as a std::ratio; PyTorch's default 1e-5.
template <class Ratio> struct Eps {
    static constexpr unsigned kind = detail::option_eps;
    static constexpr void apply(detail::OptionValues& v) noexcept { v.eps_bits = ratio_bits<Ratio>(); }
};

namespace detail {
/// What the options say. Broken where one makes no sense by itself, or, by the given rule, is not allowed or repeated.
template <class... Options> constexpr OptionValues collect_options(unsigned allowed, Rule otherwise) noexcept {
    OptionValues values;
    [[maybe_unused]] const auto take = [&](unsigned kind) {
        values.require((values.given & kind) == 0 && (allowed & kind) == kind, otherwise);
        values.given |= kind;
    };
    ((take(Options::kind), Options::apply(values)), ...);
    return values;
}

/// The options of a layer over frames [T, C]: one axis, as the height of an image one pixel wide.
constexpr void keep_one_axis(OptionValues& v) noexcept {
    Window& w = v.window;
    v.require(w.kernel_h == w.kernel_w && w.stride_h == w.stride_w && w.dilation_h == w.dilation_w &&
                  v.padding_values <= 2,
              Rule::frames_axis);
    w.pad_bottom = w.pad_left; // Padding<before, after>, read as height and width
    w.kernel_w = w.stride_w = w.dilation_w = 1;
    w.pad_left = w.pad_right = 0;
}

/// What a layer over frames asks of its input.
constexpr Fault frames_fault(const OptionValues& v, Extents in, int channels) noexcept {
    Fault fault;
    fault.found = in;
    if (v.broken != Rule::none) {
        fault.rule = v.broken;
    } else if (in.rank != 2) {
        fault.rule = Rule::frames_rank;
        fault.wanted = extents_of(in.rank > 1 ? in[0] : 1, channels);
    } else if (in[1] != channels) {
        fault.rule = Rule::frames_channels;
        fault.wanted = in.with_last(channels);
    }
    return fault;
}

/// Padding of one axis under SAME: total so that the output has ceil(extent / stride) elements.
constexpr int same_padding(int extent, int reach, int stride) noexcept {
    const int total = ((extent + stride - 1) / stride - 1) * stride + reach - extent;
    return total > 0 ? total : 0;
}

/// The window with SAME padding worked out for an image of h x w.
constexpr Window resolve_window(const OptionValues& v, int h, int w) noexcept {
    Window window = v.window;
    if (v.same == Same::causal) {
        window.pad_top = window.reach_h() - 1;
    } else if (v.same != Same::no) {
        const int total_h = same_padding(h, window.reach_h(), window.stride_h);
        const int total_w = same_padding(w, window.reach_w(), window.stride_w);
        const bool upper = v.same == Same::upper;
        window.pad_top = upper ? total_h / 2 : total_h - total_h / 2;
        window.pad_bottom = total_h - window.pad_top;
        window.pad_left = upper ? total_w / 2 : total_w - total_w / 2;
        window.pad_right = total_w - window.pad_left;
    }
    return window;
}

/// Output extent of a window along one axis; below 1 when the window does not fit.
constexpr int window_extent(int extent, int before, int after, int reach, int stride, bool ceil_mode) noexcept {
    const int room = extent + before + after - reach;
    if (room < 0) return 0;
    int out = room / stride + 1;
    // PyTorch: a window may hang over the end but must start inside the image or its leading padding.
    if (ceil_mode && room % stride != 0 && out * stride < extent + before) ++out;
    return out;
}

/// What a window over frames asks of them, padded.
constexpr void frames_window_rule(Fault& fault, const OptionValues& v, Extents in) noexcept {
    if (fault.rule != Rule::none) return;
    const Window w = resolve_window(v, in[0], 1);
    const int frames = in[0] + w.pad_top + w.pad_bottom;
    if (w.reach_h() <= frames) return;
    fault.rule = Rule::frames_window;
    fault.found = extents_of(frames);
    fault.wanted = extents_of(w.reach_h());
}

/// Window and extents of an Op over frames.
constexpr void set_frames(Op& op, const OptionValues& v, Extents in, int channels_in, int channels_out) noexcept {
    const int frames = in.rank == 2 ? in[0] : 1;
    op.window = resolve_window(v, frames, 1);
    const Window& w = op.window;
    const int made = window_extent(frames, w.pad_top, w.pad_bottom, w.reach_h(), w.stride_h, v.ceil_mode);
    op.in = extents_of(frames, channels_in > 0 ? channels_in : 1);
    op.out = extents_of(made > 0 ? made : 1, channels_out > 0 ? channels_out : 1);
}
} // namespace detail

} // namespace tarn
