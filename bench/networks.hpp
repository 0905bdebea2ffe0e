// SPDX-License-Identifier: MIT
// The networks that benches run, with random weights: from a few hundred floats to a few megabytes of tensors.
// Shared by the benches. Knows the public face only.
#pragma once

#include <tarn/tarn.hpp>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace tarn_bench {

using namespace tarn;

using Digits =
    Model<Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Conv2d<16, 32, Kernel<3>, Padding<1>>,
                     ReLU, MaxPool2d<2>, Flatten, Linear<32 * 2 * 2, 10>>,
          Shape<8, 8, 1>>;

using Perceptron = Model<Sequential<Linear<48, 64>, SiLU, Linear<64, 64>, SiLU, Linear<64, 12>>, Shape<48>>;

template <int C>
using Block = Residual<Sequential<Conv2d<C, C, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<C>, ReLU,
                                  Conv2d<C, C, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<C>>>;
template <int I, int O>
using Halving = Residual<Sequential<Conv2d<I, O, Kernel<3>, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<O>, ReLU,
                                    Conv2d<O, O, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<O>>,
                         Sequential<Conv2d<I, O, Kernel<1>, Stride<2>, NoBias>, BatchNorm2d<O>>>;

/// Three stages of residual blocks on a 32 x 32 picture.
using Residuals =
    Model<Sequential<Conv2d<3, 16, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<16>, ReLU, Block<16>, ReLU,
                     Halving<16, 32>, ReLU, Halving<32, 64>, ReLU, GlobalAvgPool2d, Flatten, Linear<64, 10>>,
          Shape<32, 32, 3>>;

template <int I, int E, int O, int S>
using Inverted = Sequential<Conv2d<I, E, Kernel<1>, NoBias>, BatchNorm2d<E>, ReLU6,
                            Conv2d<E, E, Kernel<3>, Stride<S>, Padding<1>, Groups<E>, NoBias>, BatchNorm2d<E>, ReLU6,
                            Conv2d<E, O, Kernel<1>, NoBias>, BatchNorm2d<O>>;

/// The first inverted residuals of a mobile network on a 96 x 96 picture.
using Mobile = Model<Sequential<Conv2d<3, 16, Kernel<3>, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<16>, ReLU6,
                                Inverted<16, 96, 24, 2>, Residual<Inverted<24, 144, 24, 1>>, Inverted<24, 144, 32, 2>,
                                Residual<Inverted<32, 192, 32, 1>>, GlobalAvgPool2d, Flatten, Linear<32, 10>>,
                     Shape<96, 96, 3>>;

/// Parameters by name with their values, in the order Model::pack takes them.
struct RandomParameters {
    std::vector<NamedParameter> names;
    std::vector<std::vector<float>> values;
};

/// Random parameters of a network, scaled so that values keep their size from layer to layer through ReLUs; those of a
/// batch norm as trained ones are: scales and variances about 1, shifts and means small.
template <class Net> RandomParameters random_parameters() {
    std::mt19937 random(7);
    RandomParameters made{parameter_names<Net>(), {}};
    for (const NamedParameter& parameter : made.names) {
        const std::size_t elems = parameter.shape.elems();
        const auto fan_in = static_cast<float>(elems / static_cast<std::size_t>(parameter.shape[0]));
        const bool vector = parameter.shape.rank < 2;
        const bool centred = !vector || parameter.name.ends_with("bias") || parameter.name.ends_with("running_mean");
        const float low = !centred ? 0.5F : vector ? -0.1F : -std::sqrt(6.F / fan_in);
        const float high = centred ? -low : 1.5F;
        std::vector<float>& values = made.values.emplace_back(elems);
        for (float& value : values) value = low + (high - low) * (static_cast<float>(random() >> 8) * 0x1p-24F);
    }
    return made;
}

/// Packed random weights of a model.
template <class M> std::unique_ptr<typename M::Weights> random_weights() {
    const RandomParameters parameters = random_parameters<typename M::Module>();
    std::vector<const float*> pointers;
    for (const std::vector<float>& values : parameters.values) pointers.push_back(values.data());
    auto weights = std::make_unique<typename M::Weights>();
    M::pack(*weights, pointers);
    return weights;
}

template <std::size_t N> std::vector<float> random_input() {
    std::mt19937 random(8);
    std::uniform_real_distribution<float> value(-1.F, 1.F);
    std::vector<float> input(N);
    for (float& made : input) made = value(random);
    return input;
}

} // namespace tarn_bench
