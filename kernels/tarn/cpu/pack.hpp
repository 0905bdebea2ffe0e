// SPDX-License-Identifier: MIT
// Packing: a layer's weights as a framework stores them become the panels its kernel reads, once, at load.
// Batch norm and the order of flattened features are folded in here, in double.
// Knows geometries; nothing of files or names.
#pragma once

#include <tarn/cpu/geometry.hpp>

#include <type_traits>

namespace tarn {

/// One step's weights in PyTorch's layout; null where the layer has none.
struct RawWeights {
    const float* weight = nullptr;    ///< [O, I / G, KH, KW], [O, I], transposed [I, O, KH, KW], recurrent [G * H, I]
    const float* bias = nullptr;      ///< [O], recurrent [G * H]
    const float* weight_hh = nullptr; ///< recurrent: [G * H, H]
    const float* bias_hh = nullptr;   ///< recurrent: [G * H]
    const float* norm_weight = nullptr;
    const float* norm_bias = nullptr;
    const float* norm_mean = nullptr;
    const float* norm_var = nullptr;
    float eps = 0.F;
    Extents permuted{}; ///< rank 3: input features lie as this image, weights expect channel, row, column
    /// One of the convolutions whose sum is the layer: `weight` has `features` input features, of which this one reads
    /// those from `feature` on; bias and shift are the first one's. features 0: all of them.
    int feature = 0, features = 0;
};

namespace cpu {

/// Square root in double by Newton's steps: packing is constexpr, std::sqrt is not.
constexpr double square_root(double x) noexcept {
    if (x - x != 0.0) return x; // infinity, NaN: a file may hold them, and the steps would not end
    if (!(x > 0.0)) return 0.0;
    double scale = 1.0;
    while (x > 4.0) x /= 4.0, scale *= 2.0;
    while (x < 1.0) x *= 4.0, scale /= 2.0;
    double root = x;
    for (int i = 0; i < 8; ++i) root = (root + x / root) / 2.0;
    return root * scale;
}

/// Scale and shift that a batch norm puts on channel c of the layer before it.
struct NormLine {
    double scale = 1.0, shift = 0.0;
};
constexpr NormLine norm_line(const RawWeights& raw, int c) noexcept {
    if (raw.norm_var == nullptr) return {};
    const double scale = double{raw.norm_weight[c]} / square_root(double{raw.norm_var[c]} + double{raw.eps});
    return {scale, double{raw.norm_bias[c]} - double{raw.norm_mean[c]} * scale};
}
constexpr float folded_bias(const RawWeights& raw, int c) noexcept {
    if (raw.feature > 0) return 0.F;
    const NormLine line = norm_line(raw, c);
    return static_cast<float>((raw.bias != nullptr ? double{raw.bias[c]} : 0.0) * line.scale + line.shift);
}
/// Position among the weight's columns of the input feature that lies at position k in memory.
constexpr int column_of(const Extents& permuted, int k) noexcept {
    if (permuted.rank != 3) return k;
    const int channels = permuted[2], pixels = permuted[0] * permuted[1];
    return k % channels * pixels + k / channels;
}

template <Op O> constexpr void pack_dense(typename DenseGeometry<O>::Packed& to, const RawWeights& raw) noexcept {
    using G = DenseGeometry<O>;
    const int features = raw.features > 0 ? raw.features : G::group_in;
    for (int g = 0; g < G::groups; ++g) {
        for (int c = 0; c < G::panels * G::panel; ++c) {
            const int panel = c / G::panel, lane = c % G::panel, out = g * G::group_out + c;
            const bool real = c < G::group_out;
            const double scale = real ? norm_line(raw, out).scale : 0.0;
            to.bias[g][panel][lane] = real ? folded_bias(raw, out) : 0.F;
            for (int y = 0; y < G::window.kernel_h; ++y) {
                for (int x = 0; x < G::window.kernel_w; ++x) {
                    for (int k = 0; k < G::group_in; ++k) {
                        const int column =
                            ((raw.feature + column_of(raw.permuted, k)) * G::window.kernel_h + y) * G::window.kernel_w +
                            x;
                        to.weight[g][panel][y][x][k][lane] =
                            real ? static_cast<float>(double{raw.weight[out * features * G::taps + column]} * scale)
                                 : 0.F;
                    }
                }
            }
        }
    }
}

/// What a position of a tile takes of three weights in a line, F(m, 3): cpu/winograd.hpp has the points.
constexpr double winograd_weight(int m, int position, double first, double second, double third) noexcept {
    if (position == m + 1) return third;
    if (position == 0) return first;
    const double sign = position % 2 == 1 ? 1.0 : -1.0;
    if (m == 2) return (first + sign * second + third) / 2.0;
    const double point = sign * (position < 3 ? 0.70710678118654752440 : 1.41421356237309504880);
    return (first + point * second + point * point * third) / (position < 3 ? -1.5 : 6.0);
}
template <Op O> constexpr void pack_winograd(typename WinogradGeometry<O>::Packed& to, const RawWeights& raw) noexcept {
    using G = WinogradGeometry<O>;
    constexpr int m = G::tiles.m, n = G::tiles.n, taps = 9;
    const int features = raw.features > 0 ? raw.features : G::in_c;
    for (int c = 0; c < G::panels * G::panel; ++c) {
        const int panel = c / G::panel, lane = c % G::panel;
        const bool real = c < G::out_c;
        const double scale = real ? norm_line(raw, c).scale : 0.0;
        to.bias[panel][lane] = real ? folded_bias(raw, c) : 0.F;
        for (int k = 0; k < G::in_c; ++k) {
            double lines[n][3] = {}; // columns transformed
            for (int x = 0; real && x < 3; ++x) {
                const float* const at = raw.weight + (c * features + raw.feature + k) * taps + x;
                for (int i = 0; i < n; ++i)
                    lines[i][x] = winograd_weight(m, i, double{at[0]}, double{at[3]}, double{at[6]});
            }
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                    to.weight[panel][i * n + j][k][lane] =
                        static_cast<float>(scale * winograd_weight(m, j, lines[i][0], lines[i][1], lines[i][2]));
        }
    }
}

template <Op O> constexpr void pack_up_conv(typename UpConvGeometry<O>::Packed& to, const RawWeights& raw) noexcept {
    using G = UpConvGeometry<O>;
    constexpr int sets = G::phases * G::columns;
    for (int c = 0; c < G::Product::panels * G::Product::panel; ++c) {
        const int panel = c / G::Product::panel, lane = c % G::Product::panel;
        const bool real = c < G::out_c;
        const double scale = real ? norm_line(raw, c).scale : 0.0;
        const float bias = real ? folded_bias(raw, c) : 0.F;
        for (int set = 0; set < sets; ++set) {
            to.bias[set][panel][lane] = bias;
            for (int k = 0; k < G::in_c; ++k)
                to.weight[set][panel][0][0][k][lane] =
                    real ? static_cast<float>(double{raw.weight[(k * G::out_c + c) * sets + set]} * scale) : 0.F;
        }
    }
}

/// Both biases of a sum are added here, in double; a GRU's new gate keeps them apart.
template <Op O>
constexpr void pack_recurrent(typename RecurrentGeometry<O>::Packed& to, const RawWeights& raw) noexcept {
    using G = RecurrentGeometry<O>;
    for (int c = 0; c < G::padded; ++c) {
        const int panel = c / G::panel, lane = c % G::panel;
        const bool real = c < G::hidden;
        for (int gate = 0; gate < G::gates; ++gate) {
            const int row = gate * G::hidden + c;
            for (int k = 0; k < G::inputs; ++k)
                to.input[panel][gate][k][lane] = real ? raw.weight[row * G::inputs + k] : 0.F;
            for (int k = 0; k < G::hidden; ++k)
                to.hidden[panel][gate][k][lane] = real ? raw.weight_hh[row * G::hidden + k] : 0.F;
        }
        for (int sum = 0; sum < G::sums; ++sum) {
            const int row = (sum < G::gates ? sum : G::gates - 1) * G::hidden + c;
            const bool takes_input = !(G::is_gru && sum == 3), takes_hidden = !(G::is_gru && sum == 2);
            const double of_input = real && takes_input && raw.bias != nullptr ? double{raw.bias[row]} : 0.0;
            const double of_hidden = real && takes_hidden && raw.bias_hh != nullptr ? double{raw.bias_hh[row]} : 0.0;
            to.bias[panel][sum][lane] = static_cast<float>(of_input + of_hidden);
        }
    }
}

template <Op O>
constexpr void pack_depthwise(typename DepthwiseGeometry<O>::Packed& to, const RawWeights& raw) noexcept {
    using G = DepthwiseGeometry<O>;
    for (int c = 0; c < G::channels; ++c) {
        const double scale = norm_line(raw, c).scale;
        to.bias[c] = folded_bias(raw, c);
        for (int y = 0; y < G::window.kernel_h; ++y)
            for (int x = 0; x < G::window.kernel_w; ++x)
                to.weight[y][x][c] = static_cast<float>(
                    double{raw.weight[(c * G::window.kernel_h + y) * G::window.kernel_w + x]} * scale);
    }
}

/// Packs one step's weights. Ops without weights take nothing.
template <Op O> constexpr void pack([[maybe_unused]] typename Geometry<O>::Packed& to, const RawWeights& raw) noexcept {
    if constexpr (is_depthwise(O)) {
        pack_depthwise<O>(to, raw);
    } else if constexpr (is_winograd(O)) {
        pack_winograd<O>(to, raw);
    } else if constexpr (is_dense(O)) {
        pack_dense<O>(to, raw);
    } else if constexpr (O.kind == OpKind::up_conv2d) {
        pack_up_conv<O>(to, raw);
    } else if constexpr (is_recurrent(O)) {
        pack_recurrent<O>(to, raw);
    } else if constexpr (O.kind == OpKind::batch_norm) {
        for (int c = 0; c < NormGeometry<O>::channels; ++c) {
            const NormLine line = norm_line(raw, c);
            to.scale[c] = static_cast<float>(line.scale);
            to.shift[c] = static_cast<float>(line.shift);
        }
    } else if constexpr (O.kind == OpKind::layer_norm && O.affine) {
        for (int c = 0; c < LayerNormGeometry<O>::channels; ++c) {
            to.scale[c] = raw.weight[c];
            to.shift[c] = raw.bias != nullptr ? raw.bias[c] : 0.F;
        }
    }
}

} // namespace cpu
} // namespace tarn
