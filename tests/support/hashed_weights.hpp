// SPDX-License-Identifier: MIT
// Weights and inputs by a formula: hashes of names, the same bits as tests/fixtures/zoo.py makes, so that answers of
// networks of any size can be stored without their weights.
// Knows parameters' names; no plan and no kernel.
#pragma once

#include <tarn/io/names.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tarn_test {

/// FNV-1a of a text, of 32 or 64 bits.
template <class Bits> constexpr Bits fnv(std::string_view text) noexcept {
    constexpr bool wide = sizeof(Bits) == 8;
    Bits value = static_cast<Bits>(wide ? 14695981039346656037ULL : 2166136261ULL);
    for (const char c : text)
        value = static_cast<Bits>((value ^ static_cast<unsigned char>(c)) *
                                  static_cast<Bits>(wide ? 1099511628211ULL : 16777619ULL));
    return value;
}

/// Numbers in [-1, 1), multiples of 2^-15: number n of a name.
class Hashed {
  public:
    explicit constexpr Hashed(std::string_view name) noexcept : seed_(fnv<std::uint32_t>(name)) {}

    constexpr float operator()(std::size_t n) const noexcept {
        std::uint32_t h = (static_cast<std::uint32_t>(n) * 0x9E3779B9U) ^ seed_;
        h ^= h >> 16;
        h *= 0x85EBCA6BU;
        h ^= h >> 13;
        h *= 0xC2B2AE35U;
        h ^= h >> 16;
        return static_cast<float>(h >> 16) * 0x1p-15F - 1.F;
    }

  private:
    std::uint32_t seed_;
};

/// The value of one parameter. The gain is that of the variance from layer to layer, times three.
inline std::vector<float> hashed_parameter(const tarn::NamedParameter& parameter, int gain) {
    const std::size_t count = parameter.shape.elems();
    const bool weight = parameter.name.ends_with("weight");
    float base = 0.F, scale = 0.125F; // biases, running means
    if (parameter.name.ends_with("running_var")) {
        base = 1.F, scale = 0.5F;
    } else if (weight && parameter.shape.rank == 1) {
        base = 1.F, scale = 0.25F; // a norm's
    } else if (weight) {
        const std::size_t fan_in = count / static_cast<std::size_t>(parameter.shape[0]);
        scale = std::sqrt(static_cast<float>(gain) / static_cast<float>(fan_in));
    }
    const Hashed hashed(parameter.name);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = base + hashed(i) * scale; // each step exact but the last
    return values;
}

/// Every parameter of a network, in the order Model::pack takes them.
template <class Net> class HashedWeights {
  public:
    explicit HashedWeights(int gain) {
        for (const tarn::NamedParameter& parameter : tarn::parameter_names<Net>())
            values_.push_back(parameter.ignored ? std::vector<float>{} : hashed_parameter(parameter, gain));
        for (const std::vector<float>& made : values_) pointers_.push_back(made.data());
    }
    std::span<const float* const> pointers() const { return pointers_; }

  private:
    std::vector<std::vector<float>> values_;
    std::vector<const float*> pointers_;
};

/// An input [H, W, C] or [T, C]: patches of eight by eight pixels (of eight frames), and a quarter of noise.
inline std::vector<float> hashed_input(const tarn::Extents& extents) {
    const auto at = [&](int axis) { return static_cast<std::size_t>(extents[axis]); };
    const std::size_t height = at(0), width = extents.rank == 3 ? at(1) : 1, channels = at(extents.rank - 1);
    const Hashed patches("input patches"), noise("input noise");
    std::vector<float> values;
    values.reserve(extents.elems());
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (std::size_t c = 0; c < channels; ++c)
                values.push_back(patches((y / 8 * width + x / 8) * channels + c) * 0.75F +
                                 noise(values.size()) * 0.25F); // exact
    return values;
}

/// Of an output of so many elements, the positions whose answers are stored: all, or 64 from the first to the last.
inline std::vector<std::size_t> sampled_positions(std::size_t count) {
    constexpr std::size_t samples = 64;
    std::vector<std::size_t> positions(count < samples ? count : samples);
    for (std::size_t i = 0; i < positions.size(); ++i)
        positions[i] = count <= samples ? i : i * (count - 1) / (samples - 1);
    return positions;
}

} // namespace tarn_test
