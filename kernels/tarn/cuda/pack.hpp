// SPDX-License-Identifier: MIT
// Packing for CUDA: a layer's weights as a framework stores them become what its kernel reads, once, at load.
// Batch norm and the order of flattened features are folded in here, in double, as on the CPU.
// Knows geometries and weights in PyTorch's layout (RawWeights); nothing of files or names.
#pragma once

#include <tarn/cuda/geometry.hpp>

namespace tarn::cuda {

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
template <class Raw> constexpr NormLine norm_line(const Raw& raw, int c) noexcept {
    if (raw.norm_var == nullptr) return {};
    const double scale = double{raw.norm_weight[c]} / square_root(double{raw.norm_var[c]} + double{raw.eps});
    return {scale, double{raw.norm_bias[c]} - double{raw.norm_mean[c]} * scale};
}
template <class Raw> constexpr float folded_bias(const Raw& raw, int c) noexcept {
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

template <Op O, class Raw> constexpr void pack_dense(typename DenseGeometry<O>::Packed& to, const Raw& raw) noexcept {
    using G = DenseGeometry<O>;
    const int features = raw.features > 0 ? raw.features : G::group_in;
    for (int g = 0; g < G::groups; ++g) {
        for (int n = 0; n < G::column_pitch; ++n) {
            const bool real = n < G::columns;
            const int out = G::is_up ? n % G::out_c : g * G::group_out + n;
            const double scale = real ? norm_line(raw, out).scale : 0.0;
            to.bias[g][n] = real ? folded_bias(raw, out) : 0.F;
            for (int k = 0; k < G::depth; ++k) {
                const int place = k / G::group_in, channel = raw.feature + column_of(raw.permuted, k % G::group_in);
                const int at = G::is_up ? (k * G::out_c + out) * G::places + n / G::out_c
                                        : (out * features + channel) * G::places + place;
                to.weight[g][k][n] = real ? static_cast<float>(double{raw.weight[at]} * scale) : 0.F;
            }
        }
    }
}

template <Op O, class Raw>
constexpr void pack_depthwise(typename DepthwiseGeometry<O>::Packed& to, const Raw& raw) noexcept {
    using G = DepthwiseGeometry<O>;
    for (int c = 0; c < G::in_c; ++c) {
        const double scale = norm_line(raw, c).scale;
        to.bias[c] = folded_bias(raw, c);
        for (int y = 0; y < G::kernel_h; ++y)
            for (int x = 0; x < G::kernel_w; ++x)
                to.weight[y][x][c] =
                    static_cast<float>(double{raw.weight[(c * G::kernel_h + y) * G::kernel_w + x]} * scale);
    }
}

/// Both biases of a sum are added here, in double; a GRU's new gate keeps them apart.
template <Op O, class Raw>
constexpr void pack_recurrent(typename RecurrentGeometry<O>::Packed& to, const Raw& raw) noexcept {
    using G = RecurrentGeometry<O>;
    for (int line = 0; line < G::lines; ++line) {
        for (int k = 0; k < G::inputs; ++k) to.input[k][line] = raw.weight[line * G::inputs + k];
        for (int k = 0; k < G::hidden; ++k) to.hidden[k][line] = raw.weight_hh[line * G::hidden + k];
    }
    for (int sum = 0; sum < G::sums; ++sum) {
        for (int c = 0; c < G::hidden; ++c) {
            const int line = (sum < G::gates ? sum : G::gates - 1) * G::hidden + c;
            const bool takes_input = !(G::is_gru && sum == 3), takes_hidden = !(G::is_gru && sum == 2);
            const double of_input = takes_input && raw.bias != nullptr ? double{raw.bias[line]} : 0.0;
            const double of_hidden = takes_hidden && raw.bias_hh != nullptr ? double{raw.bias_hh[line]} : 0.0;
            to.bias[sum * G::hidden + c] = static_cast<float>(of_input + of_hidden);
        }
    }
}

/// Packs one step's weights. Ops without weights take nothing.
template <Op Given, class Raw>
constexpr void pack([[maybe_unused]] typename Geometry<Given>::Packed& to, [[maybe_unused]] const Raw& raw) noexcept {
    constexpr Op O = kernel_key(Given);
    if constexpr (is_depthwise(O)) {
        pack_depthwise<O>(to, raw);
    } else if constexpr (is_dense(O)) {
        pack_dense<O>(to, raw);
    } else if constexpr (is_recurrent(O)) {
        pack_recurrent<O>(to, raw);
    } else if constexpr (O.kind == OpKind::batch_norm) {
        for (int c = 0; c < O.in.last(); ++c) {
            const NormLine line = norm_line(raw, c);
            to.scale[c] = static_cast<float>(line.scale);
            to.shift[c] = static_cast<float>(line.shift);
        }
    } else if constexpr (O.kind == OpKind::layer_norm && O.affine) {
        for (int c = 0; c < O.in.last(); ++c) {
            to.scale[c] = raw.weight[c];
            to.shift[c] = raw.bias != nullptr ? raw.bias[c] : 0.F;
        }
    }
}

} // namespace tarn::cuda
