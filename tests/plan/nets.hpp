// SPDX-License-Identifier: MIT
// Networks that the planning tests share: chains, residuals, perceptrons, pools.
// As types, with the input each is planned for.
// Knows layers only.
#pragma once

#include <tarn/nn/activation.hpp>
#include <tarn/nn/combine.hpp>
#include <tarn/nn/conv.hpp>
#include <tarn/nn/linear.hpp>
#include <tarn/nn/norm.hpp>
#include <tarn/nn/pool.hpp>
#include <tarn/nn/shape_ops.hpp>

namespace tarn_test::nets {

using namespace tarn;

template <class TheNet, class TheInput> struct Case {
    using Net = TheNet;
    using Input = TheInput;
};

template <int I, int O, int K, int S = 1>
using ConvNorm = Sequential<Conv2d<I, O, Kernel<K>, Stride<S>, Padding<K / 2>, NoBias>, BatchNorm2d<O>>;
template <int C, int K, int S = 1>
using DepthwiseNorm = Sequential<Conv2d<C, C, Kernel<K>, Stride<S>, Padding<K / 2>, Groups<C>, NoBias>, BatchNorm2d<C>>;
template <int C> using Basic = Sequential<Residual<Sequential<ConvNorm<C, C, 3>, ReLU, ConvNorm<C, C, 3>>>, ReLU>;
template <int I, int O>
using Down =
    Sequential<Residual<Sequential<ConvNorm<I, O, 3, 2>, ReLU, ConvNorm<O, O, 3>>, ConvNorm<I, O, 1, 2>>, ReLU>;
template <int C, int E>
using Inverted = Residual<Sequential<ConvNorm<C, E, 1>, ReLU6, DepthwiseNorm<E, 3>, ReLU6, ConvNorm<E, C, 1>>>;

struct Digits
    : Case<Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Conv2d<16, 32, Kernel<3>, Padding<1>>,
                      ReLU, MaxPool2d<2>, Flatten, Linear<32 * 2 * 2, 10>>,
           Shape<8, 8, 1>> {};
/// One convolution that several panels of outputs make: staged, with scratch, where it runs in place.
struct OneConv : Case<Conv2d<24, 24, Kernel<3>, Padding<1>>, Shape<6, 20, 24>> {};
struct ConvChain : Case<Sequential<ConvNorm<3, 16, 3>, ReLU, ConvNorm<16, 16, 3>, ReLU, ConvNorm<16, 16, 3>, ReLU,
                                   ConvNorm<16, 24, 3>>,
                        Shape<12, 12, 3>> {};
/// Wide rows of two panels: direct kernels ask for a row's distance, staged ones for scratch beside the overlap.
struct WideChain
    : Case<Sequential<ConvNorm<24, 24, 3>, ReLU, ConvNorm<24, 24, 3>, ReLU, ConvNorm<24, 24, 3>>, Shape<8, 20, 24>> {};
struct Pointwise
    : Case<Sequential<Conv2d<8, 40, Kernel<1>>, ReLU, Conv2d<40, 12, Kernel<1>>, ReLU, Conv2d<12, 64, Kernel<1>>>,
           Shape<7, 9, 8>> {};
struct Skip : Case<Sequential<ConvNorm<3, 16, 3>, ReLU, Basic<16>, Basic<16>>, Shape<10, 10, 3>> {};
struct Projection : Case<Sequential<Basic<16>, Down<16, 32>, Basic<32>, GlobalAvgPool2d, Flatten, Linear<32, 10>>,
                         Shape<12, 12, 16>> {};
struct InvertedResiduals : Case<Sequential<Inverted<8, 48>, Inverted<8, 48>>, Shape<9, 9, 8>> {};
struct Depthwises : Case<Sequential<DepthwiseNorm<16, 3>, ReLU, ConvNorm<16, 32, 1>, ReLU, DepthwiseNorm<32, 3, 2>,
                                    ReLU, ConvNorm<32, 64, 1>>,
                         Shape<12, 12, 16>> {};
struct Perceptron
    : Case<Sequential<Linear<64, 128>, ReLU, Linear<128, 128>, ReLU, Linear<128, 10>, Softmax>, Shape<64>> {};
struct Rows : Case<Sequential<Linear<48, 32>, SiLU, Linear<32, 100>, GELU, Linear<100, 12>>, Shape<29, 48>> {};
struct Pools : Case<Sequential<MaxPool2d<3, Stride<1>, Padding<1>>, AvgPool2d<2>, MaxPool2d<3, Stride<2>, Padding<1>>,
                               AvgPool2d<3, Stride<1>, Padding<1>>, GlobalAvgPool2d>,
                    Shape<16, 16, 12>> {};
struct Pointless : Case<Sequential<ReLU, BatchNorm2d<6>, Tanh, Softmax>, Shape<5, 4, 6>> {};
struct Nested : Case<Sequential<Conv2d<3, 8, Kernel<3>>, Residual<Residual<Sequential<Sigmoid, Tanh>>>, Residual<ReLU>>,
                     Shape<9, 8, 3>> {};
struct Growing : Case<Sequential<Conv2d<4, 8, Kernel<3>, Padding<1>>, ReLU, Conv2d<8, 32, Kernel<5>, Padding<2>>>,
                      Shape<9, 11, 4>> {};
/// A small ResNet: stem, pool, a block with a plain skip, one with a projection.
struct SmallResNet
    : Case<Sequential<ConvNorm<3, 8, 7, 2>, ReLU, MaxPool2d<3, Stride<2>, Padding<1>>, Basic<8>, Down<8, 16>>,
           Shape<16, 16, 3>> {};
struct DepthwiseChain : Case<Sequential<DepthwiseNorm<24, 3>, ReLU6, DepthwiseNorm<24, 5>, ReLU6, DepthwiseNorm<24, 3>>,
                             Shape<9, 10, 24>> {};
struct Grouped : Case<Sequential<Conv2d<16, 32, Kernel<3>, Padding<1>, Groups<4>>, ReLU,
                                 Conv2d<32, 16, Kernel<3>, Padding<1>, Groups<2>>>,
                      Shape<8, 8, 16>> {};
struct Permuted : Case<Sequential<MaxPool2d<2>, Flatten>, Shape<6, 4, 5>> {};

} // namespace tarn_test::nets
