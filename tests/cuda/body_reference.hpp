// SPDX-License-Identifier: MIT
// What a kernel's body should make: the reference with its epilogue, and tensors at pitches.
// For the emulated grid of the tests and for the card of bench/gpu. Knows Ops; nothing of grids.
#pragma once

#include "kernels/some_ops.hpp"

#include <tarn/reference/layers.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace tarn_test {

/// What the reference makes of an Op, its epilogue included.
inline std::vector<double> expected_of(const tarn::Op& op, const std::vector<float>& x, const std::vector<float>& other,
                                       const SomeWeights& weights) {
    using tarn::OpKind;
    const std::vector<double> in(x.begin(), x.end()), second(other.begin(), other.end());
    std::vector<double> made(op.out.elems());
    tarn::reference::LayerWeights w;
    if (op.kind == OpKind::batch_norm)
        w = {weights.raw.norm_weight, weights.raw.norm_bias, weights.raw.norm_mean, weights.raw.norm_var};
    else
        w.weight = weights.raw.weight, w.bias = weights.raw.bias;
    w.weight_hh = weights.raw.weight_hh, w.bias_hh = weights.raw.bias_hh;
    tarn::reference::layer(op, in.data(), second.data(), made.data(), w);
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (op.add && op.kind != OpKind::add) made[i] += second[i];
        if (op.kind != OpKind::activation)
            made[i] = tarn::reference::activate(op.act, made[i], double{op.act_parameter()});
    }
    return made;
}

/// Rows of `width` at a pitch, NaN between them; and back.
inline std::vector<float> spread(const std::vector<float>& rows, int width, int pitch) {
    const auto w = static_cast<std::size_t>(width), p = static_cast<std::size_t>(pitch > 0 ? pitch : width);
    std::vector<float> made(rows.size() / w * p, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < rows.size(); ++i) made[i / w * p + i % w] = rows[i];
    return made;
}
inline std::vector<float> gathered(const float* from, std::size_t count, int width, int pitch) {
    const auto w = static_cast<std::size_t>(width), p = static_cast<std::size_t>(pitch > 0 ? pitch : width);
    std::vector<float> made(count);
    for (std::size_t i = 0; i < count; ++i) made[i] = from[i / w * p + i % w];
    return made;
}

} // namespace tarn_test
