// SPDX-License-Identifier: MIT
// What loops.py must refuse, each planted by a macro of its own on the command line.
// Compiled by CTest, never run.
// Knows the tile of AVX2 only.
#include <tarn/cpu/cpu.hpp>

extern const void* volatile judged;

namespace tarn::cpu::avx2 {

constexpr InnerTile tile_of(int rows, int columns) {
    InnerTile tile{};
    tile.rows = rows, tile.panels = 1, tile.columns = columns, tile.panel = 16;
    tile.length = 300, tile.stretches = 1, tile.pixel_pitch = 300;
    return tile;
}

TARN_BEGIN_TARGET(TARN_TARGET_AVX2)
/// Sums of six rows of 16, over 300 inputs of each.
template <InnerTile T> struct Planted {
    TARN_NOINLINE static void run(const float* a, const float* w, float* out) noexcept {
        Vec sum[6][2] = {};
        for (int k = 0; k < 300; ++k) {
#if defined(PLANT_APART)
            TARN_UNROLL
            for (int r = 0; r < 6; ++r) {
                const Vec x = broadcast(a[r * 300 + k]);
                for (int v = 0; v < 2; ++v) {
                    const Vec product = x * load(w + k * 16 + v * 8);
                    sum[r][v] = sum[r][v] + product;
                }
            }
#else // a loop over sums that no pragma unrolls keeps them in memory
            for (int r = 0; r < 6; ++r)
                for (int v = 0; v < 2; ++v)
                    sum[r][v] = fma(broadcast(a[r * 300 + k]), load(w + k * 16 + v * 8), sum[r][v]);
#endif
        }
        for (int r = 0; r < 6; ++r)
            for (int v = 0; v < 2; ++v) store(out + r * 16 + v * 8, sum[r][v]);
    }
};
TARN_END_TARGET

} // namespace tarn::cpu::avx2

void use_planted() {
    using namespace tarn::cpu::avx2;
#if defined(PLANT_TALL) // nine rows of two vectors are more than sixteen registers
    judged = reinterpret_cast<const void*>(&Inner<tile_of(9, 16)>::run);
#else
    judged = reinterpret_cast<const void*>(&Planted<tile_of(6, 16)>::run);
#endif
}
