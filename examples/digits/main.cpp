// SPDX-License-Identifier: MIT
// Classifies the held-out handwritten digits: accuracy, agreement with PyTorch, the arena map, latency, and an SVG.
// The main job on real input; run by tools/demo. usage: digits [folder of the .safetensors files] [SVG to write]
// Knows the public face only.
#include "digits.hpp"
#include "held_out.hpp"
#include "plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

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
