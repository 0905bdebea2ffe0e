// SPDX-License-Identifier: MIT
// UltraFace RFB-320: a face detector of one megabyte, with scores and boxes at four scales.
// A network as a type; takes 240x320x3 as published, or any extents that 8 divides.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/nn/graph.hpp>
#include <tarn/nn/join.hpp>
#include <tarn/zoo/block.hpp>

namespace tarn::zoo {

/// Where a network's batch norms are: beside the convolutions, as trained, or in their weights, as exported.
enum class Norms : int { apart, folded };

namespace detail {
/// A convolution with its norm, apart or folded into a bias; padded to keep its extents.
template <Norms TheNorms, int I, int O, int K, int S, int D, int G> struct UltraFaceConv {
    using First = Conv2d<I, O, Kernel<K>, Stride<S>, Padding<K / 2 * D>, Dilation<D>, Groups<G>, NoBias>;
    using Second = BatchNorm2d<O>;
};
template <int I, int O, int K, int S, int D, int G> struct UltraFaceConv<Norms::folded, I, O, K, S, D, G> {
    using First = Conv2d<I, O, Kernel<K>, Stride<S>, Padding<K / 2 * D>, Dilation<D>, Groups<G>>;
    using Second = Identity;
};
} // namespace detail

/// UltraFace's receptive field block: three branches that look ever further, concatenated, and a shortcut.
/// Shapes: x [H, W, C] -> y [H, W, C]. Names: "branch0.0.conv.weight", .., "ConvLinear.conv.weight",
/// "shortcut.conv.weight".
template <int C, Norms TheNorms> struct ReceptiveField {
  private:
    static constexpr int narrow = C / 8;
    template <int I, int O, int K, int D = 1> struct Basic {
        using Parts = detail::UltraFaceConv<TheNorms, I, O, K, 1, D, 1>;
        using Body = Sequential<Named<"conv", typename Parts::First>, Named<"bn", typename Parts::Second>>;
    };
    template <int I, int O, int K> struct BasicReLU { using Body = Sequential<Named<"", Basic<I, O, K>>, ReLU>; };
    using Branch0 =
        Sequential<Basic<C, narrow, 1>, BasicReLU<narrow, 2 * narrow, 3>, Basic<2 * narrow, 2 * narrow, 3, 2>>;
    using Branch1 =
        Sequential<Basic<C, narrow, 1>, BasicReLU<narrow, 2 * narrow, 3>, Basic<2 * narrow, 2 * narrow, 3, 3>>;
    using Branch2 = Sequential<Basic<C, narrow, 1>, BasicReLU<narrow, narrow / 2 * 3, 3>,
                               BasicReLU<narrow / 2 * 3, 2 * narrow, 3>, Basic<2 * narrow, 2 * narrow, 3, 5>>;
    using Branches =
        Sequential<Named<"", Parallel<Named<"branch0", Branch0>, Named<"branch1", Branch1>, Named<"branch2", Branch2>>>,
                   Concat, Named<"ConvLinear", Basic<6 * narrow, C, 1>>>;

  public:
    using Body = Sequential<Named<"", Residual<Named<"", Branches>, Named<"shortcut", Basic<C, C, 1>>>>, ReLU>;
};

/// UltraFace RFB-320 ("version-RFB-320"): 13 blocks, then a pair of heads after the 8th, 11th, 13th and an extra one.
/// Shapes: x [H, W, 3] -> scores [A, 2] (softmax: background, face), boxes [A, 4]; at 240x320 A is 4420, of 3, 2, 2, 3
/// anchors a pixel of 30x40, 15x20, 8x10, 4x5; 100.4 M MACs, 276,292 parameters.
/// Names: those of the authors' PyTorch model ("base_net.0.0.weight", "base_net.7.branch0.0.conv.weight",
/// "extras.0.2.0.weight", "classification_headers.0.0.weight"); with Norms::folded as their ONNX file has it, a bias
/// with every convolution. Source: Linzaer, Ultra-Light-Fast-Generic-Face-Detector-1MB.
template <int H = 240, int W = 320, Norms TheNorms = Norms::apart> struct UltraFace {
  private:
    template <int I, int O, int K, int S, int G> struct Layers {
        using Parts = detail::UltraFaceConv<TheNorms, I, O, K, S, 1, G>;
        using Body = Sequential<typename Parts::First, typename Parts::Second, ReLU>;
    };
    using Stem = typename Layers<3, 16, 3, 2, 1>::Body;
    template <int I, int O, int S = 1>
    using Pair = Joined<typename Layers<I, I, 3, S, I>::Body, typename Layers<I, O, 1, 1, 1>::Body>;

    template <int I, int O, int S = 1>
    using Separable =
        Sequential<Conv2d<I, I, Kernel<3>, Stride<S>, Padding<1>, Groups<I>>, ReLU, Conv2d<I, O, Kernel<1>>>;
    using Extra = Sequential<Conv2d<256, 64, Kernel<1>>, ReLU, Separable<64, 256, 2>, ReLU>;

    /// A head's rows: Values of them for each of Anchors anchors of a pixel, on a picture 1 / Step of the input.
    template <class Convolutions, int Anchors, int Values, int Step>
    using Head = Sequential<Named<"", Convolutions>,
                            Reshape<Shape<((H + Step - 1) / Step) * ((W + Step - 1) / Step) * Anchors, Values>>>;
    template <int V> using Head0 = Head<Separable<64, 3 * V>, 3, V, 8>;
    template <int V> using Head1 = Head<Separable<128, 2 * V>, 2, V, 16>;
    template <int V> using Head2 = Head<Separable<256, 2 * V>, 2, V, 32>;
    template <int V> using Head3 = Head<Conv2d<256, 3 * V, Kernel<3>, Padding<1>>, 3, V, 64>;

  public:
    using Body = Graph<Input<"image">, Layer<"base_net.0", Stem, "image">,              //
                       Layer<"base_net.1", Pair<16, 32>, "base_net.0">,                 //
                       Layer<"base_net.2", Pair<32, 32, 2>, "base_net.1">,              //
                       Layer<"base_net.3", Pair<32, 32>, "base_net.2">,                 //
                       Layer<"base_net.4", Pair<32, 64, 2>, "base_net.3">,              //
                       Layer<"base_net.5", Pair<64, 64>, "base_net.4">,                 //
                       Layer<"base_net.6", Pair<64, 64>, "base_net.5">,                 //
                       Layer<"base_net.7", ReceptiveField<64, TheNorms>, "base_net.6">, //
                       Layer<"classification_headers.0", Head0<2>, "base_net.7">,       //
                       Layer<"regression_headers.0", Head0<4>, "base_net.7">,           //
                       Layer<"base_net.8", Pair<64, 128, 2>, "base_net.7">,             //
                       Layer<"base_net.9", Pair<128, 128>, "base_net.8">,               //
                       Layer<"base_net.10", Pair<128, 128>, "base_net.9">,              //
                       Layer<"classification_headers.1", Head1<2>, "base_net.10">,      //
                       Layer<"regression_headers.1", Head1<4>, "base_net.10">,          //
                       Layer<"base_net.11", Pair<128, 256, 2>, "base_net.10">,          //
                       Layer<"base_net.12", Pair<256, 256>, "base_net.11">,             //
                       Layer<"classification_headers.2", Head2<2>, "base_net.12">,      //
                       Layer<"regression_headers.2", Head2<4>, "base_net.12">,          //
                       Layer<"extras.0", Extra, "base_net.12">,                         //
                       Layer<"classification_headers.3", Head3<2>, "extras.0">,         //
                       Layer<"regression_headers.3", Head3<4>, "extras.0">,             //
                       Layer<"scores", Sequential<ConcatRows, Softmax>, "classification_headers.0",
                             "classification_headers.1", "classification_headers.2", "classification_headers.3">,
                       Layer<"boxes", ConcatRows, "regression_headers.0", "regression_headers.1",
                             "regression_headers.2", "regression_headers.3">,
                       Output<"scores">, Output<"boxes">>;
};

} // namespace tarn::zoo
