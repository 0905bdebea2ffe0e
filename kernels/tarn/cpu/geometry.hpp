// SPDX-License-Identifier: MIT
// What a CPU kernel costs and how its weights lie, the same for every instruction set: footprint, scratch, panels.
// The planner reads Footprint; each set's kernels derive from these, so figure and code cannot disagree.
// Knows nothing of instruction sets, plans or files.
#pragma once

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
    std::size_t scratch_elems = 0; ///< taken by staged only
    bool can_stage = false;
    int direct_pixels = 1; ///< most outputs written before the next inputs are read
    int staged_pixels = 1;
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

/// Packed weights depend on nothing but these extents: not on the image, the epilogue or the instruction set.
template <int Groups, int Panels, int KernelH, int KernelW, int GroupIn, int Panel> struct DensePacked {
    alignas(64) float weight[Groups][Panels][KernelH][KernelW][GroupIn][Panel];
    alignas(64) float bias[Groups][Panels][Panel];
};
template <int KernelH, int KernelW, int Channels> struct DepthwisePacked {
    alignas(64) float weight[KernelH][KernelW][Channels];
    alignas(64) float bias[Channels];
};
template <int Channels> struct NormPacked {
    alignas(64) float scale[Channels];
    alignas(64) float shift[Channels];
};
struct NothingPacked {};

/// Extents of a dense layer as its kernel sees it: a matrix product is a 1x1 convolution of an image one row high.
template <Op O> struct DenseGeometry {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int in_c = static_cast<int>(plane.in_c), out_c = static_cast<int>(plane.out_c);
    static constexpr int in_pitch = O.in_pitch > 0 ? O.in_pitch : in_c;
    static constexpr int out_pitch = O.out_pitch > 0 ? O.out_pitch : out_c;
    static constexpr Window window = plane.window;
    static constexpr int groups = O.groups;
    static constexpr int group_in = in_c / groups, group_out = out_c / groups;
    static constexpr int taps = window.kernel_h * window.kernel_w;
    static constexpr int panel = panel_width(group_out);
    static constexpr int panels = (group_out + panel - 1) / panel; // of one group
    static constexpr int tail = group_out - (panels - 1) * panel;  // columns of the last panel
    static constexpr int panel_elems = taps * group_in * panel;

    /// Pixels whose outputs wait in scratch: two tiles of six rows, the widest that AVX2 registers hold.
    static constexpr int staged_pixels = out_w < 12 ? out_w : 12;
    /// Pixels worked on together when outputs go straight out: their inputs should stay in a 32 KiB first-level cache.
    static constexpr int direct_pixels = static_cast<int>(
        detail::clamp_to(6144 / (in_c * window.kernel_h * window.stride_w), staged_pixels, out_w < 96 ? out_w : 96));

    using Packed = DensePacked<groups, panels, window.kernel_h, window.kernel_w, group_in, panel>;

    static constexpr Footprint footprint() noexcept {
        Footprint f;
        const Lead all = reach_lead(O, false);
        f.direct.ascending = all.ascending + long{direct_pixels} * out_c;
        f.direct.descending = all.descending + long{direct_pixels} * out_c;
        f.can_stage = true;
        f.direct_pixels = direct_pixels;
        f.staged_pixels = staged_pixels;
        f.staged = reach_lead(O, true);
        // One panel for all channels: a tile's reads end before its first write, so nothing has to wait.
        f.scratch_elems =
            panels == 1 && groups == 1 ? 0 : static_cast<std::size_t>(staged_pixels) * static_cast<std::size_t>(out_c);
        f.second_exact = O.add;
        return f;
    }
};

/// Depthwise convolution: one filter a channel, channels side by side in vectors.
template <Op O> struct DepthwiseGeometry {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int channels = static_cast<int>(plane.in_c);
    static constexpr Window window = plane.window;
    static constexpr int tile = out_w < 4 ? out_w : 4; ///< pixels a pass, sharing the weights in registers

    using Packed = DepthwisePacked<window.kernel_h, window.kernel_w, channels>;

    static constexpr Footprint footprint() noexcept {
        Footprint f;
        // A pass reads some channels of its pixels, then writes the same channels: others are not disturbed while
        // the writes lie at or before the first pixel still read (`tile - 1` pixels further for the pass itself).
        const Lead all = reach_lead(O, false);
        const long within = long{tile - 1} * channels;
        f.direct.ascending = all.ascending + within;
        f.direct.descending = all.descending + within;
        f.direct_pixels = tile;
        f.second_exact = O.add;
        return f;
    }
};

/// Pools work pixel by pixel and channel by channel, so outputs may follow reads at once.
template <Op O> struct PoolGeometry {
    static constexpr int in_h = O.in[0], in_w = O.in[1], out_h = O.out[0], out_w = O.out[1], channels = O.in[2];
    static constexpr Window window = O.window;

    using Packed = NothingPacked;

    static constexpr Footprint footprint() noexcept {
        Footprint f;
        f.direct = reach_lead(O, false);
        return f;
    }
};

/// Batch norm that could not be folded: a scale and a shift for each channel.
template <Op O> struct NormGeometry {
    static constexpr int channels = O.in.last();

    using Packed = NormPacked<channels>;

    static constexpr Footprint footprint() noexcept {
        Footprint f;
        f.direct.ascending = 0;
        return f;
    }
};

/// Activation, addition and softmax: each element or row is read before it is written.
template <Op O> struct ElementwiseGeometry {
    using Packed = NothingPacked;

    static constexpr Footprint footprint() noexcept {
        Footprint f;
        f.direct.ascending = 0;
        f.second_exact = O.add;
        return f;
    }
};

/// A permutation of all elements; no overlap.
template <Op O> struct PermuteGeometry {
    using Packed = NothingPacked;

    static constexpr Footprint footprint() noexcept { return {}; }
};

template <Op O> constexpr auto geometry_of() noexcept {
    if constexpr (is_depthwise(O))
        return DepthwiseGeometry<O>{};
    else if constexpr (is_dense(O))
        return DenseGeometry<O>{};
    else if constexpr (O.kind == OpKind::max_pool2d || O.kind == OpKind::avg_pool2d)
        return PoolGeometry<O>{};
    else if constexpr (O.kind == OpKind::batch_norm)
        return NormGeometry<O>{};
    else if constexpr (O.kind == OpKind::flatten_pytorch)
        return PermuteGeometry<O>{};
    else
        return ElementwiseGeometry<O>{};
}

/// Footprint, scratch and packed weights of the kernel for an Op.
template <Op O> using Geometry = decltype(geometry_of<O>());

} // namespace cpu
} // namespace tarn
