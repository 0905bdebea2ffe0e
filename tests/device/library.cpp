// SPDX-License-Identifier: MIT
// cuBLASLt's functions that a session calls, on the processor, by the manual's definitions: matrices lie column by
// column, D = epilogue(alpha A B + beta C). Linked in the library's place; refuses what the manual does not allow.
// Beside runtime.hpp. Knows nothing of tarn.
#include "device/runtime.hpp"

#include <cmath>

using tarn_test::FakeCuda;
using tarn_test::put_on;

namespace {

struct Layout {
    std::uint64_t rows, columns;
    std::int64_t pitch;
    std::uint64_t span() const { return (columns - 1) * static_cast<std::uint64_t>(pitch) + rows; }
};
struct Product {
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const float* bias = nullptr;
};
struct Preference {
    std::uint64_t workspace = 0;
    std::uint32_t alignment[4] = {256, 256, 256, 256};
};
/// What stands in the opaque algorithm.
struct Chosen {
    std::uint64_t workspace;
    std::uint32_t alignment[4];
};

template <class T, class Handle> T& behind(Handle handle) { return *reinterpret_cast<T*>(handle); }

template <class T, class Handle, class... Values>
cublasStatus_t make(Handle* made, const char* name, Values... values) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails(name)) return CUBLAS_STATUS_ALLOC_FAILED;
    T* const object = new T{values...};
    cuda.library_objects.insert(object);
    *made = reinterpret_cast<Handle>(object);
    return CUBLAS_STATUS_SUCCESS;
}
template <class T, class Handle> cublasStatus_t drop(Handle handle) {
    if (FakeCuda::get().library_objects.erase(handle) != 1) return CUBLAS_STATUS_INVALID_VALUE;
    delete reinterpret_cast<T*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}

bool aligned(const void* at, std::uint32_t bytes) { return reinterpret_cast<std::uintptr_t>(at) % bytes == 0; }
bool apart(const float* a, std::uint64_t a_floats, const float* b, std::uint64_t b_floats) {
    return a + a_floats <= b || b + b_floats <= a;
}

} // namespace

