// SPDX-License-Identifier: MIT
// The digits network: what README shows, shared by the digits and image examples.
// The same network as train.py's, layer by layer. Knows the public face only.
#pragma once

#include <tarn/tarn.hpp>

using DigitsNet = tarn::Sequential<                                                          //
    tarn::Conv2d<1, 16, tarn::Kernel<3>, tarn::Padding<1>>, tarn::ReLU, tarn::MaxPool2d<2>,  //
    tarn::Conv2d<16, 32, tarn::Kernel<3>, tarn::Padding<1>>, tarn::ReLU, tarn::MaxPool2d<2>, //
    tarn::Flatten, tarn::Linear<32 * 2 * 2, 10>>;
using Digits = tarn::Model<DigitsNet, tarn::Shape<8, 8, 1>>; // height, width, channels

static_assert(Digits::arena_bytes <= 1792); // a fact about a type
