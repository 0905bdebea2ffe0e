// SPDX-License-Identifier: MIT
// Matrix products with factors in f16, as kernels. Beside the other gemm_*.cu. Knows the list.
#include "gemm_list.cuh"

void tarn_bench::time_gemm_f16(Report& report) {
    const auto time = [&](const ProductCase& one, const OwnProduct& own) { time_gemm(report, one, own); };
    time_list<SmallProducts<tarn::cuda::Factor::f16>>(time);
    time_list<LargeProducts<tarn::cuda::Factor::f16>>(time);
}
