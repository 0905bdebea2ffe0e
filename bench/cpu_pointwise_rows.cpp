// SPDX-License-Identifier: MIT
// Rows of cpu_bench: the 1x1 and depthwise convolutions of ResNet-50 and MobileNetV2.
// Layers and gates are those of the project's performance anchors.
// Knows names of layers only.
#include "cpu_conv.hpp"

namespace tarn_bench {
namespace {

constexpr Gate matrix = peak(80, 90), filter = peak(45, 55);

[[maybe_unused]] const bool added = add_rows({
    {302, "conv", "conv 1x1 64-256 @56", matrix, conv<1, 1, 64, 256, 56>},
    {303, "conv", "conv 1x1 256-64 @56", matrix, conv<1, 1, 256, 64, 56>},
    {307, "conv", "conv 1x1 1024-256 @14", matrix, conv<1, 1, 1024, 256, 14>},
    {309, "conv", "conv 1x1 96-24 @56", matrix, conv<1, 1, 96, 24, 56>},
    {310, "conv", "conv 1x1 24-144 @56", Gate{}, conv<1, 1, 24, 144, 56>},
    {311, "conv", "conv 1x1 384-64 @14", matrix, conv<1, 1, 384, 64, 14>},
    {312, "conv", "conv 1x1 64-384 @14", matrix, conv<1, 1, 64, 384, 14>},
    {400, "depthwise", "dw 3x3 c32 @112", filter, depthwise<3, 1, 32, 112>},
    {401, "depthwise", "dw 3x3 c144 @56", filter, depthwise<3, 1, 144, 56>},
    {402, "depthwise", "dw 3x3s2 c144 @56", Gate{}, depthwise<3, 2, 144, 56>},
    {403, "depthwise", "dw 3x3 c384 @14", filter, depthwise<3, 1, 384, 14>},
    {404, "depthwise", "dw 5x5 c240 @14", Gate{}, depthwise<5, 1, 240, 14>},
});

} // namespace
} // namespace tarn_bench
