// SPDX-License-Identifier: MIT
// The matrix products that are timed, for one kind of factors.
// Included by gemm_*.cu. Knows Ops by value.
#pragma once

#include "own_product.cuh"

namespace tarn_bench {

constexpr ProductCase product(const char* name, int rows, int depth, int columns, tarn::cuda::Factor factor,
                              int panel_rows = 0) {
    const tarn::Op op = tarn_test::pixel_op(tarn::OpKind::linear, tarn::extents_of(rows, depth), columns);
    return {name, op, factor, factor == tarn::cuda::Factor::f32 ? panel_rows : 0};
}

template <tarn::cuda::Factor F> struct SmallProducts {
    static constexpr ProductCase cases[] = {
        product("64 x 64 x 64", 64, 64, 64, F, 16),        product("128 x 128 x 128", 128, 128, 128, F, 16),
        product("256 x 256 x 256", 256, 256, 256, F, 16),  product("512 x 512 x 512", 512, 512, 512, F, 16),
        product("1 x 1024 x 1024", 1, 1024, 1024, F),      product("1 x 4096 x 4096", 1, 4096, 4096, F),
        product("16 x 1024 x 1024", 16, 1024, 1024, F, 4), product("16 x 4096 x 4096", 16, 4096, 4096, F),
    };
};
template <tarn::cuda::Factor F> struct LargeProducts {
    static constexpr ProductCase cases[] = {
        product("128 x 1024 x 1024", 128, 1024, 1024, F, 4),   product("128 x 4096 x 4096", 128, 4096, 4096, F),
        product("1024 x 1024 x 1024", 1024, 1024, 1024, F, 8), product("2048 x 2048 x 2048", 2048, 2048, 2048, F, 4),
        product("4096 x 4096 x 4096", 4096, 4096, 4096, F),
    };
};

} // namespace tarn_bench
