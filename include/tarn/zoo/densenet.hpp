// SPDX-License-Identifier: MIT
// DenseNet-121: every layer reads all that its block has made so far.
// A network as a type; takes any image, 224x224x3 as published.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/nn/join.hpp>
#include <tarn/zoo/block.hpp>

namespace tarn::zoo {

/// x with Growth channels more: norm, ReLU, 1x1 to 4 * Growth, norm, ReLU, 3x3. Norms come first, so they are steps of
/// their own: x is read by all layers after. Shapes: x [H, W, I] -> y [H, W, I + Growth].
/// Names: "norm1.weight", "conv1.weight", "norm2.weight", "conv2.weight".
template <int I, int Growth> struct DenseLayer {
  private:
    static constexpr int middle = 4 * Growth;
    using New = Sequential<Named<"norm1", BatchNorm2d<I>>, ReLU, Named<"conv1", Conv<I, middle, 1>>,
                           Named<"norm2", BatchNorm2d<middle>>, ReLU, Named<"conv2", Conv<middle, Growth, 3>>>;

  public:
    using Body = Sequential<Named<"", Parallel<Identity, Named<"", New>>>, Concat>;
};

/// Count dense layers, "denselayer1" to "denselayer<Count>". Shapes: x [H, W, I] -> y [H, W, I + Count * Growth].
template <int I, int Growth, int Count> struct DenseBlock {
  private:
    template <std::size_t... At>
    static Sequential<Named<numbered<"denselayer", static_cast<int>(At) + 1>(),
                            DenseLayer<I + static_cast<int>(At) * Growth, Growth>>...>
        made(std::index_sequence<At...>);

  public:
    static constexpr int out = I + Count * Growth;
    using Body = decltype(made(std::make_index_sequence<Count>{}));
};

/// Half the channels and half the extents. Shapes: x [H, W, I] -> y [H / 2, W / 2, I / 2].
/// Names: "norm.weight", "conv.weight".
template <int I> struct DenseTransition {
    static constexpr int out = I / 2;
    using Body = Sequential<Named<"norm", BatchNorm2d<I>>, ReLU, Named<"conv", Conv<I, out, 1>>, AvgPool2d<2>>;
};

/// DenseNet-121, logits. Shapes: x [H, W, 3] -> y [Classes]; H and W as the network is given, 224 as published:
/// 2.83 G MACs, 7,978,856 parameters (1000 classes). Names: torchvision's densenet121
/// ("features.denseblock1.denselayer1.norm1.weight", "classifier.weight"). Source: arXiv:1608.06993.
template <int Classes = 1000> struct DenseNet121 {
  private:
    static constexpr int stem = 64, growth = 32;
    using Block1 = DenseBlock<stem, growth, 6>;
    using Transition1 = DenseTransition<Block1::out>;
    using Block2 = DenseBlock<Transition1::out, growth, 12>;
    using Transition2 = DenseTransition<Block2::out>;
    using Block3 = DenseBlock<Transition2::out, growth, 24>;
    using Transition3 = DenseTransition<Block3::out>;
    using Block4 = DenseBlock<Transition3::out, growth, 16>;

  public:
    using Body =
        Sequential<Named<"features", Sequential<Named<"conv0", Conv<3, stem, 7, 2>>, Named<"norm0", BatchNorm2d<stem>>,
                                                ReLU, MaxPool2d<3, Stride<2>, Padding<1>>, Named<"denseblock1", Block1>,
                                                Named<"transition1", Transition1>, Named<"denseblock2", Block2>,
                                                Named<"transition2", Transition2>, Named<"denseblock3", Block3>,
                                                Named<"transition3", Transition3>, Named<"denseblock4", Block4>,
                                                Named<"norm5", BatchNorm2d<Block4::out>>>>,
                   ReLU, GlobalAvgPool2d, Flatten, Named<"classifier", Linear<Block4::out, Classes>>>;
};

} // namespace tarn::zoo
