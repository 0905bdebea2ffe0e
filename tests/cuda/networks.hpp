// SPDX-License-Identifier: MIT
// Small networks of every kind that the emulated grid runs whole.
// Used by the tests beside it. Knows the public face only.
#pragma once

#include <tarn/tarn.hpp>

namespace tarn_test {

using namespace tarn;

using Mlp = Sequential<Linear<20, 48>, ReLU, Linear<48, 33>, GELU, Linear<33, 10>, Softmax>;
using MlpIn = tarn::Shape<7, 20>;

// More rows than blocks: products overwrite their rows, at the pitch of the widest.
using RowNet = Sequential<Linear<10, 40>, ReLU, Linear<40, 24>, ReLU, Linear<24, 36>, GELU, Linear<36, 16>,
                          LayerNorm<16>, Linear<16, 6>>;
using RowIn = tarn::Shape<53, 10>;

using ConvBlock = Sequential<Conv2d<12, 12, Kernel<3>, Padding<1>>, BatchNorm2d<12>, ReLU,
                             Conv2d<12, 12, Kernel<3>, Padding<1>>, BatchNorm2d<12>>;
using ResidualNet = Sequential<Conv2d<3, 12, Kernel<3>, Padding<1>>, ReLU, Residual<ConvBlock>, ReLU, MaxPool2d<2>,
                               Residual<ConvBlock>, ReLU, GlobalAvgPool2d, Flatten, Linear<12, 5>>;
using ResidualIn = tarn::Shape<8, 9, 3>;

using MobileBlock = Residual<
    Sequential<Conv2d<8, 24, Kernel<1>>, BatchNorm2d<24>, ReLU6, Conv2d<24, 24, Kernel<3>, Padding<1>, Groups<24>>,
               BatchNorm2d<24>, ReLU6, Conv2d<24, 8, Kernel<1>>, BatchNorm2d<8>>>;
using MobileNet =
    Sequential<Conv2d<3, 8, Kernel<3>, Stride<2>, Padding<1>>, BatchNorm2d<8>, HardSwish, MobileBlock,
               Conv2d<8, 8, Kernel<3>, Stride<2>, Padding<1>, Groups<8>>, GlobalAvgPool2d, Flatten, Linear<8, 4>>;
using MobileIn = tarn::Shape<11, 10, 3>;

using UNet = Graph<Input<"image">, //
                   Layer<"wide", Sequential<Conv2d<2, 6, Kernel<3>, Padding<1>>, ReLU>, "image">,
                   Layer<"narrow", Sequential<MaxPool2d<2>, Conv2d<6, 10, Kernel<3>, Padding<1>>, ReLU>, "wide">,
                   Layer<"up", ConvTranspose2d<10, 6, Kernel<2>, Stride<2>>, "narrow">,
                   Layer<"joint", Sequential<Concat, Conv2d<12, 6, Kernel<3>, Padding<1>>, SiLU>, "wide", "up">,
                   Layer<"score", Sequential<Upsample<2>, Conv2d<6, 1, Kernel<1>>, Sigmoid>, "joint">, //
                   Output<"score">>;
using UNetIn = tarn::Shape<8, 8, 2>;

using GruNet = Sequential<Linear<5, 12>, Tanh, GRU<12, 20>, LSTM<20, 16>, Linear<16, 3>>;
using GruIn = tarn::Shape<6, 5>;

} // namespace tarn_test
