// SPDX-License-Identifier: MIT
// Own matrix products, apart, in place and by row panels, beside cuBLASLt at equal factors. One part of bench/gpu.
// Compiled without nvcc. Knows how products are timed; the kernels are gemm_*.cu's.
#include "lt_product.hpp"
#include "own_product.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace tarn_bench {

namespace {

using tarn::cuda::Factor;

struct Kind {
    const char* name;
    cublasComputeType_t compute;
    cudaDataType_t native; ///< the type that the library has such factors in
    double agrees;         ///< how far two ways of rounding may be apart, of sums about 1
};
Kind kind_of(Factor factor) {
    switch (factor) {
    case Factor::tf32:
        return {"tf32", CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, 2e-2};
    case Factor::bf16:
        return {"bf16", CUBLAS_COMPUTE_32F_FAST_16BF, CUDA_R_16BF, 1e-1};
    case Factor::f16:
        return {"f16", CUBLAS_COMPUTE_32F_FAST_16F, CUDA_R_16F, 2e-2};
    default:
        return {"f32", CUBLAS_COMPUTE_32F, CUDA_R_32F, 1e-3};
    }
}

std::vector<std::uint16_t> halved(const std::vector<float>& values, cudaDataType_t type) {
    std::vector<std::uint16_t> made;
    made.reserve(values.size());
    for (const float value : values)
        made.push_back(type == CUDA_R_16BF ? static_cast<__nv_bfloat16_raw>(__float2bfloat16(value)).x
                                           : static_cast<__half_raw>(__float2half(value)).x);
    return made;
}

/// Factors already in 16 bits, sums and result in float, no bias: what the library does with half the bytes.
double native_ms(const Stream& stream, const OwnProduct& own, cudaDataType_t type, const std::vector<float>& x,
                 const std::vector<float>& w) {
    if (type == CUDA_R_32F) return 0.0;
    const std::vector<std::uint16_t> x16 = halved(x, type), w16 = halved(w, type);
    const DeviceBlock in(x16.size() * 2), weight(w16.size() * 2);
    in.upload(x16.data(), in.bytes());
    weight.upload(w16.data(), weight.bytes());
    const DeviceBlock out(static_cast<std::size_t>(own.rows) * static_cast<std::size_t>(own.columns) * sizeof(float));
    LtProduct library(own.rows, own.depth, own.columns, CUBLAS_COMPUTE_32F, type, nullptr);
    if (!library.choose(stream, in.get(), weight.get(), out.floats())) return 0.0;
    return device_ms(stream, [&] { library.enqueue(stream, in.get(), weight.get(), out.floats()); });
}

/// Runs a form on a fresh copy of x, over it or apart, and compares; then times it, on its own results where in place.
struct Timed {
    double ms = 0.0, difference = 0.0;
};
Timed timed(const Stream& stream, const OwnKernel& kernel, const DeviceBlock& x, const DeviceBlock& weights,
            std::size_t out_elems, bool in_place, const std::vector<float>& expected) {
    const OwnLaunch launch(kernel);
    if (!launch.possible()) return {};
    const DeviceBlock in(std::max(x.bytes(), out_elems * sizeof(float))), apart(out_elems * sizeof(float));
    in.copy_from(x);
    apart.poison();
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // the stream waits for no other
    const DeviceBlock& out = in_place ? in : apart;
    const auto enqueue = [&] { launch.enqueue(stream, in.floats(), out.floats(), weights.get()); };
    enqueue();
    stream.wait();
    const double difference = worst_difference(expected, out.download(out_elems));
    return {device_ms(stream, enqueue), difference};
}

void time_product(Report& report, const ProductCase& one, const OwnProduct& own) {
    const Kind kind = kind_of(one.factor);
    const auto rows = static_cast<std::size_t>(own.rows), depth = static_cast<std::size_t>(own.depth),
               columns = static_cast<std::size_t>(own.columns);
    if (own.column_pitch != own.columns) throw Fault{"columns are not whole float4s"};
    const Stream stream;
    const std::vector<float> x = random_floats(rows * depth, 1);
    // Sums of the size of what was summed: in place, results are the next run's inputs.
    const std::vector<float> w = random_floats(depth * columns, 2, std::sqrt(2.9F / static_cast<float>(own.depth)));
    const std::vector<float> bias = random_floats(columns, 3, 0.1F);
    const DeviceBlock in(x), weights(own.packed_bytes), out(rows * columns * sizeof(float));
    must(cudaMemset(weights.get(), 0, weights.bytes()), "cudaMemset");
    weights.upload(w);
    auto* const bias_on_card = reinterpret_cast<float*>(static_cast<unsigned char*>(weights.get()) + own.bias_at);
    must(cudaMemcpy(bias_on_card, bias.data(), columns * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // the stream waits for no other

    LtProduct library(own.rows, own.depth, own.columns, kind.compute, CUDA_R_32F, bias_on_card);
    if (!library.choose(stream, in.get(), weights.get(), out.floats())) throw Fault{"cuBLASLt has no algorithm"};
    library.enqueue(stream, in.get(), weights.get(), out.floats());
    stream.wait();
    const std::vector<float> expected = out.download(rows * columns);
    const double library_ms =
        device_ms(stream, [&] { library.enqueue(stream, in.get(), weights.get(), out.floats()); });

    const Timed apart = timed(stream, own.apart, in, weights, rows * columns, false, expected);
    const Timed held = timed(stream, own.held, in, weights, rows * columns, true, expected);
    const Timed panel = timed(stream, own.panel, in, weights, rows * columns, true, expected);
    const double native = native_ms(stream, own, kind.native, x, w);
    const double worst = std::max({apart.difference, held.difference, panel.difference});
    report.judge(std::string(one.name) + ", " + kind.name,
                 {ms_figure("apart_ms", apart.ms),
                  ms_figure("held_in_place_ms", held.ms),
                  ms_figure("panel_in_place_ms", panel.ms),
                  ms_figure("cuBLASLt_ms", library_ms),
                  ms_figure("cuBLASLt_16_bit_ms", native),
                  tflops_figure("apart_TFLOPs", own.flops(), apart.ms),
                  tflops_figure("held_TFLOPs", own.flops(), held.ms),
                  tflops_figure("cuBLASLt_TFLOPs", own.flops(), library_ms),
                  ratio_figure("apart_over_cuBLASLt", apart.ms, library_ms),
                  ratio_figure("held_over_cuBLASLt", held.ms, library_ms),
                  ratio_figure("held_over_apart", held.ms, apart.ms),
                  {"worst_difference", worst}},
                 worst <= kind.agrees, apart.ms > 0.0 || held.ms > 0.0 || panel.ms > 0.0);
}

} // namespace

void time_gemm(Report& report, const ProductCase& one, const OwnProduct& own) {
    report.attempt(std::string(one.name) + ", " + kind_of(one.factor).name, [&] { time_product(report, one, own); });
}

} // namespace tarn_bench

int main(int argc, char** argv) {
    using namespace tarn_bench;
    return run_part("matrix products M x K x N: own kernels beside cuBLASLt", argc, argv, [](Report& report) {
        time_gemm_f32(report);
        time_gemm_tf32(report);
        time_gemm_bf16(report);
        time_gemm_f16(report);
    });
}
