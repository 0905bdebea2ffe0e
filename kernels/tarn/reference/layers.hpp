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
    const float* weight_hh = nullptr; ///< recurrent layers: of the state, weight and bias being the input's
    const float* bias_hh = nullptr;
};

/// Height, width and channels: a sequence [T, C] is an image one pixel wide.
struct Image {
    int h, w, c;
};
constexpr Image image_of(const Extents& e) noexcept { return {e[0], e.rank > 2 ? e[1] : 1, e.last()}; }

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
    const Image from = image_of(op.in), to = image_of(op.out);
    const int group_in = from.c / op.groups, group_out = to.c / op.groups;
    for (int oy = 0; oy < to.h; ++oy) {
        for (int ox = 0; ox < to.w; ++ox) {
            for (int o = 0; o < to.c; ++o) {
                double sum = w.bias != nullptr ? double{w.bias[o]} : 0.0;
                for (int ky = 0; ky < k.kernel_h; ++ky) {
                    for (int kx = 0; kx < k.kernel_w; ++kx) {
                        const int iy = oy * k.stride_h + ky * k.dilation_h - k.pad_top;
                        const int ix = ox * k.stride_w + kx * k.dilation_w - k.pad_left;
                        if (iy < 0 || iy >= from.h || ix < 0 || ix >= from.w) continue;
                        for (int i = 0; i < group_in; ++i) {
                            const int channel = o / group_out * group_in + i;
                            sum += x[(iy * from.w + ix) * from.c + channel] *
                                   double{w.weight[((o * group_in + i) * k.kernel_h + ky) * k.kernel_w + kx]};
                        }
                    }
                }
                y[(oy * to.w + ox) * to.c + o] = sum;
            }
        }
    }
}

/// y [H * KH, W * KW, O] from x [H, W, I], weight [I, O, KH, KW]: a transposed convolution whose stride is its kernel.
constexpr void up_conv2d(const Op& op, const double* x, double* y, const LayerWeights& w) noexcept {
    const int kernel_h = op.window.kernel_h, kernel_w = op.window.kernel_w;
    const Image from = image_of(op.in), to = image_of(op.out);
    for (int oy = 0; oy < to.h; ++oy) {
        for (int ox = 0; ox < to.w; ++ox) {
            const double* pixel = x + (oy / kernel_h * from.w + ox / kernel_w) * from.c;
            const int tap = oy % kernel_h * kernel_w + ox % kernel_w;
            for (int o = 0; o < to.c; ++o) {
                double sum = w.bias != nullptr ? double{w.bias[o]} : 0.0;
                for (int i = 0; i < from.c; ++i)
                    sum += pixel[i] * double{w.weight[(i * to.c + o) * kernel_h * kernel_w + tap]};
                y[(oy * to.w + ox) * to.c + o] = sum;
            }
        }
    }
}

/// Nearest neighbour: y [H * stride_h, W * stride_w, C] from x [H, W, C].
constexpr void upsample(const Op& op, const double* x, double* y) noexcept {
    const Image from = image_of(op.in), to = image_of(op.out);
    for (int oy = 0; oy < to.h; ++oy)
        for (int ox = 0; ox < to.w; ++ox)
            for (int c = 0; c < to.c; ++c)
                y[(oy * to.w + ox) * to.c + c] =
                    x[(oy / op.window.stride_h * from.w + ox / op.window.stride_w) * from.c + c];
}

