// SPDX-License-Identifier: MIT
// What every part of bench/gpu does with a card from host code: memory, a stream, times, answers checked.
// Under the parts. Knows CUDA's runtime; nothing of networks or kernels.
#pragma once

#include <tarn/device/status.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace tarn_bench {

/// Why a part could not go on; its rows so far remain.
struct Fault {
    std::string text;
};
inline void must(const tarn::cuda::Status& status) {
    if (!status.ok()) throw Fault{std::string(status.call) + ": " + status.text};
}
inline void must(cudaError_t answer, const char* call) { must(tarn::cuda::Status::of(answer, call)); }

/// Bytes on the card, 256-byte aligned.
class DeviceBlock {
  public:
    explicit DeviceBlock(std::size_t bytes) : bytes_(bytes) { must(cudaMalloc(&memory_, bytes), "cudaMalloc"); }
    explicit DeviceBlock(const std::vector<float>& values) : DeviceBlock(values.size() * sizeof(float)) {
        upload(values.data(), bytes_);
    }
    DeviceBlock(const DeviceBlock&) = delete;
    DeviceBlock& operator=(const DeviceBlock&) = delete;
    ~DeviceBlock() { static_cast<void>(cudaFree(memory_)); }

    std::size_t bytes() const { return bytes_; }
    void* get() const { return memory_; }
    float* floats() const { return static_cast<float*>(memory_); }
    void upload(const void* from, std::size_t bytes) const {
        if (bytes > 0) must(cudaMemcpy(memory_, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    void upload(const std::vector<float>& from) const { upload(from.data(), from.size() * sizeof(float)); }
    void copy_from(const DeviceBlock& other) const {
        must(cudaMemcpy(memory_, other.memory_, std::min(bytes_, other.bytes_), cudaMemcpyDeviceToDevice),
             "cudaMemcpy");
    }
    /// 0xFF in every byte: NaNs.
    void poison() const { must(cudaMemset(memory_, 0xFF, bytes_), "cudaMemset"); }
    std::vector<float> download(std::size_t count) const {
        std::vector<float> made(count);
        must(cudaMemcpy(made.data(), memory_, count * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
        return made;
    }

  private:
    void* memory_ = nullptr;
    std::size_t bytes_;
};

class Stream {
  public:
    Stream() { must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

    operator cudaStream_t() const { return stream_; }
    void wait() const { must(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  private:
    cudaStream_t stream_ = nullptr;
};

class Event {
  public:
    Event() { must(cudaEventCreate(&event_), "cudaEventCreate"); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { static_cast<void>(cudaEventDestroy(event_)); }

    void record(cudaStream_t stream) const { must(cudaEventRecord(event_, stream), "cudaEventRecord"); }
    void wait() const { must(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
    double ms_since(const Event& first) const {
        float ms = 0.F;
        must(cudaEventElapsedTime(&ms, first.event_, event_), "cudaEventElapsedTime");
        return static_cast<double>(ms);
    }

  private:
    cudaEvent_t event_ = nullptr;
};

/// The value below which a part of all lies; values in any order.
inline double quantile(std::vector<double> values, double part) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size()));
    return values[std::min(at, values.size() - 1)];
}
inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

/// Milliseconds of one enqueue() on the card: the median of nine stretches of about two milliseconds each, between
/// events, after a warm-up. What is enqueued must bear being run again on its own results.
template <class Enqueue> double device_ms(const Stream& stream, const Enqueue& enqueue) {
    Event first, last;
    const auto stretch = [&](int count) {
        first.record(stream);
        for (int i = 0; i < count; ++i) enqueue();
        last.record(stream);
        last.wait();
        return last.ms_since(first) / count;
    };
    static_cast<void>(stretch(2));
    const double once = std::max(stretch(3), 1e-3);
    const int count = std::clamp(static_cast<int>(2.0 / once), 1, 500);
    static_cast<void>(stretch(count));
    std::vector<double> times;
    for (int i = 0; i < 9; ++i) times.push_back(stretch(count));
    return median(times);
}

/// Nanoseconds of one call on the host, each timed by itself.
template <class Call> std::vector<double> host_ns(int count, const Call& call) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        const auto first = Clock::now();
        call();
        times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - first).count());
    }
    return times;
}

/// Values in [-most, most) on a grid of 2^24 steps, the same on every machine.
inline std::vector<float> random_floats(std::size_t count, unsigned seed, float most = 1.F) {
    std::mt19937 random(seed);
    std::vector<float> made(count);
    for (float& value : made) value = most * (static_cast<float>(random() >> 8) * 0x1p-23F - 1.F);
    return made;
}

/// The largest of |found - expected| / max(1, |expected|); infinite where there is a NaN.
template <class A, class B> double worst_difference(const A& expected, const B& found) {
    if (expected.size() != found.size()) return HUGE_VAL;
    double worst = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto want = static_cast<double>(expected[i]);
        const double off = std::abs(static_cast<double>(found[i]) - want) / std::max(1.0, std::abs(want));
        if (!(off <= worst)) worst = off == off ? off : HUGE_VAL; // a NaN is not smaller than anything
    }
    return worst;
}

inline int multiprocessors() {
    int device = 0, count = 0;
    must(cudaGetDevice(&device), "cudaGetDevice");
    must(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    return count;
}

inline cudaMemPool_t default_pool() {
    int card = 0;
    must(cudaGetDevice(&card), "cudaGetDevice");
    cudaMemPool_t pool = nullptr;
    must(cudaDeviceGetDefaultMemPool(&pool, card), "cudaDeviceGetDefaultMemPool");
    return pool;
}
/// kept: the default pool gives nothing back to the driver when a stream is waited for.
inline void keep_pool(bool kept) {
    std::uint64_t threshold = kept ? ~std::uint64_t{0} : 0;
    must(cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrReleaseThreshold, &threshold),
         "cudaMemPoolSetAttribute");
}

} // namespace tarn_bench
