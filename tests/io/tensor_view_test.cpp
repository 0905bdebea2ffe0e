// SPDX-License-Identifier: MIT
// Elements of stored tensors as floats: every half, every bfloat, known bit patterns, any alignment.
// Tests include/tarn/io/tensor_view.hpp; the truth is the definition of the formats, computed with ldexp.
// Knows nothing of file formats.
#include "support/catch.hpp"

#include <tarn/io/tensor_view.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

using tarn::Dtype;

namespace {

template <class T> std::vector<std::byte> bytes_of(const std::vector<T>& values, std::size_t shift = 0) {
    std::vector<std::byte> bytes(shift + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data() + shift, values.data(), values.size() * sizeof(T));
    return bytes;
}

tarn::TensorView view_of(Dtype dtype, std::vector<std::int64_t> shape, std::span<const std::byte> bytes) {
    return {"x", dtype, tarn::dtype_name(dtype), std::move(shape), bytes};
}

template <class T> std::vector<std::uint32_t> bits_read(Dtype dtype, const std::vector<T>& stored) {
    const auto bytes = bytes_of(stored);
    std::vector<float> floats(stored.size());
    REQUIRE(tarn::read_floats(view_of(dtype, {static_cast<std::int64_t>(stored.size())}, bytes), floats));
    std::vector<std::uint32_t> bits(stored.size());
    std::memcpy(bits.data(), floats.data(), floats.size() * sizeof(float));
    return bits;
}

std::vector<std::uint16_t> all_patterns() {
    std::vector<std::uint16_t> all;
    for (std::uint32_t i = 0; i <= 0xffff; ++i) all.push_back(static_cast<std::uint16_t>(i));
    return all;
}

} // namespace

TEST_CASE("tensor view: dtypes have the names and sizes of safetensors", "[io]") {
    CHECK(tarn::dtype_name(Dtype::bf16) == "BF16");
    CHECK(tarn::dtype_name(Dtype::boolean) == "BOOL");
    CHECK(tarn::dtype_bytes(Dtype::f64) == 8);
    CHECK(tarn::dtype_bytes(Dtype::u16) == 2);
    CHECK(tarn::dtype_bytes(Dtype::other) == 0);
    for (int i = 0; i <= static_cast<int>(Dtype::other); ++i)
        CHECK(tarn::dtype_named(tarn::dtype_name(static_cast<Dtype>(i))) == static_cast<Dtype>(i));
    CHECK(tarn::dtype_named("f32") == Dtype::other);
    CHECK(tarn::dtype_named("F8_E4M3") == Dtype::other);
}

TEST_CASE("tensor view: elements are the product of the extents", "[io]") {
    CHECK(view_of(Dtype::f32, {}, {}).elems() == 1);
    CHECK(view_of(Dtype::f32, {2, 3, 4}, {}).elems() == 24);
    CHECK(view_of(Dtype::f32, {2, 0, 4}, {}).elems() == 0);
}

TEST_CASE("tensor view: known halves", "[io]") {
    const std::vector<std::uint16_t> halves{0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0400, 0x03ff,
                                            0x0001, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x3555};
    const std::vector<std::uint32_t> floats{
        0x00000000, 0x80000000, 0x3f800000, 0xc0000000, // 0, -0, 1, -2
        0x477fe000, 0x38800000, 0x387fc000,             // 65504, least normal, greatest denormal
        0x33800000, 0xb3800000,                         // least denormal 2^-24, and its negative
        0x7f800000, 0xff800000, 0x7fc00000, 0x7f802000, // inf, -inf, quiet NaN, signalling NaN
        0x3eaaa000};                                    // the half nearest to 1/3
    CHECK(bits_read(Dtype::f16, halves) == floats);
}

TEST_CASE("tensor view: every half", "[io]") {
    const auto halves = all_patterns();
    const auto floats = bits_read(Dtype::f16, halves);
    int wrong = 0;
    for (std::size_t i = 0; i < halves.size(); ++i) {
        const int exponent = (halves[i] >> 10) & 0x1f;
        const int fraction = halves[i] & 0x3ff;
        const bool negative = halves[i] >= 0x8000;
        if (exponent == 0x1f) {
            const auto want =
                (negative ? 0xff800000u : 0x7f800000u) | (static_cast<std::uint32_t>(fraction) * (1u << 13));
            wrong += floats[i] != want;
        } else {
            const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
            wrong += floats[i] != std::bit_cast<std::uint32_t>(static_cast<float>(negative ? -size : size));
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("tensor view: every bfloat is the upper half of its float", "[io]") {
    const auto bfloats = all_patterns();
    const auto floats = bits_read(Dtype::bf16, bfloats);
    int wrong = 0;
    for (std::size_t i = 0; i < bfloats.size(); ++i) wrong += floats[i] != bfloats[i] * 0x10000u;
    CHECK(wrong == 0);
}

TEST_CASE("tensor view: floats keep their bits", "[io]") {
    const std::vector<std::uint32_t> bits{0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x7f800000,
                                          0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x80000000};
    CHECK(bits_read(Dtype::f32, bits) == bits);
}

TEST_CASE("tensor view: any alignment", "[io]") {
    const std::vector<float> values{1.5f, -2.25f, 1e-40f};
    const std::vector<std::uint16_t> halves{0x3e00, 0xc080, 0x0001};
    for (std::size_t shift = 0; shift < 8; ++shift) {
        std::vector<float> read(3);
        const auto stored = bytes_of(values, shift);
        REQUIRE(tarn::read_floats(view_of(Dtype::f32, {3}, std::span(stored).subspan(shift)), read));
        CHECK(read == values);
        const auto stored_halves = bytes_of(halves, shift);
        REQUIRE(tarn::read_floats(view_of(Dtype::f16, {3}, std::span(stored_halves).subspan(shift)), read));
        CHECK(read == std::vector<float>{1.5f, -2.25f, 0x1p-24f});
    }
}

TEST_CASE("tensor view: what is no match is not read", "[io]") {
    const std::vector<std::byte> bytes(24, std::byte{0x40});
    const std::vector<float> untouched{7, 7, 7, 7, 7, 7};
    std::vector<float> to = untouched;
    for (const Dtype dtype : {Dtype::f64, Dtype::i64, Dtype::i32, Dtype::i16, Dtype::i8, Dtype::u64, Dtype::u32,
                              Dtype::u16, Dtype::u8, Dtype::boolean, Dtype::other})
        CHECK_FALSE(tarn::read_floats(view_of(dtype, {6}, bytes), to));
    CHECK_FALSE(tarn::read_floats(view_of(Dtype::f32, {2, 3}, bytes), std::span(to).first(5)));
    CHECK_FALSE(tarn::read_floats(view_of(Dtype::f32, {7}, bytes), to));
    CHECK_FALSE(tarn::read_floats(view_of(Dtype::f32, {6}, std::span(bytes).first(20)), to));
    CHECK_FALSE(tarn::read_floats(view_of(Dtype::f32, {6}, std::span(bytes).first(23)), to));
    CHECK_FALSE(tarn::read_floats(view_of(Dtype::f32, {6}, std::vector<std::byte>(27)), to));
    CHECK_FALSE(tarn::read_floats(view_of(Dtype::f16, {6}, bytes), to));
    CHECK(to == untouched);
    CHECK(tarn::read_floats(view_of(Dtype::f32, {2, 3}, bytes), to));
    CHECK(to != untouched);
    CHECK(tarn::read_floats(view_of(Dtype::bf16, {0, 3}, {}), {}));
}
