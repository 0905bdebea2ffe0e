// SPDX-License-Identifier: MIT
// The held-out handwritten digits with PyTorch's scores, read from a safetensors file.
// Used by the digits and cuda_digits examples. Knows tarn's files only.
#pragma once

#include <tarn/tarn.hpp>

#include <cstdio>
#include <string>
#include <vector>

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
inline HeldOut read_held_out(const std::string& path) {
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
