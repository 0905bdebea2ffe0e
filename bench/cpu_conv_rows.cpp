// SPDX-License-Identifier: MIT
// Rows of cpu_bench: the convolutions of ResNet-50 and the stem of MobileNetV2.
// Layers and gates are those of the project's performance anchors.
// Knows names of layers only.
#include "cpu_conv.hpp"

namespace tarn_bench {
namespace {

[[maybe_unused]] const bool added = add_rows({
    {300, "conv", "conv 7x7s2 3-64 @224", peak(75, 90), conv<7, 2, 3, 64, 224>},
    {301, "conv", "conv 3x3 64-64 @56", peak(85, 92), conv<3, 1, 64, 64, 56>},
    {304, "conv", "conv 3x3 128-128 @28", peak(85, 92), conv<3, 1, 128, 128, 28>},
    {305, "conv", "conv 3x3 256-256 @14", peak(85, 92), conv<3, 1, 256, 256, 14>},
    {306, "conv", "conv 3x3 512-512 @7", peak(60, 75), conv<3, 1, 512, 512, 7>},
    {308, "conv", "conv mb2 3x3s2 3-32 @224", Gate{}, conv<3, 2, 3, 32, 224>},
});

} // namespace
} // namespace tarn_bench
