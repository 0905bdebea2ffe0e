// SPDX-License-Identifier: MIT
// The README's network with weights in the source, for every consumer here.
// Included by the consumers' programs, which run it and ask `right`.
// Knows the public face only.
#pragma once

#include <tarn/tarn.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace consumer {

using namespace tarn;
using Net = Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Conv2d<16, 32, Kernel<3>, Padding<1>>,
                       ReLU, MaxPool2d<2>, Flatten, Linear<32 * 2 * 2, 10>>;
using Digits = Model<Net, Shape<8, 8, 1>>;
static_assert(Digits::arena_bytes <= 4096);

/// Numbers between -0.25 and 0.25, the same everywhere.
template <std::size_t Count> constexpr std::array<float, Count> some_floats(unsigned seed) {
    std::array<float, Count> made{};
    for (float& value : made) {
        seed = seed * 1664525U + 1013904223U;
        value = static_cast<float>(static_cast<int>(seed >> 16U) - 32768) / 131072.0F;
    }
    return made;
}

inline constexpr auto conv1_weight = some_floats<16 * 1 * 3 * 3>(1);
inline constexpr auto conv1_bias = some_floats<16>(2);
inline constexpr auto conv2_weight = some_floats<32 * 16 * 3 * 3>(3);
inline constexpr auto conv2_bias = some_floats<32>(4);
inline constexpr auto linear_weight = some_floats<10 * 128>(5);
inline constexpr auto linear_bias = some_floats<10>(6);
inline constexpr auto image = some_floats<8 * 8>(7);
inline constexpr std::array<const float*, 6> parameters{conv1_weight.data(), conv1_bias.data(),    conv2_weight.data(),
                                                        conv2_bias.data(),   linear_weight.data(), linear_bias.data()};

/// Whether scores are the network's, as the reference kernels compute it in double.
inline bool right(std::span<const float, 10> scores) {
    const auto expected = reference_forward<Net, Shape<8, 8, 1>>(image, parameters);
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (!(std::abs(static_cast<double>(scores[i]) - expected[i]) <= 1e-5)) return false;
    return true;
}

} // namespace consumer
