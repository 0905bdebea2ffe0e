// SPDX-License-Identifier: MIT
// An echo and a soft clipper as a network, run as an audio plug-in would: blocks of 64 samples, no end of time.
// Prints what the compiler knew and what the run took; writes the sound to a WAV file when one is named.
// Knows the public face only.
#include <tarn/tarn.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

using namespace tarn;

constexpr int rate = 48000, echo = rate / 4;

// A sample and the one a quarter of a second before, weighted; the ring of the dilated convolution is the delay line.
using Net = Sequential<Conv1d<1, 1, Kernel<2>, Dilation<echo>, Causal, NoBias>, Tanh>;
using Effect = Model<Net, Shape<echo, 1>>; // any number of frames: a stream has no end
static_assert(Effect::Stream::latency == 0 && Effect::Stream::row_per_frame);
static_assert(Effect::Stream::receptive_field == echo + 1);

namespace {

/// A plucked string every second: decaying harmonics.
float pluck(int sample) {
    const double t = static_cast<double>(sample % rate) / rate;
    double sum = 0.0;
    for (int h = 1; h <= 6; ++h) sum += std::exp(-t * (6.0 + 4.0 * h)) * std::sin(6.283185307 * 220.0 * h * t) / h;
    return static_cast<float>(sum);
}

bool write_wav(const char* path, const std::vector<float>& samples) {
    std::ofstream file(path, std::ios::binary);
    const auto put = [&](std::uint32_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) file.put(static_cast<char>(value >> (8 * i) & 0xFFU));
    };
    const auto bytes = static_cast<std::uint32_t>(samples.size() * sizeof(std::int16_t));
    file << "RIFF";
    put(36 + bytes, 4);
    file << "WAVEfmt ";
    put(16, 4), put(1, 2), put(1, 2), put(rate, 4), put(rate * 2, 4), put(2, 2), put(16, 2);
    file << "data";
    put(bytes, 4);
    for (const float sample : samples)
        put(static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lround(sample * 32767.F))), 2);
    return file.good();
}

} // namespace

int main(int argc, char** argv) {
    const float taps[] = {0.6F, 0.9F}; // the echo, the sample itself
    const float* const parameters[] = {taps};
    const auto weights = std::make_unique<Effect::Weights>();
    Effect::pack(*weights, parameters);
    const auto stream = std::make_unique<Effect::Stream>(*weights);
    std::printf("latency %d frames, sees %d frames, state %zu bytes, all in all %zu bytes, %s\n",
                Effect::Stream::latency, Effect::Stream::receptive_field, Effect::Stream::state_bytes,
                sizeof(Effect::Stream), stream->instruction_set());

    std::vector<float> sound(std::size_t{4} * rate);
    for (std::size_t i = 0; i < sound.size(); ++i) sound[i] = pluck(static_cast<int>(i));
    const std::vector<float> dry = sound;

    const auto begin = std::chrono::steady_clock::now();
    constexpr std::size_t block = 64;
    for (std::size_t at = 0; at < sound.size(); at += block) {
        const std::span<float> samples = std::span(sound).subspan(at, block);
        stream->process(samples, samples); // in place, as plug-ins do
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    std::printf("%.1f ns a sample, %.0f times real time\n", taken.count() / static_cast<double>(sound.size()),
                1e9 / rate * static_cast<double>(sound.size()) / taken.count());

    float off = 0.F;
    for (std::size_t i = 0; i < sound.size(); ++i) {
        const float before = i < echo ? 0.F : dry[i - echo];
        off = std::fmax(off, std::fabs(sound[i] - std::tanh(taps[0] * before + taps[1] * dry[i])));
    }
    std::printf("off from the formula by %.1e at most\n", static_cast<double>(off));
    if (argc > 1 && !write_wav(argv[1], sound)) {
        std::fprintf(stderr, "cannot write %s\n", argv[1]);
        return EXIT_FAILURE;
    }
    return off < 1e-6F ? EXIT_SUCCESS : EXIT_FAILURE;
}
