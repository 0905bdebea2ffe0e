// SPDX-License-Identifier: MIT
// The convolutions of ResNet-50 that are timed, one of each shape, for one kind of factors.
// Included by conv_*.cu. Knows Ops by value.
#pragma once

#include "own_product.cuh"

namespace tarn_bench {

constexpr ProductCase layer(const char* name, int side, int in, int out, int kernel, int stride,
                            tarn::cuda::Factor factor) {
    return {name,
            tarn_test::conv_op(tarn::extents_of(side, side, in), out, tarn_test::window_of(kernel, stride, kernel / 2)),
            factor};
}

template <tarn::cuda::Factor F> struct ResNetLayers {
    static constexpr ProductCase cases[] = {
        layer("7x7 s2, 224, 3 to 64", 224, 3, 64, 7, 2, F),    layer("1x1, 56, 64 to 64", 56, 64, 64, 1, 1, F),
        layer("3x3, 56, 64 to 64", 56, 64, 64, 3, 1, F),       layer("1x1, 56, 64 to 256", 56, 64, 256, 1, 1, F),
        layer("1x1, 56, 256 to 64", 56, 256, 64, 1, 1, F),     layer("3x3 s2, 56, 128 to 128", 56, 128, 128, 3, 2, F),
        layer("1x1, 28, 128 to 512", 28, 128, 512, 1, 1, F),   layer("3x3, 28, 128 to 128", 28, 128, 128, 3, 1, F),
        layer("1x1, 28, 512 to 128", 28, 512, 128, 1, 1, F),   layer("3x3, 14, 256 to 256", 14, 256, 256, 3, 1, F),
        layer("1x1, 14, 256 to 1024", 14, 256, 1024, 1, 1, F), layer("1x1, 14, 1024 to 256", 14, 1024, 256, 1, 1, F),
        layer("3x3, 7, 512 to 512", 7, 512, 512, 3, 1, F),     layer("1x1, 7, 512 to 2048", 7, 512, 2048, 1, 1, F),
        layer("1x1, 7, 2048 to 512", 7, 2048, 512, 1, 1, F),
    };
};

} // namespace tarn_bench
