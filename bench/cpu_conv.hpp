// SPDX-License-Identifier: MIT
// Convolutions of the published networks as layers under test, with the ReLU that follows them there.
// Shared by the units of cpu_bench that name convolution rows, which are several since each is much to compile.
// Knows names of layers only.
#pragma once

#include "cpu_layer.hpp"

namespace tarn_bench {

/// K x K from I to O channels on a square image of Side, padded as the networks do.
template <int K, int S, int I, int O, int Side>
constexpr auto conv =
    SingleLayer<Sequential<Conv2d<I, O, Kernel<K>, Stride<S>, Padding<K / 2>>, ReLU>, Shape<Side, Side, I>>::make;
/// 3x3, by Winograd's tiles of the size that the library chooses.
template <int I, int O, int Side>
constexpr auto tiled = SingleLayer<Sequential<Conv2d<I, O, Kernel<3>, Padding<1>>, ReLU>, Shape<Side, Side, I>,
                                   Pages::small, Winograd<WholeTensors<Fastest>>>::make;
template <int K, int S, int C, int Side>
constexpr auto depthwise = SingleLayer<Sequential<Conv2d<C, C, Kernel<K>, Stride<S>, Padding<K / 2>, Groups<C>>, ReLU>,
                                       Shape<Side, Side, C>>::make;

} // namespace tarn_bench
