// SPDX-License-Identifier: MIT
// The networks on which the first law is proven: between them every kernel, every activation, every kind of skip.
// Included by the law's programs and by the files that are only compiled.
// Knows the public face only.
#pragma once

#include <tarn/tarn.hpp>

namespace tarn_test {

/// A network and its input, as one type.
template <class TheNet, class TheIn> struct Case {
    using Net = TheNet;
    using In = TheIn;
};

/// The network of examples/digits.
using Digits = Case<tarn::Sequential<tarn::Conv2d<1, 16, tarn::Kernel<3>, tarn::Padding<1>>, tarn::ReLU,
                                     tarn::MaxPool2d<2>, tarn::Conv2d<16, 32, tarn::Kernel<3>, tarn::Padding<1>>,
                                     tarn::ReLU, tarn::MaxPool2d<2>, tarn::Flatten, tarn::Linear<32 * 2 * 2, 10>>,
                    tarn::Shape<8, 8, 1>>;

/// A perceptron with every activation, on rows; the last one has nothing to be fused into.
template <int Rows>
using EveryActivation =
    Case<tarn::Sequential<tarn::Linear<7, 19>, tarn::ReLU, tarn::Linear<19, 16>, tarn::ReLU6, tarn::Linear<16, 12>,
                          tarn::LeakyReLU<>, tarn::Linear<12, 12>, tarn::Sigmoid, tarn::Linear<12, 12>, tarn::Tanh,
                          tarn::Linear<12, 12>, tarn::GELU, tarn::Linear<12, 12>, tarn::GELUTanh, tarn::Linear<12, 12>,
                          tarn::SiLU, tarn::Linear<12, 12>, tarn::HardSwish, tarn::Linear<12, 12>, tarn::ELU<>,
                          tarn::BatchNorm1d<12>, tarn::LayerNorm<12>, tarn::Softmax>,
         tarn::Shape<Rows, 7>>;

/// Pointwise, depthwise and pointwise, added to its own input.
using InvertedResidual = Case<
    tarn::Residual<tarn::Sequential<
        tarn::Conv2d<8, 24, tarn::Kernel<1>, tarn::NoBias>, tarn::BatchNorm2d<24>, tarn::ReLU6,
        tarn::Conv2d<24, 24, tarn::Kernel<3>, tarn::Padding<1>, tarn::Groups<24>, tarn::NoBias>, tarn::BatchNorm2d<24>,
        tarn::ReLU6, tarn::Conv2d<24, 8, tarn::Kernel<1>, tarn::NoBias>, tarn::BatchNorm2d<8>>>,
    tarn::Shape<6, 5, 8>>;

/// A residual with a projection beside it, average pools, softmax.
using Projection =
    Case<tarn::Sequential<
             tarn::Residual<tarn::Sequential<tarn::Conv2d<4, 12, tarn::Kernel<3>, tarn::Stride<2>, tarn::Padding<1>>,
                                             tarn::ReLU, tarn::Conv2d<12, 12, tarn::Kernel<3>, tarn::Padding<1>>>,
                            tarn::Conv2d<4, 12, tarn::Kernel<1>, tarn::Stride<2>>>,
             tarn::ReLU, tarn::AvgPool2d<2>, tarn::GlobalAvgPool2d, tarn::Flatten, tarn::Linear<12, 5>, tarn::Softmax>,
         tarn::Shape<8, 9, 4>>;

/// z = x + relu(x): a reader that could run in place, and another reader.
using TwoReaders = Case<tarn::Residual<tarn::ReLU>, tarn::Shape<5, 6, 3>>;

/// A permutation that no layer absorbs.
using Permuted = Case<tarn::Sequential<tarn::MaxPool2d<2>, tarn::Flatten>, tarn::Shape<6, 4, 5>>;

/// Calls f.operator()<M>() for every network as a model on a device.
template <class Device, class F> void for_each_model_on(F f) {
    const auto one = [&]<class C>(C) { f.template operator()<tarn::Model<typename C::Net, typename C::In, Device>>(); };
    one(Digits{});
    one(EveryActivation<11>{});
    one(InvertedResidual{});
    one(Projection{});
    one(TwoReaders{});
    one(Permuted{});
}
/// The same on both instruction sets: the baseline, and the best that the processor has.
template <class F> void for_each_model(F f) {
    for_each_model_on<tarn::Cpu<tarn::cpu::Baseline>>(f);
    for_each_model_on<tarn::Cpu<>>(f);
}

} // namespace tarn_test
