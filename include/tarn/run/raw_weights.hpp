// SPDX-License-Identifier: MIT
// A step's weights among the pointers that a network is packed from.
// Between a plan's steps and any device's pack. Knows steps; nothing of packed layouts or files.
#pragma once

#include <tarn/cpu/pack.hpp>
#include <tarn/plan/steps.hpp>

#include <bit>
#include <span>

namespace tarn::detail {

/// parameters: a pointer to each in PyTorch's layout, in the order of parameter_names (io/names.hpp).
constexpr RawWeights raw_weights(const Step& step, std::span<const float* const> parameters) noexcept {
    RawWeights raw;
    const auto at = [&](int i) { return parameters[static_cast<std::size_t>(i)]; };
    if (step.parameters >= 0) {
        raw.weight = at(step.parameters);
        if (step.layer_bias) raw.bias = at(step.parameters + 1);
    }
    if (step.norm >= 0) {
        raw.norm_weight = at(step.norm);
        raw.norm_bias = at(step.norm + 1);
        raw.norm_mean = at(step.norm + 2);
        raw.norm_var = at(step.norm + 3);
        raw.eps = std::bit_cast<float>(step.eps_bits);
    }
    if (step.op.kind == OpKind::gru || step.op.kind == OpKind::lstm) { // weight_ih, weight_hh, bias_ih, bias_hh
        raw.weight_hh = at(step.parameters + 1);
        if (step.layer_bias) raw.bias = at(step.parameters + 2), raw.bias_hh = at(step.parameters + 3);
    }
    raw.permuted = step.permuted;
    raw.feature = step.feature;
    raw.features = step.features;
    return raw;
}

} // namespace tarn::detail
