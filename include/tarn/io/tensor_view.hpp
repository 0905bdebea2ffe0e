// SPDX-License-Identifier: MIT
// A tensor as it lies in a file: name, element type, shape, bytes; and its elements as float.
// What safetensors.hpp finds in a file and what weights are read from.
// Knows nothing of file formats or of layers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace tarn {

static_assert(std::endian::native == std::endian::little,
              "tarn reads and writes weight files as they lie in memory, which needs a little-endian machine");

/// The type of a stored element. `other`: one that tarn knows neither the size nor the meaning of.
enum class Dtype : unsigned char { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean, other };

namespace detail {

struct DtypeFacts {
    std::string_view name;
    std::size_t bytes;
};

inline constexpr std::array<DtypeFacts, 14> dtype_facts{{{"F64", 8},
                                                         {"F32", 4},
                                                         {"F16", 2},
                                                         {"BF16", 2},
                                                         {"I64", 8},
                                                         {"I32", 4},
                                                         {"I16", 2},
                                                         {"I8", 1},
                                                         {"U64", 8},
                                                         {"U32", 4},
                                                         {"U16", 2},
                                                         {"U8", 1},
                                                         {"BOOL", 1},
                                                         {"other", 0}}};

} // namespace detail

/// The name as safetensors spells it; "other" for `other`.
constexpr std::string_view dtype_name(Dtype dtype) noexcept {
    return detail::dtype_facts[static_cast<std::size_t>(dtype)].name;
}

/// Bytes of one element; 0 for `other`.
constexpr std::size_t dtype_bytes(Dtype dtype) noexcept {
    return detail::dtype_facts[static_cast<std::size_t>(dtype)].bytes;
}

/// The type of that name; `other` where tarn does not know it.
constexpr Dtype dtype_named(std::string_view name) noexcept {
    for (std::size_t i = 0; i + 1 < detail::dtype_facts.size(); ++i)
        if (detail::dtype_facts[i].name == name) return static_cast<Dtype>(i);
    return Dtype::other;
}

/// One stored tensor. Name, dtype_text and bytes belong to whoever holds the file; bytes may have any alignment.
struct TensorView {
    std::string_view name;
    Dtype dtype = Dtype::other;
    std::string_view dtype_text; ///< the type as the file spells it
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;

    /// The product of the extents; 1 for a scalar.
    std::size_t elems() const noexcept {
        std::size_t count = 1;
        for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
        return count;
    }
};

/// The bits of the float equal to an IEEE half: exact for every value, and a NaN keeps its sign and payload.
constexpr std::uint32_t float_bits_of_half(std::uint16_t half) noexcept {
    const std::uint32_t sign = (half & 0x8000u) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fu;
    const std::uint32_t fraction = half & 0x3ffu;
    if (exponent == 0x1f) return sign | 0x7f800000u | (fraction << 13);
    if (exponent != 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
    if (fraction == 0) return sign;
    // A denormal half is a normal float: shift its leading one to the place where a float keeps it unwritten.
    const auto shift = static_cast<std::uint32_t>(std::countl_zero(fraction)) - 21;
    return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ffu) << 13);
}

/// Reads an f32, f16 or bf16 tensor as float, bit for bit, NaN included. Copies bytewise, so any alignment will do.
/// Errors: false, and `to` untouched, for another dtype, for bytes that do not match the shape, for a wrong count.
inline bool read_floats(const TensorView& tensor, std::span<float> to) noexcept {
    if (tensor.dtype != Dtype::f32 && tensor.dtype != Dtype::f16 && tensor.dtype != Dtype::bf16) return false;
    const std::size_t width = dtype_bytes(tensor.dtype);
    if (to.size() != tensor.elems() || tensor.bytes.size() % width != 0 || tensor.bytes.size() / width != to.size())
        return false;
    if (to.empty()) return true;
    if (tensor.dtype == Dtype::f32) {
        std::memcpy(to.data(), tensor.bytes.data(), to.size_bytes());
        return true;
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::uint16_t stored = 0;
        std::memcpy(&stored, tensor.bytes.data() + i * sizeof stored, sizeof stored);
        const std::uint32_t bits =
            tensor.dtype == Dtype::bf16 ? std::uint32_t{stored} << 16 : float_bits_of_half(stored);
        std::memcpy(&to[i], &bits, sizeof bits); // as bits: a float register may quiet a signalling NaN
    }
    return true;
}

} // namespace tarn
