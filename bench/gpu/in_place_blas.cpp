// SPDX-License-Identifier: MIT
// cuBLAS and cuBLASLt with an output on an input, operation by operation. One part of bench/gpu.
// Compiled without nvcc. Knows both libraries; nothing of tarn's kernels.
#include "in_place_trial.hpp"
#include "lt_product.hpp"

#include <cublas_v2.h>

namespace {

using namespace tarn_bench;

std::string text_of(cublasStatus_t answer) {
    return answer == CUBLAS_STATUS_SUCCESS ? "" : cublasGetStatusString(answer);
}

class Blas {
  public:
    explicit Blas(const Stream& stream) : workspace_(std::size_t{32} << 20) {
        must(cublasCreate(&handle_), "cublasCreate");
        must(cublasSetStream(handle_, stream), "cublasSetStream");
        must(cublasSetWorkspace(handle_, workspace_.get(), workspace_.bytes()), "cublasSetWorkspace");
    }
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;
    ~Blas() { static_cast<void>(cublasDestroy(handle_)); }
    operator cublasHandle_t() const { return handle_; }

  private:
    DeviceBlock workspace_;
    cublasHandle_t handle_ = nullptr;
};

std::vector<float> matrix(int rows, int columns, unsigned seed, float most = 1.F) {
    return random_floats(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), seed, most);
}
std::size_t elems_of(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}
std::string sized(const char* what, int a, int b) {
    return std::string(what) + ", " + std::to_string(a) + " x " + std::to_string(b);
}

/// D = A B as the library counts: A is the weights, [size, size], B the rows of x, [size, rows].
void try_lt(Report& report, const Stream& stream, int rows, int size, cublasComputeType_t compute,
            const char* factors) {
    for (const bool on_weights : {true, false}) {
        if (on_weights && rows != size) continue; // not of one shape
        const std::string name =
            sized(on_weights ? "cublasLtMatmul, D on A" : "cublasLtMatmul, D on B", size, rows) + ", " + factors;
        report.attempt(name, [&] {
            LtProduct product(rows, size, size, compute, CUDA_R_32F, nullptr);
            const bool offered = product.take_first();
            const float most = std::sqrt(3.F / static_cast<float>(size));
            try_in_place(report, stream,
                         {name,
                          "silent",
                          {matrix(size, size, 1, most), matrix(rows, size, 2)},
                          on_weights ? 0U : 1U,
                          elems_of(rows, size),
                          [&](const std::vector<float*>& in, float* out) {
                              if (!offered) return std::string("no algorithm is offered");
                              return text_of(product.run(stream, in[1], in[0], out));
                          }});
        });
    }
}

void try_gemm(Report& report, const Stream& stream, const Blas& blas, int rows, int size) {
    const float one = 1.F, zero = 0.F;
    const auto run = [&](const std::vector<float*>& in, float* out) {
        return text_of(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, size, rows, size, &one, in[0], size, in[1], size,
                                   &zero, out, size));
    };
    const std::vector<std::vector<float>> inputs{matrix(size, size, 3), matrix(size, rows, 4)};
    if (rows == size)
        try_in_place(report, stream,
                     {sized("cublasSgemm, C on A", size, rows), "silent", inputs, 0, elems_of(size, rows), run});
    try_in_place(report, stream,
                 {sized("cublasSgemm, C on B", size, rows), "silent", inputs, 1, elems_of(size, rows), run});
}

void try_geam(Report& report, const Stream& stream, const Blas& blas, int size) {
    const float one = 1.F, two = 2.F;
    const std::vector<std::vector<float>> inputs{matrix(size, size, 5), matrix(size, size, 6)};
    const auto run = [&](cublasOperation_t a, cublasOperation_t b) {
        return [&blas, &one, &two, size, a, b](const std::vector<float*>& in, float* out) {
            return text_of(cublasSgeam(blas, a, b, size, size, &one, in[0], size, &two, in[1], size, out, size));
        };
    };
    const auto trial = [&](const char* name, const char* documented, std::size_t shared, auto work) {
        try_in_place(report, stream, {sized(name, size, size), documented, inputs, shared, elems_of(size, size), work});
    };
    trial("cublasSgeam, C on A", "allowed", 0, run(CUBLAS_OP_N, CUBLAS_OP_N));
    trial("cublasSgeam, C on B", "allowed", 1, run(CUBLAS_OP_N, CUBLAS_OP_N));
    trial("cublasSgeam, C on transposed A", "forbidden", 0, run(CUBLAS_OP_T, CUBLAS_OP_N));
    trial("cublasSgeam, C on transposed B", "forbidden", 1, run(CUBLAS_OP_N, CUBLAS_OP_T));
}

