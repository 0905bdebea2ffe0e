// SPDX-License-Identifier: MIT
// Bodies that are no whole layer, on a card: what follows a library's convolution, and the largest value of each row.
// Beside bodies_*.cu. Knows both bodies; computes what is expected itself.
#include "body_case.hpp"

#include <tarn/cuda/argmax.hpp>
#include <tarn/cuda/filter.hpp>
#include <tarn/cuda/kernel.cuh>
#include <tarn/reference/layers.hpp>

#include <memory>

using namespace tarn;
using namespace tarn_test;

namespace tarn_bench {

namespace {

constexpr int threads_each = 256;

/// Bias, sum and activation on the sums that a library has left.
struct Finishing {
    static constexpr int threads = threads_each;
    static constexpr Op op =
        tarn::cuda::kernel_key(fused(conv_op(extents_of(13, 11, 8), 21, window_of(3, 1, 1)), true, Activation::silu));
    using Body = tarn::cuda::Finish<op, threads>;

    template <class Context>
    TARN_DEVICE static void run(const Context& context, const float* other, float* out, const void* weights) {
        Body::run(context, other, out, *static_cast<const typename Body::Packed*>(weights));
    }
};

/// A template, since nvcc 13 cannot write down in a function of its own a type that has an Op in it.
template <class Work> void check_finish(Report& report) {
    using Packed = typename Work::Body::Packed;
    constexpr Op op = Work::op;
    const std::size_t elems = op.out.elems(), channels = static_cast<std::size_t>(op.out.last());
    const std::vector<float> sums = random_floats(elems, 1, 3.F), other = random_floats(elems, 2);
    const std::vector<float> bias = random_floats(channels, 3);
    const auto packed = std::make_unique<Packed>();
    std::copy(bias.begin(), bias.end(), packed->bias);
    std::vector<double> expected(elems);
    for (std::size_t i = 0; i < elems; ++i)
        expected[i] = reference::activate(op.act, double{sums[i]} + double{bias[i % channels]} + double{other[i]},
                                          double{op.act_parameter()});
    const DeviceBlock out(sums), second(other), weights(sizeof(Packed));
    weights.upload(packed.get(), sizeof(Packed));
    tarn::cuda::kernel<Work><<<3, threads_each>>>(static_cast<const float*>(second.floats()), out.floats(),
                                                  static_cast<const void*>(weights.get()));
    must(cudaGetLastError(), "finish");
    const double worst = worst_difference(expected, out.download(elems));
    report.judge("bias, sum and silu behind a library's convolution",
                 {{"worst_difference", worst}, {"tolerance", 1e-5}}, worst <= 1e-5);
}

constexpr int rows = 37, features = 1001, pitch = 1010;
using Largest = tarn::cuda::Argmax<rows, features, pitch, threads_each>;

void check_argmax(Report& report) {
    const std::vector<float> scores = random_floats(std::size_t{rows} * pitch, 5);
    const DeviceBlock in(scores), out(std::size_t{rows} * sizeof(float));
    out.poison();
    tarn::cuda::kernel<Largest><<<3, threads_each, Largest::shared_bytes>>>(static_cast<const float*>(in.floats()),
                                                                            static_cast<int*>(out.get()));
    must(cudaGetLastError(), "argmax");
    std::vector<int> found(rows);
    must(cudaMemcpy(found.data(), out.get(), found.size() * sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
    int wrong = 0;
    for (int row = 0; row < rows; ++row) {
        const auto first = scores.begin() + row * pitch;
        wrong += std::max_element(first, first + features) - first != found[static_cast<std::size_t>(row)] ? 1 : 0;
    }
    report.judge("argmax of 37 rows of 1001", {{"wrong_rows", static_cast<double>(wrong)}}, wrong == 0);
}

} // namespace

void check_bodies_beside(Report& report) {
    report.attempt("finish", [&] { check_finish<Finishing>(report); });
    report.attempt("argmax", [&] { check_argmax(report); });
}

} // namespace tarn_bench
