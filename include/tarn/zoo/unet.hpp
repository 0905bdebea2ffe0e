// SPDX-License-Identifier: MIT
// U-Net: four times down, four times up again, each time joined with what was there on the way down.
// A network as a type; takes any image whose extents 16 divides.
// Knows modules; nothing of memory or devices.
#pragma once

#include <tarn/nn/graph.hpp>
#include <tarn/nn/join.hpp>
#include <tarn/zoo/block.hpp>

namespace tarn::zoo {

/// Two 3x3 convolutions, each with norm and ReLU. Shapes: x [H, W, I] -> y [H, W, O]. Names: "double_conv.0.weight", ..
template <int I, int O> struct DoubleConv {
    using Body =
        Named<"double_conv", Sequential<Conv<I, O, 3>, BatchNorm2d<O>, ReLU, Conv<O, O, 3>, BatchNorm2d<O>, ReLU>>;
};

/// U-Net with same padding and 2x2 transposed convolutions, a score for each class and pixel.
/// Shapes: x [H, W, Channels] -> y [H, W, Classes], H and W multiples of 16; at 256x256x3 with Base 64 and 2 classes:
/// 48.2 G MACs, 31,037,698 parameters.
/// Names: the widespread PyTorch one (milesial) with bilinear=False ("inc.double_conv.0.weight", "up1.up.weight").
/// Source: arXiv:1505.04597.
template <int Classes = 2, int Base = 64, int Channels = 3> struct UNet {
  private:
    template <int C> using Down = Sequential<MaxPool2d<2>, Named<"maxpool_conv.1", DoubleConv<C, 2 * C>>>;
    template <int C> using Up = ConvTranspose2d<2 * C, C, Kernel<2>, Stride<2>>;
    template <int C> using Joint = Sequential<Concat, Named<"", DoubleConv<2 * C, C>>>;

  public:
    using Body = Graph<Input<"image">,                                                             //
                       Layer<"inc", DoubleConv<Channels, Base>, "image">,                          //
                       Layer<"down1", Down<Base>, "inc">,                                          //
                       Layer<"down2", Down<2 * Base>, "down1">,                                    //
                       Layer<"down3", Down<4 * Base>, "down2">,                                    //
                       Layer<"down4", Down<8 * Base>, "down3">,                                    //
                       Layer<"up1.up", Up<8 * Base>, "down4">,                                     //
                       Layer<"up1.conv", Joint<8 * Base>, "down3", "up1.up">,                      //
                       Layer<"up2.up", Up<4 * Base>, "up1.conv">,                                  //
                       Layer<"up2.conv", Joint<4 * Base>, "down2", "up2.up">,                      //
                       Layer<"up3.up", Up<2 * Base>, "up2.conv">,                                  //
                       Layer<"up3.conv", Joint<2 * Base>, "down1", "up3.up">,                      //
                       Layer<"up4.up", Up<Base>, "up3.conv">,                                      //
                       Layer<"up4.conv", Joint<Base>, "inc", "up4.up">,                            //
                       Layer<"outc", Named<"conv", Conv2d<Base, Classes, Kernel<1>>>, "up4.conv">, //
                       Output<"outc">>;
};

} // namespace tarn::zoo
