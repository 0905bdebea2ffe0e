// SPDX-License-Identifier: MIT
// Op: what one layer is once its input shape is known, as a plain value; Parameter: a named weight of a layer.
// Layers (nn) make Ops, the planner fuses them, kernels are templates over them: equal Ops share one kernel.
// Knows nothing of memory, devices or weights' values.
#pragma once

#include <tarn/core/check.hpp>
#include <tarn/core/shape.hpp>

#include <bit>

namespace tarn {

enum class OpKind : int {
    linear,          ///< y[.., O] = x[.., I] * W + b
    conv2d,          ///< cross-correlation over [H, W, C], any groups; over [T, C] as an image one pixel wide
    up_conv2d,       ///< transposed convolution whose stride is its kernel: no output pixel is made twice
    max_pool2d,      ///< padding counts as minus infinity
    avg_pool2d,      ///< divides as PyTorch does, ceil_mode included
    upsample,        ///< nearest: every pixel window.stride_h x window.stride_w times
    batch_norm,      ///< y = x * scale[c] + shift[c]; folded into its producer where one is alone before it
    activation,      ///< elementwise, see Activation
    softmax,         ///< over the last axis
    layer_norm,      ///< over the last axis; a scale and a shift of each feature where `affine`
    flatten,         ///< the same elements in the same order, seen as [F]
    flatten_pytorch, ///< as flatten of the [C, H, W] image: a permutation, folded into the next linear's weights
    add,             ///< elementwise sum of two inputs
    mul,             ///< elementwise product of two inputs; `broadcast`: the second is one pixel
    gru,             ///< [T, I] -> [T, H], torch.nn.GRU with one layer
    lstm,            ///< [T, I] -> [T, H], torch.nn.LSTM with one layer
    copy,            ///< the same elements at another place or pitch; made by the planner only
    concat,          ///< inputs side by side along `axis`; a matter of places, gone after planning
    slice,           ///< out.last() features from `begin` on; a matter of places, gone after planning
    input,           ///< a further input of the network; runs nothing
};

enum class Activation : int {
    none,
    relu,
    relu6,
    leaky_relu, ///< parameter: slope
    sigmoid,
    tanh,
    gelu, ///< x * Phi(x)
    gelu_tanh,
    silu,
    hard_swish,
    elu, ///< parameter: alpha
};

/// A sliding window. Padding is per side; output extents floor unless ceil_mode.
struct Window {
    int kernel_h = 1, kernel_w = 1;
    int stride_h = 1, stride_w = 1;
    int pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
    int dilation_h = 1, dilation_w = 1;

    constexpr int reach_h() const noexcept { return (kernel_h - 1) * dilation_h + 1; }
    constexpr int reach_w() const noexcept { return (kernel_w - 1) * dilation_w + 1; }

    friend constexpr bool operator==(const Window&, const Window&) = default;
};

/// One operation on known shapes. Structural: a kernel is a template over it. `add`, and an activation on another
/// kind, are epilogues fused by the planner: y = act(op(x) + other). Images are [H, W, C]; sequences [T, C] go through
/// windowed kinds as images [T, 1, C].
struct Op {
    OpKind kind = OpKind::flatten;
    Extents in{}, out{};
    Window window{};
    int groups = 1;
    int winograd = 0; ///< conv2d: run by tiles of so many rows and columns, see cpu/winograd.hpp; 0: as written
    int in_pitch = 0, out_pitch = 0; ///< floats from one row (of the last axis) to the next; 0: rows touch
    int other_pitch = 0;             ///< the same of the second input
    int axis = 0, begin = 0;         ///< concat's axis; slice's first feature
    bool bias = false;
    bool count_include_pad = true;
    bool affine = false; ///< layer norm: it has a weight
    bool add = false;
    bool broadcast = false; ///< mul: the second input is one pixel, the same for all
    Activation act = Activation::none;
    int act_bits = 0; ///< the activation's parameter, as the bits of a float (float arguments of templates are young)
    int eps_bits = 0; ///< a norm's eps, likewise

    constexpr float act_parameter() const noexcept { return std::bit_cast<float>(act_bits); }
    constexpr float eps() const noexcept { return std::bit_cast<float>(eps_bits); }

    friend constexpr bool operator==(const Op&, const Op&) = default;
};

/// Multiplications and additions pairs of one Op, the padding's zeros counted: the number published for models.
constexpr std::size_t macs_of(const Op& op) noexcept {
    if (op.kind == OpKind::linear || op.kind == OpKind::up_conv2d)
        return op.out.elems() * static_cast<std::size_t>(op.in.last());
    if (op.kind == OpKind::gru || op.kind == OpKind::lstm) {
        const auto gates = static_cast<std::size_t>(op.kind == OpKind::gru ? 3 : 4);
        return op.out.elems() * gates * static_cast<std::size_t>(op.in.last() + op.out.last());
    }
    if (op.kind == OpKind::conv2d) {
        const auto taps = static_cast<std::size_t>(op.window.kernel_h) * static_cast<std::size_t>(op.window.kernel_w);
        return op.out.elems() * taps * static_cast<std::size_t>(op.in.last() / op.groups);
    }
    return 0;
}

/// A weight of a layer by its PyTorch state_dict name and shape. An `ignored` one may stand in a file but is not read.
struct Parameter {
    const char* name = "";
    Extents shape{};
    bool ignored = false;
};

/// Float template arguments travel as ratios: std::ratio<1, 100> is 0.01.
template <class Ratio> constexpr int ratio_bits() noexcept {
    return std::bit_cast<int>(static_cast<float>(static_cast<double>(Ratio::num) / static_cast<double>(Ratio::den)));
}

} // namespace tarn
