// SPDX-License-Identifier: MIT
// What the processor can do at most, measured beside each row: fused multiply-adds in registers, bytes read.
// Contenders as the layers are, so that they are timed in the same rounds.
// Knows nothing of layers.
#pragma once

#include "rivals.hpp"

namespace tarn_bench {

inline constexpr const char* peak_name = "fma peak";
inline constexpr const char* read_name = "read";
inline constexpr double peak_flops = 2.0 * 8 * 12 * 4096; ///< of one run of fma_peak
Contender fma_peak();

/// Ways to read that many floats, all under read_name: the fastest counts.
std::vector<Contender> reads_of(std::size_t elems);

} // namespace tarn_bench
