// SPDX-License-Identifier: MIT
// What a process takes from its heap and from the card, read before and after.
// Used by the memory part. Knows the runtime; nothing of networks.
#pragma once

#include "device.hpp"

namespace tarn_bench {

/// How often operator new was called in this process, libraries included that share it.
long host_news() noexcept;

/// Bytes in use on the card, and the high-water marks of the default pool.
struct MemoryTaken {
    double device = 0, pool_used = 0, pool_reserved = 0;

    static MemoryTaken now() {
        std::size_t free = 0, total = 0;
        must(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        const cudaMemPool_t pool = default_pool();
        std::uint64_t used = 0, reserved = 0;
        must(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used), "cudaMemPoolGetAttribute");
        must(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &reserved), "cudaMemPoolGetAttribute");
        return {static_cast<double>(total - free), static_cast<double>(used), static_cast<double>(reserved)};
    }
};

} // namespace tarn_bench
