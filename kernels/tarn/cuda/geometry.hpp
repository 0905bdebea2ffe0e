// SPDX-License-Identifier: MIT
// How a CUDA kernel sees its Op and how its weights lie: extents as plain ints, packed structs.
// Bodies derive from these; packing and the device's memory plan read them.
// Knows nothing of contexts, plans or files.
#pragma once

#include <tarn/cuda/context.hpp>
#include <tarn/nn/reach.hpp>

#include <type_traits>

namespace tarn::cuda {

/// What the device aligns tensors and each step's weights to: a memory transaction, and what vendor libraries ask for.
inline constexpr std::size_t device_alignment = 256;

constexpr bool is_depthwise(const Op& op) noexcept {
    return op.kind == OpKind::conv2d && op.groups > 1 && op.groups == op.in.last() && op.groups == op.out.last();
}
constexpr bool is_dense(const Op& op) noexcept {
    return op.kind == OpKind::linear || op.kind == OpKind::up_conv2d ||
           (op.kind == OpKind::conv2d && !is_depthwise(op));
}
constexpr bool is_pool(const Op& op) noexcept { return op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d; }
constexpr bool is_recurrent(const Op& op) noexcept { return op.kind == OpKind::gru || op.kind == OpKind::lstm; }
constexpr bool reads_other(const Op& op) noexcept { return op.add || op.kind == OpKind::mul; }

constexpr int ceil_div(int a, int b) noexcept { return (a + b - 1) / b; }
constexpr int round_up_to(int a, int multiple) noexcept { return ceil_div(a, multiple) * multiple; }
constexpr int smaller(int a, int b) noexcept { return a < b ? a : b; }
constexpr int larger(int a, int b) noexcept { return a > b ? a : b; }

/// What of an Op a kernel's code depends on: equal keys share one kernel.
constexpr Op kernel_key(Op op) noexcept {
    op.winograd = 0; // a matter of the processor
    return op;
}

/// Extents that all kinds share. Images are [h, w, c]; what has no neighbours is a row of pixels.
template <Op O> struct Extent {
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr int in_h = static_cast<int>(plane.in_h), in_w = static_cast<int>(plane.in_w);
    static constexpr int out_h = static_cast<int>(plane.out_h), out_w = static_cast<int>(plane.out_w);
    static constexpr int in_c = static_cast<int>(plane.in_c), out_c = static_cast<int>(plane.out_c);
    static constexpr int in_pixels = in_h * in_w, out_pixels = out_h * out_w;
    static constexpr int in_pitch = O.in_pitch > 0 ? O.in_pitch : in_c;
    static constexpr int out_pitch = O.out_pitch > 0 ? O.out_pitch : out_c;
    static constexpr int other_pitch = O.broadcast ? 0 : O.other_pitch > 0 ? O.other_pitch : out_c;
    static constexpr int kernel_h = plane.window.kernel_h, kernel_w = plane.window.kernel_w;
    static constexpr int stride_h = plane.window.stride_h, stride_w = plane.window.stride_w;
    static constexpr int pad_top = plane.window.pad_top, pad_left = plane.window.pad_left;
    static constexpr int pad_bottom = plane.window.pad_bottom, pad_right = plane.window.pad_right;
    static constexpr int dilation_h = plane.window.dilation_h, dilation_w = plane.window.dilation_w;
    static constexpr bool adds = O.add;
    static constexpr Activation act = O.act;
    static constexpr float act_parameter = O.act_parameter();
};

struct NothingPacked {};

/// Weights of products, depth by depth: neighbouring threads own neighbouring columns. Rows of columns are whole
/// float4s, what is behind the real ones is zero. depth: of a convolution [KH][KW][I / G].
template <int Groups, int Depth, int Columns> struct DensePacked {
    alignas(device_alignment) float weight[Groups][Depth][Columns];
    alignas(device_alignment) float bias[Groups][Columns];
};
template <int KernelH, int KernelW, int Channels> struct DepthwisePacked {
    alignas(device_alignment) float weight[KernelH][KernelW][Channels];
    alignas(device_alignment) float bias[Channels];
};
template <int Channels> struct NormPacked {
    alignas(device_alignment) float scale[Channels];
    alignas(device_alignment) float shift[Channels];
};
/// Depth by depth, gates of all hidden units side by side. bias: one for each sum that a step wants apart; a GRU's new
/// gate keeps the input's part and the state's.
template <int Gates, int Sums, int In, int Hidden> struct RecurrentPacked {
    alignas(device_alignment) float input[In][Gates * Hidden];
    alignas(device_alignment) float hidden[Hidden][Gates * Hidden];
    alignas(device_alignment) float bias[Sums * Hidden];
};

/// A dense layer as products: rows are output pixels (of a transposed convolution input pixels, its columns then being
/// all kernel places times all outputs), depth the window's places times a group's input channels.
template <Op O> struct DenseGeometry : Extent<O> {
    using E = Extent<O>;
    static constexpr bool is_up = O.kind == OpKind::up_conv2d;
    static constexpr int groups = O.groups;
    static constexpr int group_in = E::in_c / groups, group_out = E::out_c / groups;
    static constexpr int places = E::kernel_h * E::kernel_w;
    static constexpr int rows = is_up ? E::in_pixels : E::out_pixels;
    static constexpr int columns = is_up ? places * E::out_c : group_out;
    static constexpr int depth = is_up ? E::in_c : places * group_in;
    static constexpr int column_pitch = round_up_to(columns, 4);
    static_assert(!is_up || (E::kernel_h == E::stride_h && E::kernel_w == E::stride_w && groups == 1));

    using Packed = DensePacked<groups, depth, column_pitch>;
};

template <Op O> struct DepthwiseGeometry : Extent<O> {
    using Packed = DepthwisePacked<Extent<O>::kernel_h, Extent<O>::kernel_w, Extent<O>::in_c>;
};
template <Op O> struct PoolGeometry : Extent<O> { using Packed = NothingPacked; };
template <Op O> struct ElementwiseGeometry : Extent<O> { using Packed = NothingPacked; };
template <Op O> struct NormGeometry : Extent<O> { using Packed = NormPacked<Extent<O>::in_c>; };
template <Op O> struct LayerNormGeometry : Extent<O> {
    static constexpr bool affine = O.affine;
    static constexpr float eps = O.eps();
    using Packed = std::conditional_t<O.affine, NormPacked<Extent<O>::in_c>, NothingPacked>;
};
template <Op O> struct RecurrentGeometry : Extent<O> {
    static constexpr bool is_gru = O.kind == OpKind::gru;
    static constexpr int steps = row_count(O.in);
    static constexpr int inputs = O.in.last(), hidden = O.out.last();
    static constexpr int gates = is_gru ? 3 : 4; ///< GRU: reset, update, new; LSTM: input, forget, cell, output
    static constexpr int sums = 4;               ///< a GRU's new gate wants its two products apart
    static constexpr int lines = gates * hidden;

    using Packed = RecurrentPacked<gates, sums, inputs, hidden>;
};

template <Op O> constexpr auto geometry_of() noexcept {
    if constexpr (is_depthwise(O))
        return DepthwiseGeometry<O>{};
    else if constexpr (is_dense(O))
        return DenseGeometry<O>{};
    else if constexpr (is_pool(O))
        return PoolGeometry<O>{};
    else if constexpr (is_recurrent(O))
        return RecurrentGeometry<O>{};
    else if constexpr (O.kind == OpKind::batch_norm)
        return NormGeometry<O>{};
    else if constexpr (O.kind == OpKind::layer_norm)
        return LayerNormGeometry<O>{};
    else
        return ElementwiseGeometry<O>{};
}
// A class between function and alias: g++ 12 crashes on an alias that takes an Op of a template argument's.
template <Op O> struct ToGeometry { using type = decltype(geometry_of<kernel_key(O)>()); };
template <Op O> using Geometry = typename ToGeometry<O>::type;

} // namespace tarn::cuda
