// SPDX-License-Identifier: MIT
// The loops behind cpu_limits.hpp: 12 vectors of sums that only registers hold, and a read of a buffer.
// Compiled for AVX2 and FMA by its own flags (cpu_rivals.cmake), where those exist.
// Knows nothing of layers.
#include "cpu_limits.hpp"

#include <tarn/core/config.hpp>

namespace tarn_bench {

namespace {

using Floats = float __attribute__((vector_size(32)));
using Bits = unsigned __attribute__((vector_size(32)));

/// Two multiply-adds a cycle of four cycles' latency want at least eight independent sums.
void multiply_adds(float* out) {
    Floats sums[12], by = Floats{} + out[0], and_more = Floats{} + out[1];
    for (Floats& sum : sums) sum = Floats{} + out[2];
    for (int i = 0; i < 4096; ++i) {
        TARN_UNROLL
        for (int s = 0; s < 12; ++s) sums[s] = sums[s] * by + and_more;
        __asm__ volatile("" : "+x"(by), "+x"(and_more));
    }
    Floats all{};
    for (const Floats& sum : sums) all += sum;
    out[3] = all[0];
}

/// Streams: places at which the buffer is read at once; more than one keeps more prefetchers busy.
template <std::size_t Streams> unsigned read(const float* from, std::size_t vectors) {
    const Bits* const at = reinterpret_cast<const Bits*>(from);
    const std::size_t part = vectors / Streams;
    constexpr std::size_t each = 8 / Streams;
    Bits seen[8] = {};
    for (std::size_t i = 0; i + each <= part; i += each) {
        TARN_UNROLL
        for (std::size_t s = 0; s < 8; ++s) seen[s] ^= at[s / each * part + i + s % each];
    }
    for (int s = 1; s < 8; ++s) seen[0] ^= seen[s];
    return seen[0][0] ^ seen[0][3];
}

} // namespace

Contender fma_peak() {
    auto values = std::make_shared<Buffer>(16);
    values->data()[0] = 0.5F, values->data()[1] = 0.25F, values->data()[2] = 0.75F;
    return contender(
        "fma peak", [values] { multiply_adds(values->data()); }, values);
}

std::vector<Contender> reads_of(std::size_t elems) {
    auto values = std::make_shared<Buffer>((elems + 63) / 64 * 64);
    for (std::size_t i = 0; i < elems; ++i) values->data()[i] = static_cast<float>(i % 1000) * 1e-3F;
    auto sink = std::make_shared<unsigned>(0U);
    const auto reading = [&](auto read_all) {
        return contender(
            read_name, [=] { *sink ^= read_all(values->data(), values->size() / 8); }, values);
    };
    return {reading(read<1>), reading(read<4>), reading(read<8>)};
}

} // namespace tarn_bench
