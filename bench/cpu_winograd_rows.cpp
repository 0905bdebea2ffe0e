// SPDX-License-Identifier: MIT
// Rows of cpu_bench: 3x3 convolutions by Winograd's tiles, in percent of the peak of direct sums, so more than 100.
// Gates are those of the project's performance anchors: 2.2 and 2.8 times the direct kernel's 93 %.
// Knows names of layers only.
#include "cpu_conv.hpp"

namespace tarn_bench {
namespace {

[[maybe_unused]] const bool added = add_rows({
    {309, "conv", "F43 3x3 64-64 @56", peak(205, 260), tiled<64, 64, 56>},
    {310, "conv", "F43 3x3 128-128 @28", peak(205, 260), tiled<128, 128, 28>},
    {311, "conv", "F43 3x3 256-256 @14", Gate{}, tiled<256, 256, 14>},
    {312, "conv", "F23 3x3 512-512 @7", Gate{}, tiled<512, 512, 7>},
});

} // namespace
} // namespace tarn_bench
