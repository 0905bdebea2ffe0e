// SPDX-License-Identifier: MIT
// ResNet-18, ResNet-50, and MLPerf Tiny's ResNet8: residual blocks of 3x3 convolutions or bottlenecks.
// Networks as types; take any image, 224x224x3 (ResNet8: 32x32x3) as published.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/zoo/block.hpp>

#include <ratio>
#include <type_traits>

namespace tarn::zoo {

namespace detail {
/// relu(layers(x) + x), x through a 1x1 convolution where it does not fit.
template <int I, int O, int S, class Layers>
using ResNetSum = Sequential<
    Named<"", std::conditional_t<
                  S == 1 && I == O, Residual<Named<"", Layers>>,
                  Residual<Named<"", Layers>, Named<"downsample", Sequential<Conv<I, O, 1, S>, BatchNorm2d<O>>>>>>,
    ReLU>;
} // namespace detail

/// Two 3x3 convolutions and the sum. Shapes: x [H, W, I] -> y [H / S, W / S, Width].
/// Names: "conv1.weight", "bn1.weight", .., "downsample.0.weight".
template <int I, int Width, int S> struct BasicBlock {
    static constexpr int out = Width;
    using Body =
        detail::ResNetSum<I, out, S,
                          Sequential<Named<"conv1", Conv<I, Width, 3, S>>, Named<"bn1", BatchNorm2d<Width>>, ReLU,
                                     Named<"conv2", Conv<Width, Width, 3>>, Named<"bn2", BatchNorm2d<Width>>>>;
};

/// 1x1 to Width channels, 3x3 with the stride, 1x1 to 4 * Width, and the sum: torchvision's "v1.5".
/// Shapes: x [H, W, I] -> y [H / S, W / S, 4 * Width].
template <int I, int Width, int S> struct Bottleneck {
    static constexpr int out = 4 * Width;
    using Body =
        detail::ResNetSum<I, out, S,
                          Sequential<Named<"conv1", Conv<I, Width, 1>>, Named<"bn1", BatchNorm2d<Width>>, ReLU,
                                     Named<"conv2", Conv<Width, Width, 3, S>>, Named<"bn2", BatchNorm2d<Width>>, ReLU,
                                     Named<"conv3", Conv<Width, out, 1>>, Named<"bn3", BatchNorm2d<out>>>>;
};

namespace detail {
template <template <int, int, int> class Block, int I, int Width, int S, class Rest> struct ResNetLayer;
template <template <int, int, int> class Block, int I, int Width, int S, std::size_t... At>
struct ResNetLayer<Block, I, Width, S, std::index_sequence<At...>> {
    static constexpr int out = Block<I, Width, S>::out;
    template <std::size_t> using Same = Block<out, Width, 1>;
    using Body = Sequential<Block<I, Width, S>, Same<At>...>;
};

/// Count blocks, the first of which has the stride.
template <template <int, int, int> class Block, int I, int Width, int S, std::size_t Count>
using ResNetLayerOf = ResNetLayer<Block, I, Width, S, std::make_index_sequence<Count - 1>>;

template <template <int, int, int> class Block, int Classes, std::size_t Count1, std::size_t Count2, std::size_t Count3,
          std::size_t Count4>
struct ResNet {
  private:
    using Layer1 = ResNetLayerOf<Block, 64, 64, 1, Count1>;
    using Layer2 = ResNetLayerOf<Block, Layer1::out, 128, 2, Count2>;
    using Layer3 = ResNetLayerOf<Block, Layer2::out, 256, 2, Count3>;
    using Layer4 = ResNetLayerOf<Block, Layer3::out, 512, 2, Count4>;

  public:
    using Body = Sequential<Named<"conv1", Conv<3, 64, 7, 2>>, Named<"bn1", BatchNorm2d<64>>, ReLU,
                            MaxPool2d<3, Stride<2>, Padding<1>>, Named<"layer1", Layer1>, Named<"layer2", Layer2>,
                            Named<"layer3", Layer3>, Named<"layer4", Layer4>, GlobalAvgPool2d, Flatten,
                            Named<"fc", Linear<Layer4::out, Classes>>>;
};
} // namespace detail

/// ResNet-18, logits. Shapes: x [H, W, 3] -> y [Classes]; H and W as the network is given, 224 as published: 1.81 G
/// MACs, 11,689,512 parameters (1000 classes). Names: torchvision's resnet18 ("layer1.0.conv1.weight").
/// Source: arXiv:1512.03385.
template <int Classes = 1000> struct ResNet18 : detail::ResNet<BasicBlock, Classes, 2, 2, 2, 2> {};

/// ResNet-50, logits. Shapes: x [H, W, 3] -> y [Classes]; H and W as the network is given, 224 as published: 4.09 G
/// MACs, 25,557,032 parameters (1000 classes). Names: torchvision's resnet50. Source: arXiv:1512.03385.
template <int Classes = 1000> struct ResNet50 : detail::ResNet<Bottleneck, Classes, 3, 4, 6, 3> {};

/// A block of ResNet8: 3x3 convolutions with bias, SAME padding, Keras's eps; a shortcut without a norm.
/// Shapes: x [H, W, I] -> y [H / S, W / S, O].
template <int I, int O, int S> struct TinyBlock {
  private:
    template <int C> using Norm = BatchNorm2d<C, Eps<std::ratio<1, 1000>>>;
    using Layers = Sequential<Named<"conv1", Conv2d<I, O, Kernel<3>, Stride<S>, SameUpper>>, Named<"bn1", Norm<O>>,
                              ReLU, Named<"conv2", Conv2d<O, O, Kernel<3>, SameUpper>>, Named<"bn2", Norm<O>>>;
    using Shortcut = Named<"downsample", Conv2d<I, O, Kernel<1>, Stride<S>>>;

  public:
    using Body = Sequential<Named<"", std::conditional_t<S == 1 && I == O, Residual<Named<"", Layers>>,
                                                         Residual<Named<"", Layers>, Shortcut>>>,
                            ReLU>;
};

/// MLPerf Tiny's image classifier: a stem and three residual blocks, probabilities.
/// Shapes: x [32, 32, 3] -> y [Classes]; 12.5 M MACs, 78,186 parameters (10 classes; Keras counts the
/// running statistics too: 78,666).
/// Names: "conv1.weight", "bn1.weight", "layer1.conv1.weight", .., "layer2.downsample.weight", "fc.weight".
/// Source: mlcommons tiny, image_classification/keras_model.py, layer by layer.
template <int Classes = 10> struct ResNet8 {
    using Body =
        Sequential<Named<"conv1", Conv2d<3, 16, Kernel<3>, SameUpper>>,
                   Named<"bn1", BatchNorm2d<16, Eps<std::ratio<1, 1000>>>>, ReLU, Named<"layer1", TinyBlock<16, 16, 1>>,
                   Named<"layer2", TinyBlock<16, 32, 2>>, Named<"layer3", TinyBlock<32, 64, 2>>, GlobalAvgPool2d,
                   Flatten, Named<"fc", Linear<64, Classes>>, Softmax>;
};

} // namespace tarn::zoo
