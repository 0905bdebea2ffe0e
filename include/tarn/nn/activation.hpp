// SPDX-License-Identifier: MIT
// Activations and softmax.
// Descriptions without parameters. The planner fuses an activation into the layer before it where that one is alone.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/op.hpp>

#include <ratio>

namespace tarn {

/// An elementwise function of x, any shape. Memory: none of its own when fused, else in place. Errors: none.
/// Source: the torch.nn module of the same name; absolute 1e-6 or relative 1e-5.
template <Activation F, class Ratio = std::ratio<0>> struct Elementwise {
    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents) noexcept { return {}; }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::activation;
        op.in = op.out = in;
        op.act = F;
        op.act_bits = ratio_bits<Ratio>();
        return op;
    }
};

using ReLU = Elementwise<Activation::relu>;
using ReLU6 = Elementwise<Activation::relu6>;
template <class Slope = std::ratio<1, 100>> using LeakyReLU = Elementwise<Activation::leaky_relu, Slope>;
using Sigmoid = Elementwise<Activation::sigmoid>;
using Tanh = Elementwise<Activation::tanh>;
using GELU = Elementwise<Activation::gelu>;          ///< x * Phi(x), the exact form
using GELUTanh = Elementwise<Activation::gelu_tanh>; ///< torch.nn.GELU(approximate="tanh")
using SiLU = Elementwise<Activation::silu>;
using HardSwish = Elementwise<Activation::hard_swish>;
template <class Alpha = std::ratio<1>> using ELU = Elementwise<Activation::elu, Alpha>;

/// exp(x - max) / sum over the last axis, row by row; finite for any finite logits.
/// Shapes: x [.., F] -> y [.., F]. Memory: in place, no scratch. Errors: none.
/// Source: torch.nn.Softmax(dim=-1), absolute 1e-6.
struct Softmax {
    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents) noexcept { return {}; }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::softmax;
        op.in = op.out = in;
        return op;
    }
};

} // namespace tarn