/// Max and average pooling as PyTorch defines them, ceil_mode's short windows included.
constexpr void pool2d(const Op& op, const double* x, double* y) noexcept {
    const Window& k = op.window;
    const Image from = image_of(op.in), to = image_of(op.out);
    for (int oy = 0; oy < to.h; ++oy) {
        for (int ox = 0; ox < to.w; ++ox) {
            for (int c = 0; c < to.c; ++c) {
                double best = 0.0, sum = 0.0;
                int inside = 0, padded = 0;
                for (int ky = 0; ky < k.kernel_h; ++ky) {
                    for (int kx = 0; kx < k.kernel_w; ++kx) {
                        const int iy = oy * k.stride_h + ky - k.pad_top, ix = ox * k.stride_w + kx - k.pad_left;
                        if (iy < from.h + k.pad_bottom && ix < from.w + k.pad_right) ++padded;
                        if (iy < 0 || iy >= from.h || ix < 0 || ix >= from.w) continue;
                        const double v = x[(iy * from.w + ix) * from.c + c];
                        if (inside == 0 || v > best || v != v) best = v; // a NaN stays, as in PyTorch
                        ++inside;
                        sum += v;
                    }
                }
                const double mean = sum / (op.count_include_pad ? padded : inside);
                y[(oy * to.w + ox) * to.c + c] = op.kind == OpKind::max_pool2d ? best : mean;
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

constexpr void layer_norm(const Op& op, const double* x, double* y, const LayerWeights& w) noexcept {
    const int channels = op.in.last();
    for (int row = 0; row < static_cast<int>(op.in.rows()); ++row, x += channels, y += channels) {
        double mean = 0.0, variance = 0.0;
        for (int c = 0; c < channels; ++c) mean += x[c] / channels;
        for (int c = 0; c < channels; ++c) variance += (x[c] - mean) * (x[c] - mean) / channels;
        const double root = square_root(variance + double{op.eps()});
        for (int c = 0; c < channels; ++c)
            y[c] = (x[c] - mean) / root * (w.weight != nullptr ? double{w.weight[c]} : 1.0) +
                   (w.bias != nullptr ? double{w.bias[c]} : 0.0);
    }
}

/// Sum of one gate of a hidden unit, `row` of the weight [.., K]: over the input, or over the state before.
constexpr double gate(const float* weight, const float* bias, int row, int k, const double* x) noexcept {
    double sum = bias != nullptr ? double{bias[row]} : 0.0;
    for (int i = 0; x != nullptr && i < k; ++i) sum += x[i] * double{weight[row * k + i]};
    return sum;
}
constexpr double sigmoid(double x) noexcept { return activate(Activation::sigmoid, x, 0.0); }

/// y [T, H] from x [T, I], weight [3 * H, I], weight_hh [3 * H, H]; gates reset, update, new; the state starts at 0.
constexpr void gru(const Op& op, const double* x, double* y, const LayerWeights& w) noexcept {
    const int in = op.in.last(), hidden = op.out.last();
    const double* before = nullptr; // the state, null for zeros
    for (int t = 0; t < static_cast<int>(op.in.rows()); ++t, before = y, x += in, y += hidden) {
        for (int j = 0; j < hidden; ++j) {
            const auto of_input = [&](int g) { return gate(w.weight, w.bias, g * hidden + j, in, x); };
            const auto of_state = [&](int g) { return gate(w.weight_hh, w.bias_hh, g * hidden + j, hidden, before); };
            const double reset = sigmoid(of_input(0) + of_state(0)), update = sigmoid(of_input(1) + of_state(1));
            const double fresh = tanh(of_input(2) + reset * of_state(2));
            y[j] = (1.0 - update) * fresh + (before != nullptr ? update * before[j] : 0.0);
        }
    }
}

/// y [T, H] from x [T, I], weight [4 * H, I], weight_hh [4 * H, H]; gates input, forget, cell, output; h and c start
/// at 0. The cells wait in the row of y that the next step will write.
constexpr void lstm(const Op& op, const double* x, double* y, const LayerWeights& w) noexcept {
    const int in = op.in.last(), hidden = op.out.last(), steps = static_cast<int>(op.in.rows());
    const double* before = nullptr;
    for (int t = 0; t < steps; ++t, before = y, x += in, y += hidden) {
        for (int j = 0; j < hidden; ++j) {
            const auto sum = [&](int g) {
                return gate(w.weight, w.bias, g * hidden + j, in, x) +
                       gate(w.weight_hh, w.bias_hh, g * hidden + j, hidden, before);
            };
            const double kept = before != nullptr ? sigmoid(sum(1)) * y[j] : 0.0;
            const double cell = kept + sigmoid(sum(0)) * tanh(sum(2));
            y[j] = sigmoid(sum(3)) * tanh(cell);
            if (t + 1 < steps) y[hidden + j] = cell;
        }
    }
}

/// Features [begin, begin + out.last()) of every row.
constexpr void slice(const Op& op, const double* x, double* y) noexcept {
    const int in = op.in.last(), out = op.out.last();
    for (int row = 0; row < static_cast<int>(op.in.rows()); ++row)
        for (int i = 0; i < out; ++i) y[row * out + i] = x[row * in + op.begin + i];
}

/// One input of a concat put into its output y. at: its first row where the axis is the first of several, else its
/// first feature.
constexpr void place_in_concat(const Op& op, const double* x, Extents x_extents, int at, double* y) noexcept {
    const int elems = static_cast<int>(x_extents.elems()), width = x_extents.last(), out = op.out.last();
    if (op.axis == 0 && op.out.rank > 1) {
        const int row = static_cast<int>(op.out.elems()) / op.out[0];
        for (int i = 0; i < elems; ++i) y[at * row + i] = x[i];
    } else {
        for (int i = 0; i < elems; ++i) y[i / width * out + at + i % width] = x[i];
    }
}

/// One layer, not fused. x, other: inputs; y: output, apart from both. `other` is read by add and mul alone. A concat
/// is put together by place_in_concat; an input is there already.
constexpr void layer(const Op& op, const double* x, const double* other, double* y, const LayerWeights& w) noexcept {
    const int elems = static_cast<int>(op.out.elems());
    switch (op.kind) {
    case OpKind::linear:
        return linear(op, x, y, w);
    case OpKind::conv2d:
        return conv2d(op, x, y, w);
    case OpKind::up_conv2d:
        return up_conv2d(op, x, y, w);
    case OpKind::upsample:
        return upsample(op, x, y);
    case OpKind::max_pool2d:
    case OpKind::avg_pool2d:
        return pool2d(op, x, y);
    case OpKind::gru:
        return gru(op, x, y, w);
    case OpKind::lstm:
        return lstm(op, x, y, w);
    case OpKind::slice:
        return slice(op, x, y);
    case OpKind::batch_norm:
        return batch_norm(op, x, y, w);
    case OpKind::softmax:
        return softmax(op, x, y);
    case OpKind::layer_norm:
        return layer_norm(op, x, y, w);
    case OpKind::activation:
        for (int i = 0; i < elems; ++i) y[i] = activate(op.act, x[i], double{op.act_parameter()});
        return;
    case OpKind::add:
        for (int i = 0; i < elems; ++i) y[i] = x[i] + other[i];
        return;
    case OpKind::mul:
        for (int i = 0; i < elems; ++i) y[i] = x[i] * other[op.broadcast ? i % op.out.last() : i];
        return;
    case OpKind::flatten:
    case OpKind::copy:
        for (int i = 0; i < elems; ++i) y[i] = x[i];
        return;
    case OpKind::flatten_pytorch: {
        const int channels = op.in.rank == 3 ? op.in.last() : 1, pixels = elems / channels;
        for (int i = 0; i < elems; ++i) y[i] = x[i % pixels * channels + i / pixels];
        return;
    }
    case OpKind::concat:
    case OpKind::input:
        return;
    }
}

} // namespace tarn::reference
