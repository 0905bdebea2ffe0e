// SPDX-License-Identifier: MIT
// exp, tanh, erf and the activations in double, in constant expressions too.
// Under the reference kernels; the fast sets have their own in cpu/math.hpp.
// Knows nothing of layers' extents.
#pragma once

#include <tarn/nn/op.hpp>

namespace tarn::reference {

/// exp(x) by halving the argument and its Taylor series; relative 1e-14.
constexpr double exp(double x) noexcept {
    if (x != x) return x;
    if (x > 709.0) return x > 709.78 ? 1e308 * 10.0 : exp(x / 2) * exp(x / 2);
    if (x < -745.0) return 0.0;
    int halvings = 0;
    while (x > 0.25 || x < -0.25) x /= 2, ++halvings;
    double term = 1.0, sum = 1.0;
    for (int n = 1; n < 16; ++n) term *= x / n, sum += term;
    for (; halvings > 0; --halvings) sum *= sum;
    return sum;
}

/// exp(x) - 1, by series near zero where the difference would cancel.
constexpr double expm1(double x) noexcept {
    if (x > 0.25 || x < -0.25) return exp(x) - 1.0;
    double term = x, sum = x;
    for (int n = 2; n < 16; ++n) term *= x / n, sum += term;
    return sum;
}

constexpr double tanh(double x) noexcept {
    if (x < 0.0) return -tanh(-x);
    if (x > 20.0) return 1.0;
    const double e = expm1(2.0 * x);
    return e / (e + 2.0);
}

/// erfc(x): the series of erf up to 2.5, a continued fraction beyond.
constexpr double erfc(double x) noexcept {
    if (x < 0.0) return 2.0 - erfc(-x);
    constexpr double root_pi = 1.7724538509055160273;
    if (x < 2.5) {
        double term = x, sum = x;
        for (int n = 1; n < 60; ++n) term *= -x * x / n, sum += term / (2 * n + 1);
        return 1.0 - 2.0 / root_pi * sum;
    }
    double fraction = 0.0;
    for (int n = 60; n > 0; --n) fraction = (n / 2.0) / (x + fraction);
    return exp(-x * x) / (root_pi * (x + fraction));
}

constexpr double activate(Activation act, double x, double parameter) noexcept {
    switch (act) {
    case Activation::none:
        return x;
    case Activation::relu:
        return x < 0.0 ? 0.0 : x;
    case Activation::relu6:
        return x < 0.0 ? 0.0 : x > 6.0 ? 6.0 : x;
    case Activation::leaky_relu:
        return x < 0.0 ? x * parameter : x;
    case Activation::sigmoid:
        return 1.0 / (1.0 + exp(-x));
    case Activation::tanh:
        return tanh(x);
    case Activation::gelu:
        return 0.5 * x * erfc(-x * 0.70710678118654752440);
    case Activation::gelu_tanh:
        return 0.5 * x * (1.0 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
    case Activation::silu:
        return x / (1.0 + exp(-x));
    case Activation::hard_swish:
        return x <= -3.0 ? 0.0 : x >= 3.0 ? x : x * (x + 3.0) / 6.0;
    case Activation::elu:
        return x > 0.0 ? x : parameter * expm1(x);
    }
    return x;
}

} // namespace tarn::reference
