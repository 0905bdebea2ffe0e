// SPDX-License-Identifier: MIT
// Classifies the held-out handwritten digits: accuracy, agreement with PyTorch, the arena map, latency, and an SVG.
// The main job on real input; run by tools/demo. usage: digits [folder of the .safetensors files] [SVG to write]
// Knows the public face only.
#include "digits.hpp"
#include "plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct HeldOut {
    std::vector<float> images; // [N, 8, 8], 0 to 1
    std::vector<int> labels;
    std::vector<float> logits; // [N, 10], PyTorch's, evaluated in float64

    std::size_t count() const { return labels.size(); }
    std::span<const float, 64> image(std::size_t i) const {
        return std::span<const float, 64>{images.data() + 64 * i, 64};
    }
};

/// Reads the held-out images; an empty set, with the reason on stderr, when they cannot be read.
HeldOut read_held_out(const std::string& path) {
    HeldOut set;
    const auto refuse = [&](const std::string& why) {
        std::fprintf(stderr, "%s\n", why.c_str());
        return HeldOut{};
    };
    const auto file = tarn::MappedFile::open(path.c_str());
    if (!file) return refuse(file.error().text);
    const auto tensors = tarn::Safetensors::parse(file->bytes());
    if (!tensors) return refuse(path + ": " + tensors.error().text);
    const tarn::TensorView* const images = tensors->find("images");
    const tarn::TensorView* const labels = tensors->find("labels");
    const tarn::TensorView* const logits = tensors->find("logits");
    if (images == nullptr || labels == nullptr || logits == nullptr || images->dtype != tarn::Dtype::u8 ||
        labels->dtype != tarn::Dtype::u8 || images->elems() != 64 * labels->elems() ||
        logits->elems() != 10 * labels->elems())
        return refuse(path + ": wants images U8 [N, 8, 8], labels U8 [N] and logits F32 [N, 10]");
    for (const std::byte pixel : images->bytes) set.images.push_back(static_cast<float>(pixel) / 16.F);
    for (const std::byte label : labels->bytes) set.labels.push_back(static_cast<int>(label));
    set.logits.resize(logits->elems());
    if (!tarn::read_floats(*logits, set.logits)) return refuse(path + ": logits are not floats");
    return set;
}

double percentile(const std::vector<double>& sorted, double part) {
    return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(part * static_cast<double>(sorted.size())))];
}

} // namespace

int main(int argc, char** argv) {
    const std::string folder = argc > 1 ? argv[1] : TARN_SOURCE_DIR "/examples/digits";
    const auto weights = Digits::load((folder + "/digits.safetensors").c_str()); // the only allocation tarn makes
    if (!weights) {
        std::fprintf(stderr, "%s\n", weights.error().c_str());
        return 1;
    }
    const HeldOut test = read_held_out(folder + "/digits_test.safetensors");
    if (test.count() == 0) return 1;

    static Digits::Session session{*weights}; // sizeof(session) is all the memory it will ever use
    std::size_t right = 0;
    double worst = 0.0;
    for (std::size_t i = 0; i < test.count(); ++i) {
        const std::span<const float, 10> scores = session.forward(test.image(i));
        const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
        right += static_cast<std::size_t>(best == test.labels[i]);
        double largest = 0.0, difference = 0.0;
        for (std::size_t k = 0; k < 10; ++k) {
            const double wanted = static_cast<double>(test.logits[10 * i + k]);
            largest = std::max(largest, std::abs(wanted));
            difference = std::max(difference, std::abs(wanted - static_cast<double>(scores[k])));
        }
        worst = std::max(worst, difference / largest);
    }
    std::printf("%s\n", plan_text().c_str());
    std::printf("accuracy          %.2f %% of %zu held-out images\n",
                100.0 * static_cast<double>(right) / static_cast<double>(test.count()), test.count());
    std::printf("against PyTorch   largest difference of a score %.1e of the image's largest score\n", worst);
    std::printf("arena             %zu bytes (session %zu, weights %zu)\n", Digits::arena_bytes, sizeof session,
                Digits::weight_bytes);
    std::printf("instruction set   %s\n", session.instruction_set());

    constexpr int forwards = 100'000;
    std::vector<double> nanoseconds;
    nanoseconds.reserve(forwards);
    float sum = 0.F;
    for (int i = 0; i < forwards; ++i) {
        const auto before = std::chrono::steady_clock::now();
        sum += session.forward(test.image(static_cast<std::size_t>(i) % test.count()))[0];
        const auto after = std::chrono::steady_clock::now();
        nanoseconds.push_back(std::chrono::duration<double, std::nano>(after - before).count());
    }
    std::sort(nanoseconds.begin(), nanoseconds.end());
    std::printf("latency           p50 %.0f ns, p99.9 %.0f ns, max %.0f ns over %d forwards (checksum %g)\n",
                percentile(nanoseconds, 0.5), percentile(nanoseconds, 0.999), nanoseconds.back(), forwards,
                static_cast<double>(sum));

    const std::string picture = argc > 2 ? argv[2] : "digits_arena.svg";
    if (const std::string fault = draw_plan(picture.c_str()); !fault.empty()) {
        std::fprintf(stderr, "%s\n", fault.c_str());
        return 1;
    }
    std::printf("arena over time   %s\n", picture.c_str());
    return 0;
}
