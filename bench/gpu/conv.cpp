// SPDX-License-Identifier: MIT
// Own convolutions, apart and in place, beside cuDNN on the layers of ResNet-50, batch one. One part of bench/gpu.
// Compiled without nvcc. Knows how products are timed; the kernels are conv_*.cu's.
#include "conv_vendor.hpp"
#include "own_product.hpp"

namespace tarn_bench {

namespace {

double own_ms(const Stream& stream, const OwnKernel& kernel, const std::vector<float>& x, const DeviceBlock& weights,
              std::size_t out_elems, bool in_place, std::vector<float>& result) {
    const OwnLaunch launch(kernel);
    if (!launch.possible()) return 0.0;
    const DeviceBlock in(std::max(x.size(), out_elems) * sizeof(float)), apart(out_elems * sizeof(float));
    in.upload(x);
    apart.poison();
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // the stream waits for no other
    const DeviceBlock& out = in_place ? in : apart;
    const auto enqueue = [&] { launch.enqueue(stream, in.floats(), out.floats(), weights.get()); };
    enqueue();
    stream.wait();
    result = out.download(out_elems);
    return device_ms(stream, enqueue);
}

void time_layer(Report& report, const ProductCase& one, const OwnProduct& own) {
    const tarn::Op& op = one.op;
    const bool tf32 = one.factor == tarn::cuda::Factor::tf32;
    const Stream stream;
    const std::vector<float> x = random_floats(op.in.elems(), 1);
    // Sums no larger than what was summed: in place, results are the next run's inputs.
    const std::vector<float> weight =
        random_floats(static_cast<std::size_t>(own.depth) * static_cast<std::size_t>(own.columns), 2,
                      std::sqrt(2.9F / static_cast<float>(own.depth)));
    tarn::RawWeights raw;
    raw.weight = weight.data();
    const std::vector<unsigned char> packed = own.pack(raw);
    const DeviceBlock weights(packed.size());
    weights.upload(packed.data(), packed.size());

    std::vector<float> apart, held;
    const double apart_ms = own_ms(stream, own.apart, x, weights, op.out.elems(), false, apart);
    const double held_ms = own_ms(stream, own.held, x, weights, op.out.elems(), true, held);
    const VendorConv vendor = vendor_conv(stream, op, x, weight, tf32);
    const double own_difference = held.empty() ? 0.0 : worst_difference(apart, held);
    const double difference = vendor.result.empty() ? 0.0 : worst_difference(vendor.result, apart);
    report.judge(std::string(one.name) + (tf32 ? ", tf32" : ", f32"),
                 {ms_figure("apart_ms", apart_ms),
                  ms_figure("held_in_place_ms", held_ms),
                  ms_figure("cuDNN_ms", vendor.ms),
                  Figure::said("cuDNN_how", vendor.how),
                  tflops_figure("apart_TFLOPs", own.flops(), apart_ms),
                  tflops_figure("cuDNN_TFLOPs", own.flops(), vendor.ms),
                  ratio_figure("apart_over_cuDNN", apart_ms, vendor.ms),
                  ratio_figure("held_over_cuDNN", held_ms, vendor.ms),
                  ratio_figure("held_over_apart", held_ms, apart_ms),
                  {"held_difference", own_difference},
                  vendor.result.empty() ? Figure::missing("cuDNN_difference") : Figure{"cuDNN_difference", difference}},
                 own_difference <= 1e-5 && difference <= (tf32 ? 2e-2 : 1e-3), !held.empty() || !vendor.result.empty());
}

} // namespace

void time_conv(Report& report, const ProductCase& one, const OwnProduct& own) {
    report.attempt(one.name, [&] { time_layer(report, one, own); });
}

} // namespace tarn_bench

int main(int argc, char** argv) {
    using namespace tarn_bench;
    return run_part("convolutions of ResNet-50: own kernels beside cuDNN", argc, argv, [](Report& report) {
        time_conv_f32(report);
        time_conv_tf32(report);
    });
}
