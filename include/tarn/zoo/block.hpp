// SPDX-License-Identifier: MIT
// Block: a module with a name of its own, made of other modules; and small helpers to write networks with.
// Under every network of this folder. A network is a type: nothing here runs.
// Knows modules and how they are walked; nothing of shapes, memory or devices.
#pragma once

#include <tarn/nn/activation.hpp>
#include <tarn/nn/combine.hpp>
#include <tarn/nn/conv.hpp>
#include <tarn/nn/linear.hpp>
#include <tarn/nn/norm.hpp>
#include <tarn/nn/pool.hpp>
#include <tarn/nn/shape_ops.hpp>

#include <cstddef>
#include <utility>

namespace tarn::zoo {

/// A block is a struct that says what it is made of: struct Mine { using Body = Sequential<..>; }. It is its body in
/// every respect, parameter names included, under a name that compilers can print.
template <class Module>
concept IsBlock = requires {
    typename Module::Body;
};

/// Zeros around an image so that a convolution of stride 1 keeps its extents: on all sides alike, as PyTorch's
/// networks.
struct PyTorchPads {
    template <int K> using Of = Padding<K / 2>;
};

/// The same as TensorFlow's SAME: for stride 2 of an even image the odd pixel stands at the end.
struct SamePads {
    template <int K> using Of = SameUpper;
};

/// A convolution for a batch norm after it, dense or depthwise: padded, without bias.
template <int I, int O, int K, int S = 1, class Pads = PyTorchPads>
using Conv = Conv2d<I, O, Kernel<K>, Stride<S>, typename Pads::template Of<K>, NoBias>;
template <int C, int K, int S = 1, class Pads = PyTorchPads>
using Depthwise = Conv2d<C, C, Kernel<K>, Stride<S>, typename Pads::template Of<K>, Groups<C>, NoBias>;

namespace detail {
template <class... Sequences> struct Join;
template <class... Modules> struct Join<Sequential<Modules...>> { using type = Sequential<Modules...>; };
template <class... Left, class... Right, class... Rest>
struct Join<Sequential<Left...>, Sequential<Right...>, Rest...> : Join<Sequential<Left..., Right...>, Rest...> {};
} // namespace detail

/// Several Sequentials as one, whose parameters are numbered through.
template <class... Sequences> using Joined = typename detail::Join<Sequences...>::type;

/// "layer" and 12 are "layer12".
template <Name Text, int Number> constexpr auto numbered() noexcept {
    constexpr int digits = Number < 10 ? 1 : Number < 100 ? 2 : 3;
    constexpr std::size_t length = sizeof(Text.text) - 1;
    char text[length + digits + 1] = {};
    for (std::size_t i = 0; i < length; ++i) text[i] = Text.text[i];
    int left = Number;
    for (std::size_t i = length + digits; i-- > length; left /= 10) text[i] = static_cast<char>('0' + left % 10);
    return Name<length + digits + 1>(text);
}

/// A width multiplier on a number of channels, rounded down: int(channels * width).
template <class Width> constexpr int scaled(int channels) noexcept {
    return static_cast<int>(channels * Width::num / Width::den);
}

/// The same rounded to the nearest multiple of 8 that is not below 90 % of it: torchvision's _make_divisible.
template <class Width> constexpr int scaled_by_eights(int channels) noexcept {
    const auto exact = channels * Width::num; // in units of 1 / den
    auto rounded = (exact + 4 * Width::den) / (8 * Width::den) * 8;
    if (rounded < 8) rounded = 8;
    if (10 * rounded * Width::den < 9 * exact) rounded += 8;
    return static_cast<int>(rounded);
}

} // namespace tarn::zoo

namespace tarn::detail {

template <zoo::IsBlock Module> struct Walk<Module> {
    template <class Visitor> static constexpr void into(Visitor& visitor, Values& values) {
        Walk<typename Module::Body>::into(visitor, values);
    }
};

} // namespace tarn::detail
