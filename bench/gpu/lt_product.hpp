// SPDX-License-Identifier: MIT
// A matrix product by cuBLASLt, the fastest of what its heuristics offer: what own products are compared with.
// Used by the timings of products. Knows cuBLASLt; nothing of tarn's kernels.
#pragma once

#include "report.hpp"

#include <cublasLt.h>

namespace tarn_bench {

inline void must(cublasStatus_t answer, const char* call) {
    if (answer != CUBLAS_STATUS_SUCCESS) throw Fault{std::string(call) + ": " + cublasLtGetStatusString(answer)};
}

/// y [rows, columns] = x [rows, depth] w [depth, columns], row by row in memory, y in float. The library counts columns
/// first, so it makes y^T = w^T x^T and nothing is transposed.
class LtProduct {
  public:
    static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
    static constexpr int most_algorithms = 8;

    /// factors: the type in which x and w lie. bias: [columns] floats on the card, or none.
    LtProduct(int rows, int depth, int columns, cublasComputeType_t compute, cudaDataType_t factors, const float* bias)
        : workspace_(workspace_bytes) {
        must(cublasLtCreate(&handle_), "cublasLtCreate");
        must(cublasLtMatmulDescCreate(&product_, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
        if (bias != nullptr) {
            set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
            set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
        }
        const auto lay = [](cublasLtMatrixLayout_t& layout, cudaDataType_t type, int down, int across) {
            must(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(down),
                                            static_cast<std::uint64_t>(across), down),
                 "cublasLtMatrixLayoutCreate");
        };
        lay(weight_, factors, columns, depth);
        lay(in_, factors, depth, rows);
        lay(out_, CUDA_R_32F, columns, rows);
    }
    LtProduct(const LtProduct&) = delete;
    LtProduct& operator=(const LtProduct&) = delete;
    ~LtProduct() {
        for (const cublasLtMatrixLayout_t layout : {weight_, in_, out_})
            if (layout != nullptr) static_cast<void>(cublasLtMatrixLayoutDestroy(layout));
        if (product_ != nullptr) static_cast<void>(cublasLtMatmulDescDestroy(product_));
        if (handle_ != nullptr) static_cast<void>(cublasLtDestroy(handle_));
    }

    /// Tries each algorithm and keeps the fastest. False where there is none.
    bool choose(const Stream& stream, const void* in, const void* weight, float* out) {
        cublasLtMatmulHeuristicResult_t found[most_algorithms]{};
        const int count = offers(found);
        double best = HUGE_VAL;
        for (int i = 0; i < count; ++i) {
            if (found[i].state != CUBLAS_STATUS_SUCCESS) continue;
            const cublasLtMatmulAlgo_t kept = std::exchange(algorithm_, found[i].algo);
            double ms = HUGE_VAL;
            if (run(stream, in, weight, out) == CUBLAS_STATUS_SUCCESS)
                ms = quick_ms(stream, [&] { enqueue(stream, in, weight, out); });
            if (ms < best)
                best = ms;
            else
                algorithm_ = kept;
        }
        return best < HUGE_VAL;
    }
    /// The first that the heuristics offer, as a plan that does not measure takes it. False where there is none.
    bool take_first() {
        cublasLtMatmulHeuristicResult_t found[most_algorithms]{};
        if (offers(found) == 0) return false;
        algorithm_ = found[0].algo;
        return true;
    }
    cublasStatus_t run(cudaStream_t stream, const void* in, const void* weight, float* out) const {
        const float one = 1.F, zero = 0.F;
        return cublasLtMatmul(handle_, product_, &one, weight, weight_, in, in_, &zero, out, out_, out, out_,
                              &algorithm_, workspace_.get(), workspace_bytes, stream);
    }
    void enqueue(cudaStream_t stream, const void* in, const void* weight, float* out) const {
        must(run(stream, in, weight, out), "cublasLtMatmul");
    }

  private:
    template <class T> void set(cublasLtMatmulDescAttributes_t what, const T& value) {
        must(cublasLtMatmulDescSetAttribute(product_, what, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
    }
    int offers(cublasLtMatmulHeuristicResult_t (&found)[most_algorithms]) const {
        cublasLtMatmulPreference_t wish = nullptr;
        must(cublasLtMatmulPreferenceCreate(&wish), "cublasLtMatmulPreferenceCreate");
        const std::uint64_t bytes = workspace_bytes;
        must(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes),
             "cublasLtMatmulPreferenceSetAttribute");
        int count = 0;
        const cublasStatus_t answer = cublasLtMatmulAlgoGetHeuristic(handle_, product_, weight_, in_, out_, out_, wish,
                                                                     most_algorithms, found, &count);
        static_cast<void>(cublasLtMatmulPreferenceDestroy(wish));
        return answer == CUBLAS_STATUS_SUCCESS ? count : 0;
    }
    template <class Enqueue> static double quick_ms(const Stream& stream, const Enqueue& enqueue) {
        const Event first, last;
        enqueue();
        first.record(stream);
        for (int i = 0; i < 5; ++i) enqueue();
        last.record(stream);
        last.wait();
        return last.ms_since(first) / 5;
    }

    DeviceBlock workspace_;
    cublasLtHandle_t handle_ = nullptr;
    cublasLtMatmulDesc_t product_ = nullptr;
    cublasLtMatrixLayout_t weight_ = nullptr, in_ = nullptr, out_ = nullptr;
    cublasLtMatmulAlgo_t algorithm_{};
};

} // namespace tarn_bench
