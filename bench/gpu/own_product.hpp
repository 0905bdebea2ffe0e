// SPDX-License-Identifier: MIT
// tarn's kernels for dense layers as host code sees them, to be timed beside a vendor's: apart, in place with every sum
// held for a barrier of the grid, and in place as a panel of rows.
// Between own_product.cuh and the timings. Knows the runtime and Ops; nothing of bodies.
#pragma once

#include "report.hpp"

#include "kernels/some_ops.hpp"

#include <tarn/cuda/context.hpp>

namespace tarn_bench {

/// One line of a list. panel_rows: 0 where rows of the two widths are not of one pitch.
struct ProductCase {
    const char* name;
    tarn::Op op;
    tarn::cuda::Factor factor = tarn::cuda::Factor::f32;
    int panel_rows = 0;
};

/// A kernel and its grid's needs; none where a form is not possible.
struct OwnKernel {
    const void* kernel = nullptr;
    int threads = 0;
    std::size_t shared_bytes = 0;
    int held = 0;        ///< cooperative, of at least so many blocks
    int most_blocks = 0; ///< more have nothing to do
};

/// All forms of a layer. Packed weights: the products' factor [depth][column_pitch] first, the bias behind it.
struct OwnProduct {
    OwnKernel apart, held, panel;
    std::size_t packed_bytes = 0, bias_at = 0; ///< bias_at: bytes
    int rows = 0, depth = 0, columns = 0, column_pitch = 0;
    std::vector<unsigned char> (*pack)(const tarn::RawWeights&) = nullptr;

    double flops() const { return 2.0 * rows * depth * columns; }
};

/// A kernel ready to be launched on this card: as many blocks as are resident and have something to do.
class OwnLaunch {
  public:
    explicit OwnLaunch(const OwnKernel& kernel) : kernel_(kernel) {
        if (kernel.kernel == nullptr) return;
        must(cudaFuncSetAttribute(kernel.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kernel.shared_bytes)),
             "cudaFuncSetAttribute");
        int each = 0;
        must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel.kernel, kernel.threads, kernel.shared_bytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        const int resident = each * multiprocessors();
        if (resident < std::max(kernel.held, 1)) return;
        blocks_ = std::max(std::min(kernel.most_blocks, resident), kernel.held);
    }
    /// Whether there is such a form, and the card holds its grid.
    bool possible() const { return blocks_ > 0; }
    void enqueue(cudaStream_t stream, const float* in, float* out, const void* weights) const {
        cudaLaunchAttribute cooperative{};
        cooperative.id = cudaLaunchAttributeCooperative;
        cooperative.val.cooperative = 1;
        cudaLaunchConfig_t how{};
        how.gridDim = dim3(static_cast<unsigned>(blocks_));
        how.blockDim = dim3(static_cast<unsigned>(kernel_.threads));
        how.dynamicSmemBytes = kernel_.shared_bytes;
        how.stream = stream;
        how.attrs = &cooperative;
        how.numAttrs = kernel_.held > 0 ? 1 : 0;
        const float* other = nullptr;
        void* arguments[] = {&in, &other, &out, &weights};
        must(cudaLaunchKernelExC(&how, kernel_.kernel, arguments), "cudaLaunchKernelExC");
    }

  private:
    OwnKernel kernel_;
    int blocks_ = 0;
};

/// Times of a form, as a figure or none.
inline Figure ms_figure(const char* column, double ms) {
    return ms > 0.0 ? Figure{column, ms} : Figure::missing(column);
}
inline Figure ratio_figure(const char* column, double above, double below) {
    return above > 0.0 && below > 0.0 ? Figure{column, above / below} : Figure::missing(column);
}
inline Figure tflops_figure(const char* column, double flops, double ms) {
    return ms > 0.0 ? Figure{column, flops / ms / 1e9} : Figure::missing(column);
}

void time_gemm(Report& report, const ProductCase& one, const OwnProduct& own);
void time_conv(Report& report, const ProductCase& one, const OwnProduct& own);

void time_gemm_f32(Report& report);
void time_gemm_tf32(Report& report);
void time_gemm_bf16(Report& report);
void time_gemm_f16(Report& report);
void time_conv_f32(Report& report);
void time_conv_tf32(Report& report);

} // namespace tarn_bench
