// SPDX-License-Identifier: MIT
// Classifies the held-out digits on a card in every mode: accuracy, agreement with the processor, memory, latency.
// Compiled without nvcc, linked with kernels.cu. usage: cuda_digits [folder of the .safetensors files]. Exits 77
// without a card. Knows the public face only.
#include "cuda_digits.hpp"

#include "../digits/held_out.hpp"

#include <tarn/device/report.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using Status = tarn::cuda::Status;

bool failed(const Status& status) {
    if (!status.ok()) std::fprintf(stderr, "%s: %s\n", status.call, status.text);
    return !status.ok();
}

/// An int on the card.
class DeviceLabel {
  public:
    ~DeviceLabel() { static_cast<void>(cudaFree(label_)); }
    Status allocate() {
        return Status::of(cudaMalloc(reinterpret_cast<void**>(&label_), sizeof *label_), "cudaMalloc");
    }
    int* get() const { return label_; }

  private:
    int* label_ = nullptr;
};

/// Image to label: the image goes to the card, the network runs there, the label comes back.
template <class M> class Classifier {
  public:
    Status open(const typename M::Weights& weights) {
        Status status = label_.allocate();
        if (status.ok()) status = session_.open(weights);
        return status.ok() ? session_.record() : status; // from here on one launch of a graph
    }
    Status classify(std::span<const float, 64> image, int& label) {
        const cudaStream_t stream = session_.stream();
        Status status = Status::of(
            cudaMemcpyAsync(session_.device_input(), image.data(), image.size_bytes(), cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
        if (status.ok()) status = session_.enqueue();
        if (status.ok())
            status = Status::of(enqueue_label(session_.device_output(), label_.get(), stream), "enqueue_label");
        if (status.ok())
            status = Status::of(cudaMemcpyAsync(&label, label_.get(), sizeof label, cudaMemcpyDeviceToHost, stream),
                                "cudaMemcpyAsync");
        return status.ok() ? session_.wait() : status;
    }
    Status scores(std::span<const float, 64> image, std::span<float, 10> scores) {
        return session_.forward(image, scores);
    }

  private:
    DeviceLabel label_;
    tarn::cuda::Session<M> session_;
};

template <class M> bool run(const char* mode, const std::string& weights_path, const HeldOut& test) {
    const auto weights = M::load(weights_path.c_str()); // the same file as on the processor
    const auto cpu_weights = Digits::load(weights_path.c_str());
    if (!weights || !cpu_weights) {
        std::fprintf(stderr, "%s\n", weights.error().c_str());
        return false;
    }
    static Digits::Session cpu{*cpu_weights};
    Classifier<M> classifier;
    if (failed(classifier.open(*weights))) return false;

    std::size_t right = 0;
    float worst = 0.F;
    for (std::size_t i = 0; i < test.count(); ++i) {
        int label = -1;
        float scores[10] = {};
        if (failed(classifier.classify(test.image(i), label)) || failed(classifier.scores(test.image(i), scores)))
            return false;
        right += static_cast<std::size_t>(label == test.labels[i]);
        const std::span<const float, 10> wanted = cpu.forward(test.image(i));
        for (std::size_t k = 0; k < 10; ++k) worst = std::max(worst, std::abs(scores[k] - wanted[k]));
    }

    constexpr int forwards = 10'000;
    std::vector<double> microseconds;
    microseconds.reserve(forwards);
    for (int i = 0; i < forwards; ++i) {
        int label = -1;
        const auto before = std::chrono::steady_clock::now();
        if (failed(classifier.classify(test.image(static_cast<std::size_t>(i) % test.count()), label))) return false;
        const auto after = std::chrono::steady_clock::now();
        microseconds.push_back(std::chrono::duration<double, std::micro>(after - before).count());
    }
    std::sort(microseconds.begin(), microseconds.end());
    std::printf("%-10s %6.2f %% right, %.1e from the processor's scores, arena %zu bytes, image to label p50 %.1f us, "
                "p99 %.1f us\n",
                mode, 100.0 * static_cast<double>(right) / static_cast<double>(test.count()),
                static_cast<double>(worst), M::device_arena_bytes, microseconds[forwards / 2],
                microseconds[forwards / 100 * 99]);
    return worst < 1e-3F;
}

} // namespace

int main(int argc, char** argv) {
    int devices = 0;
    if (const cudaError_t found = cudaGetDeviceCount(&devices); found != cudaSuccess || devices == 0) {
        std::printf("cuda_digits: no card (%s): skipped\n", cudaGetErrorString(found));
        return 77;
    }
    const std::string folder = argc > 1 ? argv[1] : TARN_SOURCE_DIR "/examples/digits";
    const std::string weights = folder + "/digits.safetensors";
    const HeldOut test = read_held_out(folder + "/digits_test.safetensors");
    if (test.count() == 0) return 1;
    using namespace tarn::cuda;
    std::printf("%s\n", tarn::device_report_text<DigitsOn<Best>>().c_str());
    const bool passed[] = {
        run<DigitsOn<InPlace>>("in place", weights, test), run<DigitsOn<OneLaunch>>("one launch", weights, test),
        run<DigitsOn<Library<>>>("library", weights, test), run<DigitsOn<Best>>("best", weights, test)};
    return std::all_of(std::begin(passed), std::end(passed), [](bool one) { return one; }) ? 0 : 1;
}
