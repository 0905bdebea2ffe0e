// SPDX-License-Identifier: MIT
// Ops of any kind and size as values, and random weights for them.
// Used by the kernel tests beside it. Knows Ops and raw weights; nothing of plans.
#pragma once

#include <tarn/cpu/cpu.hpp>

#include "support/random.hpp"

#include <bit>
#include <cmath>
#include <vector>

namespace tarn_test {

/// Random weights for any Op.
struct SomeWeights {
    std::vector<float> weight, bias, weight_hh, bias_hh, mean, variance, scale;
    tarn::RawWeights raw;

    explicit SomeWeights(const tarn::Op& op, Random& random) {
        const auto in = static_cast<std::size_t>(op.in.last() / op.groups),
                   out = static_cast<std::size_t>(op.out.last());
        const auto taps = static_cast<std::size_t>(op.window.kernel_h * op.window.kernel_w);
        const std::size_t gates = tarn::cpu::is_recurrent(op) ? 4 : 1;
        // Recurrent ones as PyTorch draws them, or the state would amplify every rounding.
        const float most = tarn::cpu::is_recurrent(op) ? 1.F / std::sqrt(static_cast<float>(out)) : 1.F;
        weight = random.reals(gates * out * in * taps, -most, most);
        bias = random.reals(gates * out);
        weight_hh = random.reals(gates * out * out, -most, most);
        bias_hh = random.reals(gates * out);
        scale = random.reals(out), mean = random.reals(out), variance = random.reals(out, 0.5F, 2.F);
        raw.weight = weight.data();
        raw.bias = bias.data();
        raw.weight_hh = weight_hh.data();
        raw.bias_hh = bias_hh.data();
        if (op.kind == tarn::OpKind::batch_norm) fold_norm();
    }
    void fold_norm() {
        raw.norm_weight = scale.data();
        raw.norm_bias = bias.data();
        raw.norm_mean = mean.data();
        raw.norm_var = variance.data();
    }
};

constexpr tarn::Window window_of(int kernel, int stride = 1, int pad = 0, int dilation = 1) {
    return {kernel, kernel, stride, stride, pad, pad, pad, pad, dilation, dilation};
}
constexpr int windows_in(int extent, int before, int after, int reach, int stride) {
    return (extent + before + after - reach) / stride + 1;
}
constexpr tarn::Op windowed_op(tarn::OpKind kind, tarn::Extents in, int out, const tarn::Window& w, int groups = 1) {
    tarn::Op op;
    op.kind = kind;
    op.window = w;
    op.groups = groups;
    op.in = in;
    const int h = windows_in(in[0], w.pad_top, w.pad_bottom, w.reach_h(), w.stride_h);
    op.out = in.rank == 2
                 ? tarn::extents_of(h, out)
                 : tarn::extents_of(h, windows_in(in[1], w.pad_left, w.pad_right, w.reach_w(), w.stride_w), out);
    return op;
}
constexpr tarn::Op conv_op(tarn::Extents in, int out, const tarn::Window& w, int groups = 1) {
    return windowed_op(tarn::OpKind::conv2d, in, out, w, groups);
}
/// A 3x3 convolution by tiles of m x m.
constexpr tarn::Op winograd_op(int m, tarn::Extents in, int out, const tarn::Window& w = window_of(3, 1, 1)) {
    tarn::Op op = conv_op(in, out, w);
    op.winograd = m;
    return op;
}
constexpr tarn::Op depthwise_op(tarn::Extents in, const tarn::Window& w) {
    return windowed_op(tarn::OpKind::conv2d, in, in.last(), w, in.last());
}
constexpr tarn::Op max_pool_op(tarn::Extents in, const tarn::Window& w) {
    return windowed_op(tarn::OpKind::max_pool2d, in, in.last(), w);
}
constexpr tarn::Op avg_pool_op(tarn::Extents in, const tarn::Window& w, bool count_padding = true) {
    tarn::Op op = windowed_op(tarn::OpKind::avg_pool2d, in, in.last(), w);
    op.count_include_pad = count_padding;
    return op;
}
/// Kinds that keep their input's shape but for its features.
constexpr tarn::Op pixel_op(tarn::OpKind kind, tarn::Extents in, int out = 0) {
    tarn::Op op;
    op.kind = kind;
    op.in = in;
    op.out = in.with_last(out > 0 ? out : in.last());
    op.add = kind == tarn::OpKind::add;
    return op;
}
constexpr tarn::Op layer_norm_op(tarn::Extents in, bool affine = true) {
    tarn::Op op = pixel_op(tarn::OpKind::layer_norm, in);
    op.affine = affine;
    op.eps_bits = std::bit_cast<int>(1e-5F);
    return op;
}
/// Transposed convolution or nearest upsampling by h x w.
constexpr tarn::Op enlarging_op(tarn::OpKind kind, tarn::Extents in, int out, int h, int w) {
    tarn::Op op;
    op.kind = kind;
    op.in = in;
    op.out = in.rank == 2 ? tarn::extents_of(in[0] * h, out) : tarn::extents_of(in[0] * h, in[1] * w, out);
    op.window.stride_h = h, op.window.stride_w = w;
    if (kind == tarn::OpKind::up_conv2d) op.window.kernel_h = h, op.window.kernel_w = w;
    return op;
}
constexpr tarn::Op fused(tarn::Op op, bool add, tarn::Activation act) {
    op.add = add || op.add;
    op.act = act;
    return op;
}
constexpr tarn::Op broadcast(tarn::Op op) {
    op.broadcast = true;
    return op;
}

} // namespace tarn_test
