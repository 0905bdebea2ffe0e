// SPDX-License-Identifier: MIT
// How a CPU kernel sees its Op and how its weights lie, the same for every instruction set: extents, blocks, panels.
// Each set's kernels derive from these; the planner reads the footprint that they carry.
// Knows nothing of instruction sets, plans or files.
#pragma once

#include <tarn/cpu/footprint.hpp>

#include <type_traits>

namespace tarn {

/// The input rows of one output row. rows[t] is the first float of the row that tap t of the window reads, valid for
/// begin <= t < end: the taps inside the image. Kinds that read one row read rows[0].
struct RowTaps {
    const float* const* rows;
    int begin = 0, end = 1;
    int padded = 1; ///< rows of the window with padding counted; average pools divide by it
    int phase = 0;  ///< up_conv2d: which of the rows that one input row makes
};

namespace cpu {

/// What the code of one output row depends on, as the Op of that row: not on the image's height, its vertical stride
/// and padding, nor on where its weights come from. Rows and whole images of equal keys share code.
constexpr Op row_key(const Op& op) noexcept {
    const detail::Plane p = detail::plane_of(op);
    Op key;
    key.kind = op.kind == OpKind::linear ? OpKind::conv2d : op.kind;
    key.in = extents_of(1, static_cast<int>(p.in_w), static_cast<int>(p.in_c));
    key.out = extents_of(1, static_cast<int>(p.out_w), static_cast<int>(p.out_c));
    key.window = p.window;
    if (!p.enlarges) key.window.stride_h = key.window.dilation_h = 1;
    key.window.pad_top = key.window.pad_bottom = 0;
    key.groups = op.groups;
    key.in_pitch = op.in_pitch == op.in.last() ? 0 : op.in_pitch;
    key.out_pitch = op.out_pitch == op.out.last() ? 0 : op.out_pitch;
    key.other_pitch = op.add && op.other_pitch != op.out.last() ? op.other_pitch : 0;
    key.count_include_pad = op.kind != OpKind::avg_pool2d || op.count_include_pad;
    key.add = op.add;
    key.act = op.act;
    key.act_bits = op.act_bits;
    return key;
}

/// Packed weights depend on nothing but these extents: not on the image, the epilogue or the instruction set.
template <int Groups, int Panels, int KernelH, int KernelW, int GroupIn, int Panel> struct DensePacked {
    alignas(64) float weight[Groups][Panels][KernelH][KernelW][GroupIn][Panel];
    alignas(64) float bias[Groups][Panels][Panel];
};
/// Transformed weights, a matrix for each position of a tile.
template <int Panels, int Positions, int In, int Panel> struct WinogradPacked {
    alignas(64) float weight[Panels][Positions][In][Panel];
    alignas(64) float bias[Panels][Panel];
};
template <int KernelH, int KernelW, int Channels> struct DepthwisePacked {
    alignas(64) float weight[KernelH][KernelW][Channels];
    alignas(64) float bias[Channels];
};
/// Inputs and state in panels of the hidden width, a gate at a time. Biases: one for each sum that a step wants apart.
template <int Gates, int Sums, int Panels, int In, int Hidden, int Panel> struct RecurrentPacked {
    alignas(64) float input[Panels][Gates][In][Panel];
    alignas(64) float hidden[Panels][Gates][Hidden][Panel];
    alignas(64) float bias[Panels][Sums][Panel];
};
template <int Channels> struct NormPacked {
    alignas(64) float scale[Channels];
    alignas(64) float shift[Channels];
};
struct NothingPacked {};

/// What the planner reads and the kernel's code obeys, where both find it.
template <Op O> struct WithFootprint {
    static constexpr Footprint footprint() noexcept { return footprint_of(O); }
};

/// Extents of a dense layer as its kernel sees it: a matrix product is a 1x1 convolution of an image one row high.
template <Op O> struct DenseGeometry : WithFootprint<O> {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int in_c = static_cast<int>(plane.in_c), out_c = static_cast<int>(plane.out_c);
    static constexpr int in_pitch = in_pitch_of(O), out_pitch = out_pitch_of(O), other_pitch = other_pitch_of(O);
    static constexpr Window window = plane.window;
    static constexpr int groups = O.groups;
    static constexpr int group_in = in_c / groups, group_out = out_c / groups;
    static constexpr int taps = window.kernel_h * window.kernel_w;
    static constexpr int panel = panel_width(group_out);
    static constexpr int panels = panels_of(group_out);           // of one group
    static constexpr int tail = group_out - (panels - 1) * panel; // columns of the last panel
    static constexpr int panel_elems = taps * group_in * panel;

    static constexpr Block staged = staged_block_of(O), direct = direct_block_of(O);

    using Packed = DensePacked<groups, panels, window.kernel_h, window.kernel_w, group_in, panel>;
};

/// A 3x3 convolution by tiles.
template <Op O> struct WinogradGeometry : WithFootprint<O> {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int in_c = static_cast<int>(plane.in_c), out_c = static_cast<int>(plane.out_c);
    static constexpr int in_pitch = in_pitch_of(O), out_pitch = out_pitch_of(O), other_pitch = other_pitch_of(O);
    static constexpr Window window = plane.window;
    static constexpr int panel = panel_width(out_c);
    static constexpr int panels = panels_of(out_c);
    static constexpr int tail = out_c - (panels - 1) * panel; // columns of the last panel
    static constexpr WinogradTiles tiles = winograd_tiles(O, O.winograd);
    static constexpr int positions = tiles.n * tiles.n;

    using Packed = WinogradPacked<panels, positions, in_c, panel>;
};

/// Transposed convolution without overlap: each kernel column of each kernel row is a matrix product of its own.
template <Op O> struct UpConvGeometry : WithFootprint<O> {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int in_c = static_cast<int>(plane.in_c), out_c = static_cast<int>(plane.out_c);
    static constexpr int phases = O.window.kernel_h, columns = O.window.kernel_w;
    static_assert(phases == O.window.stride_h && columns == O.window.stride_w, "one output pixel is made once");

    /// One of the products: a 1x1 convolution of an input row, whose outputs stand `columns` pixels apart.
    static constexpr Op product = [] {
        Op op = row_key(O);
        op.kind = OpKind::conv2d;
        op.in = extents_of(1, in_w, in_c);
        op.out = extents_of(1, in_w, out_c);
        op.window = Window{};
        op.out_pitch = out_pitch_of(O) * columns;
        op.other_pitch = O.add ? other_pitch_of(O) * columns : 0;
        return op;
    }();
    using Product = DenseGeometry<product>;
    using Packed = DensePacked<phases * columns, Product::panels, 1, 1, in_c, Product::panel>;
    static constexpr std::size_t set_elems = std::size_t{Product::panels} * std::size_t{Product::panel_elems};
};

/// Depthwise convolution: one filter a channel, channels side by side in vectors.
template <Op O> struct DepthwiseGeometry : WithFootprint<O> {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int channels = static_cast<int>(plane.in_c);
    static constexpr int in_pitch = in_pitch_of(O), out_pitch = out_pitch_of(O), other_pitch = other_pitch_of(O);
    static constexpr Window window = plane.window;
    static constexpr int tile = depthwise_tile(O);

    using Packed = DepthwisePacked<window.kernel_h, window.kernel_w, channels>;
};

/// Pools work pixel by pixel and channel by channel, so outputs may follow reads at once.
template <Op O> struct PoolGeometry : WithFootprint<O> {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int channels = static_cast<int>(plane.in_c);
    static constexpr int in_pitch = in_pitch_of(O), out_pitch = out_pitch_of(O);
    static constexpr Window window = plane.window;

    using Packed = NothingPacked;
};

/// Nearest upsampling: some channels of an input pixel are read, then written to the pixels of one row it makes.
template <Op O> struct UpsampleGeometry : WithFootprint<O> {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int channels = static_cast<int>(plane.in_c);
    static constexpr int in_pitch = in_pitch_of(O), out_pitch = out_pitch_of(O);
    static constexpr int tile = O.window.stride_w;

    using Packed = NothingPacked;
};

/// Batch norm that could not be folded: a scale and a shift for each channel.
template <Op O> struct NormGeometry : WithFootprint<O> {
    static constexpr int channels = O.in.last();

    using Packed = NormPacked<channels>;
};

/// Layer norm: the weight and bias of each channel, if it has any. A row is read before it is written.
template <Op O> struct LayerNormGeometry : WithFootprint<O> {
    static constexpr int channels = O.in.last();

    using Packed = std::conditional_t<O.affine, NormPacked<channels>, NothingPacked>;
};

/// Activation, addition, product, copy and softmax: each element or row is read before it is written.
template <Op O> struct ElementwiseGeometry : WithFootprint<O> { using Packed = NothingPacked; };

/// GRU and LSTM: a step reads its input row and the state, and writes its output row when all else is done.
template <Op O> struct RecurrentGeometry : WithFootprint<O> {
    static constexpr bool is_gru = O.kind == OpKind::gru;
    static constexpr int steps = row_count(O.in);
    static constexpr int inputs = O.in.last(), hidden = O.out.last();
    static constexpr int gates = is_gru ? 3 : 4; ///< GRU: reset, update, new; LSTM: input, forget, cell, output
    static constexpr int sums = 4;               ///< a GRU's new gate wants its two products apart
    static constexpr int panel = panel_width(hidden);
    static constexpr int panels = panels_of(hidden), padded = padded_hidden(O);
    /// h, then (LSTM) c from `padded` on. Zeros at the start; what is behind `hidden` stays zero.
    static constexpr std::size_t state_elems = std::size_t{states_of(O)} * std::size_t{padded};
    static constexpr std::size_t row_scratch_elems = std::size_t{padded}; ///< the next h, while the old one is read

    using Packed = RecurrentPacked<gates, sums, panels, inputs, hidden, panel>;
};

/// A permutation of all elements; no overlap.
template <Op O> struct PermuteGeometry : WithFootprint<O> { using Packed = NothingPacked; };

template <Op O> constexpr auto geometry_of() noexcept {
    if constexpr (is_depthwise(O))
        return DepthwiseGeometry<O>{};
    else if constexpr (is_winograd(O))
        return WinogradGeometry<O>{};
    else if constexpr (is_dense(O))
        return DenseGeometry<O>{};
    else if constexpr (O.kind == OpKind::max_pool2d || O.kind == OpKind::avg_pool2d)
        return PoolGeometry<O>{};
    else if constexpr (O.kind == OpKind::up_conv2d)
        return UpConvGeometry<O>{};
    else if constexpr (O.kind == OpKind::upsample)
        return UpsampleGeometry<O>{};
    else if constexpr (is_recurrent(O))
        return RecurrentGeometry<O>{};
    else if constexpr (O.kind == OpKind::batch_norm)
        return NormGeometry<O>{};
    else if constexpr (O.kind == OpKind::layer_norm)
        return LayerNormGeometry<O>{};
    else if constexpr (O.kind == OpKind::flatten_pytorch)
        return PermuteGeometry<O>{};
    else
        return ElementwiseGeometry<O>{};
}

/// Footprint, scratch and packed weights of the kernel for an Op.
template <Op O> using Geometry = decltype(geometry_of<O>());

} // namespace cpu
} // namespace tarn
