// SPDX-License-Identifier: MIT
// DeviceMemoryFacts: what plans for a card say of one subject, as plain numbers.
// Between the units that plan (device_memory_subject.hpp) and the program that prints (device_memory_bench.cpp).
// Knows nothing of networks as types, so that the program compiles at once.
#pragma once

#include <cstddef>

namespace tarn_bench {

/// Bytes. In a batch of one, the input in the arena.
struct DeviceMemoryFacts {
    std::size_t largest, ping_pong;
    std::size_t apart,
        smallest; ///< arenas: every output apart from what it is made from, but element by element; Smallest
    std::size_t weights;
    int steps, held, owned;                     ///< of Smallest: outputs in registers, rows overwritten
    int grid_barriers, block_barriers, without; ///< of Smallest as one launch, by step
};

} // namespace tarn_bench
