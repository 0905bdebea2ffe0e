// SPDX-License-Identifier: MIT
// The activations in float, for one thread; exp, tanh and erfc are the platform's, which a GPU has to 2 ulp.
// Under every body of this folder.
// Knows nothing of layers' extents.
#pragma once

#include <tarn/core/config.hpp>
#include <tarn/nn/op.hpp>

#include <math.h> // the C header: nvcc knows its functions for the device, without std

namespace tarn::cuda {

TARN_DEVICE float sigmoid(float x) { return 1.F / (1.F + ::expf(-x)); }

/// An activation. NaN stays NaN.
template <Activation F> TARN_DEVICE float activate(float x, float parameter) {
    if constexpr (F == Activation::relu) {
        return x < 0.F ? 0.F : x;
    } else if constexpr (F == Activation::relu6) {
        return x < 0.F ? 0.F : x > 6.F ? 6.F : x;
    } else if constexpr (F == Activation::leaky_relu) {
        return x < 0.F ? x * parameter : x;
    } else if constexpr (F == Activation::sigmoid) {
        return sigmoid(x);
    } else if constexpr (F == Activation::tanh) {
        return ::tanhf(x);
    } else if constexpr (F == Activation::gelu) {
        return 0.5F * x * ::erfcf(x * -0.707106781F);
    } else if constexpr (F == Activation::gelu_tanh) {
        // x * (1 + tanh(z)) / 2 = x * sigmoid(2 z)
        const float z = 0.7978845608F * (x + 0.044715F * x * x * x);
        return x * sigmoid(z + z);
    } else if constexpr (F == Activation::silu) {
        return x * sigmoid(x);
    } else if constexpr (F == Activation::hard_swish) {
        return x <= -3.F ? 0.F : x >= 3.F ? x : x * (x + 3.F) * 0.16666667F;
    } else if constexpr (F == Activation::elu) {
        return x > 0.F ? x : parameter * ::expm1f(x);
    } else {
        static_cast<void>(parameter);
        return x;
    }
}

} // namespace tarn::cuda
