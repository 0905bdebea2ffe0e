// SPDX-License-Identifier: MIT
// Classifies a PNG or JPEG of one handwritten digit: decoded by stb, made grey, cropped, scaled to 8 x 8, then the
// digits network. usage: image PICTURE...
// Knows the public face and stb.
#include "../digits/digits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace {

/// A grey picture, ink 1 on paper 0.
struct Picture {
    int width = 0, height = 0;
    std::vector<float> ink;

    float at(int x, int y) const {
        if (x < 0 || y < 0 || x >= width || y >= height) return 0.F;
        return ink[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
    }
};

Picture decode(const char* path) {
    Picture picture;
    int channels = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
        stbi_load(path, &picture.width, &picture.height, &channels, 1), stbi_image_free);
    if (!bytes) return {};
    const auto count = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
    for (std::size_t i = 0; i < count; ++i) picture.ink.push_back(static_cast<float>(bytes.get()[i]) / 255.F);
    // The network knows bright ink on dark paper; paper is what the corners mostly show.
    const float corners = picture.at(0, 0) + picture.at(picture.width - 1, 0) + picture.at(0, picture.height - 1) +
                          picture.at(picture.width - 1, picture.height - 1);
    if (corners > 2.F)
        for (float& ink : picture.ink) ink = 1.F - ink;
    const float most = *std::max_element(picture.ink.begin(), picture.ink.end());
    if (most > 0.F)
        for (float& ink : picture.ink) ink /= most;
    return picture;
}

/// Means over the cells of an 8 x 8 grid laid on the picture's ink, as tall as the ink, centred, square.
std::array<float, 64> shrink(const Picture& picture) {
    int left = picture.width, right = -1, top = picture.height, bottom = -1;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            if (picture.at(x, y) < 0.3F) continue;
            left = std::min(left, x), right = std::max(right, x);
            top = std::min(top, y), bottom = std::max(bottom, y);
        }
    }
    if (right < left) left = 0, right = picture.width - 1, top = 0, bottom = picture.height - 1;
    const float side = static_cast<float>(std::max(right - left, bottom - top) + 1);
    const float x0 = static_cast<float>(left + right + 1) / 2.F - side / 2.F;
    const float y0 = static_cast<float>(top + bottom + 1) / 2.F - side / 2.F;
    std::array<float, 64> cells{};
    constexpr int samples = 16; // a side, of each cell
    for (int cell = 0; cell < 64; ++cell) {
        float sum = 0.F;
        for (int i = 0; i < samples * samples; ++i) {
            const float u = (static_cast<float>(cell % 8) + (static_cast<float>(i % samples) + 0.5F) / samples) / 8.F;
            const float v = (static_cast<float>(cell / 8) + (static_cast<float>(i / samples) + 0.5F) / samples) / 8.F;
            sum += picture.at(static_cast<int>(std::floor(x0 + u * side)), static_cast<int>(std::floor(y0 + v * side)));
        }
        cells[static_cast<std::size_t>(cell)] = sum / (samples * samples);
    }
    const float most = *std::max_element(cells.begin(), cells.end());
    if (most > 0.F)
        for (float& ink : cells) ink /= most;
    return cells;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: image PICTURE...   (PNG or JPEG, one digit each)\n");
        return 2;
    }
    const auto weights = Digits::load(TARN_SOURCE_DIR "/examples/digits/digits.safetensors");
    if (!weights) {
        std::fprintf(stderr, "%s\n", weights.error().c_str());
        return 1;
    }
    Digits::Session session{*weights};
    int unreadable = 0;
    for (int i = 1; i < argc; ++i) {
        const Picture picture = decode(argv[i]);
        if (picture.ink.empty()) {
            std::fprintf(stderr, "%s: not a PNG or JPEG that can be read\n", argv[i]);
            ++unreadable;
            continue;
        }
        const std::array<float, 64> cells = shrink(picture);
        const std::span<const float, 10> scores = session.forward(cells);
        const auto best = std::max_element(scores.begin(), scores.end());
        float sum = 0.F;
        for (const float score : scores) sum += std::exp(score - *best);
        std::printf("%s: %d (%.1f %%)\n", argv[i], static_cast<int>(best - scores.begin()),
                    100.0 / static_cast<double>(sum));
    }
    return unreadable > 0 ? 1 : 0;
}
