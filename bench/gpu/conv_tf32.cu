// SPDX-License-Identifier: MIT
// ResNet-50's convolutions with factors in tf32, as kernels. Beside the other conv_*.cu. Knows the list.
#include "conv_list.cuh"

void tarn_bench::time_conv_tf32(Report& report) {
    time_list<ResNetLayers<tarn::cuda::Factor::tf32>>(
        [&](const ProductCase& one, const OwnProduct& own) { time_conv(report, one, own); });
}