void try_trmm(Report& report, const Stream& stream, const Blas& blas, int size) {
    const float one = 1.F;
    const std::vector<std::vector<float>> inputs{matrix(size, size, 7, std::sqrt(3.F / static_cast<float>(size))),
                                                 matrix(size, size, 8)};
    const auto run = [&](const std::vector<float*>& in, float* out) {
        return text_of(cublasStrmm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                                   size, size, &one, in[0], size, in[1], size, out, size));
    };
    try_in_place(report, stream,
                 {sized("cublasStrmm, C on B", size, size), "allowed", inputs, 1, elems_of(size, size), run});
    try_in_place(report, stream,
                 {sized("cublasStrmm, C on A", size, size), "forbidden", inputs, 0, elems_of(size, size), run});
}

void try_others(Report& report, const Stream& stream, const Blas& blas, int size) {
    const float one = 1.F, zero = 0.F;
    const std::vector<float> square = matrix(size, size, 9, std::sqrt(3.F / static_cast<float>(size)));
    const std::vector<float> other = matrix(size, size, 10), line = matrix(size, 1, 11);
    const auto symm = [&](const std::vector<float*>& in, float* out) {
        return text_of(cublasSsymm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, size, size, &one, in[0], size, in[1],
                                   size, &zero, out, size));
    };
    const auto dgmm = [&](const std::vector<float*>& in, float* out) {
        return text_of(cublasSdgmm(blas, CUBLAS_SIDE_LEFT, size, size, in[0], size, in[1], 1, out, size));
    };
    const auto gemv = [&](const std::vector<float*>& in, float* out) {
        return text_of(cublasSgemv(blas, CUBLAS_OP_N, size, size, &one, in[0], size, in[1], 1, &zero, out, 1));
    };
    try_in_place(report, stream,
                 {sized("cublasSsymm, C on B", size, size), "silent", {square, other}, 1, elems_of(size, size), symm});
    try_in_place(report, stream,
                 {sized("cublasSdgmm, C on A", size, size), "silent", {square, line}, 0, elems_of(size, size), dgmm});
    try_in_place(report, stream,
                 {sized("cublasSgemv, y on x", size, size), "silent", {square, line}, 1, line.size(), gemv});
}

/// A transposition by cuBLASLt: what would be an in-place change of layout.
void try_transform(Report& report, const Stream& stream, int size) {
    cublasLtHandle_t handle = nullptr;
    must(cublasLtCreate(&handle), "cublasLtCreate");
    cublasLtMatrixTransformDesc_t how = nullptr;
    must(cublasLtMatrixTransformDescCreate(&how, CUDA_R_32F), "cublasLtMatrixTransformDescCreate");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    must(cublasLtMatrixTransformDescSetAttribute(how, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &transposed,
                                                 sizeof transposed),
         "cublasLtMatrixTransformDescSetAttribute");
    cublasLtMatrixLayout_t layout = nullptr;
    const auto side = static_cast<std::uint64_t>(size);
    must(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, side, side, size), "cublasLtMatrixLayoutCreate");
    const float one = 1.F, zero = 0.F;
    try_in_place(report, stream,
                 {sized("cublasLtMatrixTransform, C on transposed A", size, size),
                  "silent",
                  {matrix(size, size, 12)},
                  0,
                  elems_of(size, size),
                  [&](const std::vector<float*>& in, float* out) {
                      return text_of(cublasLtMatrixTransform(handle, how, &one, in[0], layout, &zero, nullptr, nullptr,
                                                             out, layout, stream));
                  }});
    static_cast<void>(cublasLtMatrixLayoutDestroy(layout));
    static_cast<void>(cublasLtMatrixTransformDescDestroy(how));
    static_cast<void>(cublasLtDestroy(handle));
}

} // namespace

int main(int argc, char** argv) {
    return run_part("cuBLAS with an output on an input", argc, argv, [](Report& report) {
        const Stream stream;
        const Blas blas(stream);
        for (const int size : {32, 256, 1024, 2048}) {
            try_lt(report, stream, size, size, CUBLAS_COMPUTE_32F, "f32");
            try_lt(report, stream, size, size, CUBLAS_COMPUTE_32F_FAST_TF32, "tf32");
            try_gemm(report, stream, blas, size, size);
        }
        try_lt(report, stream, 1, 1024, CUBLAS_COMPUTE_32F, "f32");
        try_lt(report, stream, 16, 1024, CUBLAS_COMPUTE_32F, "f32");
        try_gemm(report, stream, blas, 16, 1024);
        for (const int size : {32, 1024}) {
            try_geam(report, stream, blas, size);
            try_trmm(report, stream, blas, size);
            try_others(report, stream, blas, size);
            report.attempt("cublasLtMatrixTransform", [&] { try_transform(report, stream, size); });
        }
    });
}