extern "C" {

const char* cublasLtGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "an error of cuBLASLt";
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return make<int>(handle, "cublasLtCreate", 0); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return drop<int>(handle); }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
    if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
    return make<Product>(made, "cublasLtMatmulDescCreate");
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) { return drop<Product>(product); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t what,
                                              const void* value, size_t bytes) {
    if (FakeCuda::get().fails("cublasLtMatmulDescSetAttribute")) return CUBLAS_STATUS_INVALID_VALUE;
    Product& set = behind<Product>(product);
    if (what == CUBLASLT_MATMUL_DESC_EPILOGUE && bytes == sizeof set.epilogue)
        std::memcpy(&set.epilogue, value, bytes);
    else if (what == CUBLASLT_MATMUL_DESC_BIAS_POINTER && bytes == sizeof set.bias)
        std::memcpy(&set.bias, value, bytes);
    else
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t pitch) {
    if (type != CUDA_R_32F || static_cast<std::uint64_t>(pitch) < rows) return CUBLAS_STATUS_INVALID_VALUE;
    return make<Layout>(made, "cublasLtMatrixLayoutCreate", rows, columns, pitch);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return drop<Layout>(layout); }

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
    return make<Preference>(made, "cublasLtMatmulPreferenceCreate");
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t wish) { return drop<Preference>(wish); }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t wish,
                                                    cublasLtMatmulPreferenceAttributes_t what, const void* value,
                                                    size_t bytes) {
    if (FakeCuda::get().fails("cublasLtMatmulPreferenceSetAttribute")) return CUBLAS_STATUS_INVALID_VALUE;
    Preference& set = behind<Preference>(wish);
    if (what == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && bytes == sizeof set.workspace) {
        std::memcpy(&set.workspace, value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    const int operand = static_cast<int>(what) - static_cast<int>(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
    if (operand < 0 || operand > 3 || bytes != sizeof(std::uint32_t)) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&set.alignment[operand], value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/// Heuristics that want all the workspace there may be, and operands that lie as well as they may.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t wish, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int* found) {
    if (FakeCuda::get().fails("cublasLtMatmulAlgoGetHeuristic")) return CUBLAS_STATUS_NOT_SUPPORTED;
    const Preference& asked = behind<Preference>(wish);
    Chosen chosen{asked.workspace, {}};
    std::copy(std::begin(asked.alignment), std::end(asked.alignment), std::begin(chosen.alignment));
    static_assert(sizeof chosen <= sizeof results[0].algo);
    std::memcpy(&results[0].algo, &chosen, sizeof chosen);
    *found = wanted > 0 ? 1 : 0;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product, const void* alpha, const void* A,
                              cublasLtMatrixLayout_t a_layout, const void* B, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* C, cublasLtMatrixLayout_t c_layout, void* D,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cublasLtMatmul")) return CUBLAS_STATUS_EXECUTION_FAILED;
    const Layout la = behind<Layout>(a_layout), lb = behind<Layout>(b_layout), lc = behind<Layout>(c_layout),
                 ld = behind<Layout>(d_layout);
    const Product p = behind<Product>(product);
    const auto *const a = static_cast<const float*>(A), *const b = static_cast<const float*>(B);
    const auto* const c = static_cast<const float*>(C);
    auto* const d = static_cast<float*>(D);
    Chosen chosen{};
    std::memcpy(&chosen, algorithm, sizeof chosen);
    const bool shapes = la.columns == lb.rows && la.rows == ld.rows && lb.columns == ld.columns && lc.rows == ld.rows &&
                        lc.columns == ld.columns;
    const bool places =
        cuda.on_device(a, la.span() * 4) && cuda.on_device(b, lb.span() * 4) && cuda.on_device(c, lc.span() * 4) &&
        cuda.on_device(d, ld.span() * 4) && cuda.on_device(p.bias, ld.rows * 4) &&
        (workspace_bytes == 0 || (cuda.on_device(workspace, workspace_bytes) && aligned(workspace, 256)));
    const bool lies = aligned(a, chosen.alignment[0]) && aligned(b, chosen.alignment[1]) &&
                      aligned(c, chosen.alignment[2]) && aligned(d, chosen.alignment[3]);
    const bool disjoint = apart(d, ld.span(), a, la.span()) && apart(d, ld.span(), b, lb.span()) &&
                          (c == d ? lc.pitch == ld.pitch : apart(d, ld.span(), c, lc.span()));
    if (!shapes || !places || !lies || !disjoint || workspace_bytes < chosen.workspace)
        return CUBLAS_STATUS_INVALID_VALUE;
    const float factor = *static_cast<const float*>(alpha), kept = *static_cast<const float*>(beta);
    put_on(stream, cudaGraphNodeTypeKernel, [=] {
        if (workspace_bytes > 0) std::memset(workspace, 0xFF, workspace_bytes);
        for (std::uint64_t j = 0; j < ld.columns; ++j) {
            for (std::uint64_t i = 0; i < ld.rows; ++i) {
                const auto at = [](const Layout& l, std::uint64_t row, std::uint64_t column) {
                    return column * static_cast<std::uint64_t>(l.pitch) + row;
                };
                double sum = 0.0;
                for (std::uint64_t k = 0; k < la.columns; ++k)
                    sum += static_cast<double>(a[at(la, i, k)]) * static_cast<double>(b[at(lb, k, j)]);
                float y = factor * static_cast<float>(sum) + (kept == 0.F ? 0.F : kept * c[at(lc, i, j)]) + p.bias[i];
                if (p.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS) y = y < 0.F ? 0.F : y;
                d[at(ld, i, j)] = y;
            }
        }
    });
    return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
