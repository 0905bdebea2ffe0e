// SPDX-License-Identifier: MIT
// Rows of cpu_bench: layers that memory bounds, or a function of every element: softmax, norms, pools, activations,
// sums, upsampling.
// Sizes from the first-level cache to the third.
// Knows names of layers only.
#include "cpu_layer.hpp"

namespace tarn_bench {
namespace {

constexpr Gate none{};

template <int Rows, int Features> constexpr auto softmax = SingleLayer<Softmax, Shape<Rows, Features>>::make;
template <int Rows, int Features>
constexpr auto layer_norm = SingleLayer<LayerNorm<Features>, Shape<Rows, Features>>::make;
template <int C, int Side> constexpr auto batch_norm = SingleLayer<BatchNorm2d<C>, Shape<Side, Side, C>>::make;
template <int C, int Side> constexpr auto upsample = SingleLayer<Upsample<2>, Shape<Side, Side, C>>::make;
using Sum = Graph<Input<"a">, Input<"b">, Layer<"y", Add, "a", "b">, Output<"y">>;
template <int Elems> constexpr auto sum = SingleLayer<Sum, Inputs<Shape<Elems>, Shape<Elems>>>::make;
template <class Function, int Elems> constexpr auto each = SingleLayer<Function, Shape<Elems>>::make;

[[maybe_unused]] const bool added = add_rows({
    {500, "memory", "softmax 64x10", none, softmax<64, 10>},
    {501, "memory", "softmax 1x1000", none, softmax<1, 1000>},
    {502, "memory", "softmax 128x128", none, softmax<128, 128>},
    {503, "memory", "softmax 256x768", none, softmax<256, 768>},
    {504, "memory", "layer norm 49x96", none, layer_norm<49, 96>},
    {505, "memory", "layer norm 1x1024", none, layer_norm<1, 1024>},
    {506, "memory", "layer norm 256x768", none, layer_norm<256, 768>},
    {507, "memory", "batch norm c64 @56", none, batch_norm<64, 56>},
    {508, "memory", "batch norm c1024 @14", none, batch_norm<1024, 14>},
    {510, "memory", "max pool 2x2s2 c64 @56", none, SingleLayer<MaxPool2d<2>, Shape<56, 56, 64>>::make},
    {511, "memory", "max pool 3x3s2 c64 @112", none,
     SingleLayer<MaxPool2d<3, Stride<2>, Padding<1>>, Shape<112, 112, 64>>::make},
    {512, "memory", "avg pool 2x2s2 c128 @56", none, SingleLayer<AvgPool2d<2>, Shape<56, 56, 128>>::make},
    {513, "memory", "global avg pool c2048 @7", none, SingleLayer<GlobalAvgPool2d, Shape<7, 7, 2048>>::make},
    {514, "memory", "upsample 2x2 c64 @28", none, upsample<64, 28>},
    {515, "memory", "upsample 2x2 c512 @7", none, upsample<512, 7>},
    {518, "memory", "add 64Ki", none, sum<1 << 16>},
    {519, "memory", "add 1Mi", none, sum<1 << 20>},
    {520, "memory", "relu 64Ki", none, each<ReLU, 1 << 16>},
    {521, "memory", "relu 1Mi", none, each<ReLU, 1 << 20>},
    {522, "memory", "elu (exp) 4Ki", none, each<ELU<>, 1 << 12>},
    {523, "memory", "elu (exp) 64Ki", none, each<ELU<>, 1 << 16>},
    {524, "memory", "tanh 4Ki", none, each<Tanh, 1 << 12>},
    {525, "memory", "tanh 64Ki", none, each<Tanh, 1 << 16>},
    {526, "memory", "sigmoid 64Ki", none, each<Sigmoid, 1 << 16>},
    {527, "memory", "gelu (erf) 64Ki", none, each<GELU, 1 << 16>},
});

} // namespace
} // namespace tarn_bench
