// SPDX-License-Identifier: MIT
// Every Op as plain loops in double: the oracle of the tests, and a forward that a static_assert can run.
// One function an operation, weights as PyTorch stores them; nothing is in place, nothing is packed.
// Knows Ops only.
#pragma once

#include <tarn/nn/op.hpp>
#include <tarn/reference/math.hpp>

namespace tarn::reference {

/// One layer's weights in PyTorch's layout; null where it has none.
struct LayerWeights {
    const float* weight = nullptr;
    const float* bias = nullptr;
    const float* running_mean = nullptr;
    const float* running_var = nullptr;
};

constexpr double square_root(double x) noexcept {
    if (x - x != 0.0) return x; // infinity, NaN
    double root = x > 1.0 ? x : 1.0;
    for (int i = 0; i < 200; ++i) root = (root + x / root) / 2.0;
    return root;
}

/// y [.., O] = x [.., I] * transpose(weight [O, I]) + bias.
constexpr void linear(const Op& op, const double* x, double* y, const LayerWeights& w) noexcept {
    const int in = op.in.last(), out = op.out.last();
    for (int row = 0; row < static_cast<int>(op.in.rows()); ++row) {
        for (int o = 0; o < out; ++o) {
            double sum = w.bias != nullptr ? double{w.bias[o]} : 0.0;
            for (int i = 0; i < in; ++i) sum += x[row * in + i] * double{w.weight[o * in + i]};
            y[row * out + o] = sum;
        }
    }
}

/// y [H', W', O] from x [H, W, I], weight [O, I / G, KH, KW].
constexpr void conv2d(const Op& op, const double* x, double* y, const LayerWeights& w) noexcept {
    const Window& k = op.window;
    const int h = op.in[0], width = op.in[1], in = op.in[2], out = op.out[2];
    const int group_in = in / op.groups, group_out = out / op.groups;
    for (int oy = 0; oy < op.out[0]; ++oy) {
        for (int ox = 0; ox < op.out[1]; ++ox) {
            for (int o = 0; o < out; ++o) {
                double sum = w.bias != nullptr ? double{w.bias[o]} : 0.0;
                for (int ky = 0; ky < k.kernel_h; ++ky) {
                    for (int kx = 0; kx < k.kernel_w; ++kx) {
                        const int iy = oy * k.stride_h + ky * k.dilation_h - k.pad_top;
                        const int ix = ox * k.stride_w + kx * k.dilation_w - k.pad_left;
                        if (iy < 0 || iy >= h || ix < 0 || ix >= width) continue;
                        for (int i = 0; i < group_in; ++i) {
                            const int channel = o / group_out * group_in + i;
                            sum += x[(iy * width + ix) * in + channel] *
                                   double{w.weight[((o * group_in + i) * k.kernel_h + ky) * k.kernel_w + kx]};
                        }
                    }
                }
                y[(oy * op.out[1] + ox) * out + o] = sum;
            }
        }
    }
}

/// Max and average pooling as PyTorch defines them, ceil_mode's short windows included.
constexpr void pool2d(const Op& op, const double* x, double* y) noexcept {
    const Window& k = op.window;
    const int h = op.in[0], width = op.in[1], channels = op.in[2];
    for (int oy = 0; oy < op.out[0]; ++oy) {
        for (int ox = 0; ox < op.out[1]; ++ox) {
            for (int c = 0; c < channels; ++c) {
                double best = 0.0, sum = 0.0;
                int inside = 0, padded = 0;
                for (int ky = 0; ky < k.kernel_h; ++ky) {
                    for (int kx = 0; kx < k.kernel_w; ++kx) {
                        const int iy = oy * k.stride_h + ky - k.pad_top, ix = ox * k.stride_w + kx - k.pad_left;
                        if (iy < h + k.pad_bottom && ix < width + k.pad_right) ++padded;
                        if (iy < 0 || iy >= h || ix < 0 || ix >= width) continue;
                        const double v = x[(iy * width + ix) * channels + c];
                        if (inside == 0 || v > best) best = v;
                        ++inside;
                        sum += v;
                    }
                }
                const double mean = sum / (op.count_include_pad ? padded : inside);
                y[(oy * op.out[1] + ox) * channels + c] = op.kind == OpKind::max_pool2d ? best : mean;
            }
        }
    }
}

constexpr void batch_norm(const Op& op, const double* x, double* y, const LayerWeights& w) noexcept {
    const int channels = op.in.last();
    for (int i = 0; i < static_cast<int>(op.in.elems()); ++i) {
        const int c = i % channels;
        const double scale = double{w.weight[c]} / square_root(double{w.running_var[c]} + double{op.eps()});
        y[i] = (x[i] - double{w.running_mean[c]}) * scale + double{w.bias[c]};
    }
}

constexpr void softmax(const Op& op, const double* x, double* y) noexcept {
    const int features = op.in.last();
    for (int row = 0; row < static_cast<int>(op.in.rows()); ++row) {
        double most = x[row * features], sum = 0.0;
        for (int i = 1; i < features; ++i) most = x[row * features + i] > most ? x[row * features + i] : most;
        for (int i = 0; i < features; ++i) sum += y[row * features + i] = exp(x[row * features + i] - most);
        for (int i = 0; i < features; ++i) y[row * features + i] /= sum;
    }
}

/// One layer, not fused. x, other: inputs; y: output, apart from both. `other` is read by add alone.
constexpr void layer(const Op& op, const double* x, const double* other, double* y, const LayerWeights& w) noexcept {
    const int elems = static_cast<int>(op.out.elems());
    switch (op.kind) {
    case OpKind::linear:
        return linear(op, x, y, w);
    case OpKind::conv2d:
        return conv2d(op, x, y, w);
    case OpKind::max_pool2d:
    case OpKind::avg_pool2d:
        return pool2d(op, x, y);
    case OpKind::batch_norm:
        return batch_norm(op, x, y, w);
    case OpKind::softmax:
        return softmax(op, x, y);
    case OpKind::activation:
        for (int i = 0; i < elems; ++i) y[i] = activate(op.act, x[i], double{op.act_parameter()});
        return;
    case OpKind::add:
        for (int i = 0; i < elems; ++i) y[i] = x[i] + other[i];
        return;
    case OpKind::flatten:
        for (int i = 0; i < elems; ++i) y[i] = x[i];
        return;
    case OpKind::flatten_pytorch: {
        const int channels = op.in.rank == 3 ? op.in.last() : 1, pixels = elems / channels;
        for (int i = 0; i < elems; ++i) y[i] = x[i % pixels * channels + i / pixels];
        return;
    }
    }
}

} // namespace tarn::reference
