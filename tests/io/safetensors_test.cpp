// SPDX-License-Identifier: MIT
// Good safetensors files: read as they are meant, and written so that they read back.
// Tests include/tarn/io/safetensors.hpp and safetensors_write.hpp; hostile files have a file of their own.
// Knows nothing of models.
#include "support/catch.hpp"

#include "file_of.hpp"

#include <tarn/io/safetensors.hpp>
#include <tarn/io/safetensors_write.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using tarn::Dtype;
using tarn::Safetensors;
using tarn::TensorToWrite;
using tarn_test::file_of;

static_assert(!std::is_copy_constructible_v<Safetensors>);
static_assert(std::is_nothrow_move_constructible_v<Safetensors>);

namespace {

/// Parses, and fails the test with the reader's own words where it cannot.
Safetensors read(const std::vector<std::byte>& file) {
    auto result = Safetensors::parse(file);
    if (!result) FAIL(result.error().text);
    return *std::move(result);
}

std::vector<std::byte> written(std::span<const TensorToWrite> tensors,
                               std::span<const tarn::MetadataEntry> metadata = {}) {
    auto file = tarn::to_safetensors(tensors, metadata);
    if (!file) FAIL(file.error().text);
    return *std::move(file);
}

template <class T> std::span<const std::byte> bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

TEST_CASE("safetensors: tensors, shapes and bytes of a plain file", "[io]") {
    const auto file = file_of(R"({"fc.weight":{"dtype":"F32","shape":[2,1],"data_offsets":[2,10]},)"
                              R"("fc.bias":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}})",
                              "abcdefghij");
    const Safetensors tensors = read(file);
    REQUIRE(tensors.tensors().size() == 2);
    CHECK(tensors.tensors()[0].name == "fc.bias"); // the order of the data
    CHECK(tensors.tensors()[1].name == "fc.weight");
    CHECK(tensors.metadata().empty());

    const tarn::TensorView* weight = tensors.find("fc.weight");
    REQUIRE(weight != nullptr);
    CHECK(weight->dtype == Dtype::f32);
    CHECK(weight->dtype_text == "F32");
    CHECK(weight->shape == std::vector<std::int64_t>{2, 1});
    CHECK(weight->elems() == 2);
    CHECK(text_of(weight->bytes) == "cdefghij");
    CHECK(weight->bytes.data() == file.data() + file.size() - 8); // a view, not a copy
    CHECK(tensors.find("fc") == nullptr);
    CHECK(tensors.find("fc.weight2") == nullptr);
    CHECK(tensors.find("") == nullptr);
}

TEST_CASE("safetensors: no tensors, scalars, no elements, white space, padding", "[io]") {
    CHECK(read(file_of("{}")).tensors().empty());
    CHECK(read(file_of("{ }     ")).tensors().empty());
    CHECK(read(file_of(R"({"__metadata__":{}})")).tensors().empty());

    const auto file = file_of("{ \"s\" :\n{\"data_offsets\":[ 0 ,4 ], \"shape\" : [ ] ,\t\"dtype\":\"F32\"},"
                              "\"none\":{\"dtype\":\"F32\",\"shape\":[3,0],\"data_offsets\":[4,4]},"
                              "\"first\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}\r}  ",
                              4);
    const Safetensors tensors = read(file);
    REQUIRE(tensors.tensors().size() == 3);
    CHECK(tensors.find("s")->elems() == 1);
    CHECK(tensors.find("none")->elems() == 0);
    CHECK(tensors.find("first")->bytes.empty());
}

TEST_CASE("safetensors: an empty name is a name", "[io]") {
    const auto file = file_of(R"({"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1);
    CHECK(read(file).find("") != nullptr);
}

TEST_CASE("safetensors: metadata in the order of the file", "[io]") {
    const auto file = file_of(R"({"__metadata__":{"format":"pt","a\tb":"\u00e4 \"quoted\""}})");
    const Safetensors tensors = read(file);
    REQUIRE(tensors.metadata().size() == 2);
    CHECK(tensors.metadata()[0].key == "format");
    CHECK(tensors.metadata()[0].value == "pt");
    CHECK(tensors.metadata()[1].key == "a\tb");
    CHECK(tensors.metadata()[1].value == "\xc3\xa4 \"quoted\"");
}

TEST_CASE("safetensors: escaped names are decoded, and outlive a move", "[io]") {
    const auto file = file_of(R"({"\u0061\\\/\b\f\n\r\t\"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                              R"("\ud83c\udfd4\u20ac\u00DF":{"dtype":"\u00468","shape":[1],"data_offsets":[1,2]},)"
                              "\"\xf0\x9f\x8f\x94 raw\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,3]}}",
                              3);
    Safetensors first = read(file);
    const Safetensors second = std::move(first);
    CHECK(second.find("a\\/\b\f\n\r\t\"") != nullptr);
    REQUIRE(second.find("\xf0\x9f\x8f\x94\xe2\x82\xac\xc3\x9f") != nullptr);
    CHECK(second.find("\xf0\x9f\x8f\x94\xe2\x82\xac\xc3\x9f")->dtype_text == "F8");
    CHECK(second.find("\xf0\x9f\x8f\x94 raw") != nullptr);
}

TEST_CASE("safetensors: an unknown dtype is kept and cannot be read", "[io]") {
    const auto file = file_of(R"({"q":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}})", 4);
    const Safetensors tensors = read(file);
    REQUIRE(tensors.tensors().size() == 1);
    CHECK(tensors.tensors()[0].dtype == Dtype::other);
    CHECK(tensors.tensors()[0].dtype_text == "F8_E4M3");
    std::vector<float> to(4);
    CHECK_FALSE(tarn::read_floats(tensors.tensors()[0], to));
}

TEST_CASE("safetensors: floats at every address modulo 8", "[io]") {
    const std::string json = R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
    const std::vector<float> values{1.0f, -0.5f, 3e38f};
    int at_2_mod_4 = 0;
    for (std::size_t padding = 0; padding < 8; ++padding) {
        const auto file = file_of(json + std::string(padding, ' '), text_of(bytes_of(values)));
        const Safetensors tensors = read(file);
        const tarn::TensorView& x = tensors.tensors()[0];
        at_2_mod_4 += reinterpret_cast<std::uintptr_t>(x.bytes.data()) % 4 == 2;
        std::vector<float> to(3);
        REQUIRE(tarn::read_floats(x, to));
        CHECK(to == values);
    }
    CHECK(at_2_mod_4 == 2);
}

TEST_CASE("safetensors: what is written reads back, bit for bit", "[io]") {
    // Denormals, infinities, quiet and signalling NaN, both zeros.
    const std::vector<std::uint32_t> f32{0x00000001, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0x80000000};
    const std::vector<std::uint16_t> f16{0x0001, 0x7c00, 0x7e01, 0x8000};
    const std::vector<std::uint16_t> bf16{0x0001, 0xff80, 0x7fc1};
    const std::vector<std::int64_t> i64{-1, 1};
    const std::vector<std::uint8_t> u8{1, 2, 3};
    const std::vector<TensorToWrite> stored{
        {"b/half", Dtype::f16, {2, 2}, bytes_of(f16)}, {"a \"bytes\"\n", Dtype::u8, {3}, bytes_of(u8)},
        {"c", Dtype::f32, {1, 6}, bytes_of(f32)},      {"a.brain", Dtype::bf16, {3}, bytes_of(bf16)},
        {"z", Dtype::i64, {2}, bytes_of(i64)},         {"none", Dtype::f32, {4, 0}, {}}};
    const std::vector<tarn::MetadataEntry> metadata{{"format", "pt"}, {"by\\", "\xc3\xa4\x01"}};
    const auto file = written(stored, metadata);
    const Safetensors tensors = read(file);

    REQUIRE(tensors.tensors().size() == stored.size());
    std::vector<std::string> order;
    for (const tarn::TensorView& tensor : tensors.tensors()) order.emplace_back(tensor.name);
    CHECK(order == std::vector<std::string>{"z", "c", "none", "a.brain", "b/half", "a \"bytes\"\n"});
    for (const TensorToWrite& wanted : stored) {
        const tarn::TensorView* found = tensors.find(wanted.name);
        REQUIRE(found != nullptr);
        CHECK(found->dtype == wanted.dtype);
        CHECK(found->shape == wanted.shape);
        CHECK(std::ranges::equal(found->bytes, wanted.bytes));
        if (!wanted.bytes.empty()) {
            const auto offset = static_cast<std::size_t>(found->bytes.data() - file.data());
            CHECK(offset % tarn::dtype_bytes(wanted.dtype) == 0);
        }
    }
    REQUIRE(tensors.metadata().size() == 2);
    CHECK(tensors.metadata()[1].key == "by\\");
    CHECK(tensors.metadata()[1].value == "\xc3\xa4\x01");

    std::vector<float> to(6);
    REQUIRE(tarn::read_floats(*tensors.find("c"), to));
    CHECK(std::memcmp(to.data(), f32.data(), sizeof(float) * 6) == 0);
}

TEST_CASE("safetensors: the bytes of a small file, as the reference writer makes them", "[io]") {
    const std::vector<float> values{1.0f};
    const std::vector<TensorToWrite> one{{"w", Dtype::f32, {1}, bytes_of(values)}};
    const std::vector<tarn::MetadataEntry> metadata{{"k", "v"}};
    const std::string header = R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
    CHECK(written(one, metadata) == file_of(padded, std::string_view("\0\0\x80\x3f", 4)));
    CHECK(written({}) == file_of("{}      "));
}

TEST_CASE("safetensors: the writer refuses what the reader would", "[io]") {
    const std::vector<float> values{1, 2};
    const auto bytes = bytes_of(values);
    const auto refused = [](const std::vector<TensorToWrite>& tensors, std::string_view name, std::string_view why) {
        const auto file = tarn::to_safetensors(tensors);
        REQUIRE_FALSE(file);
        INFO(file.error().text);
        CHECK(file.error().text.find(name) != std::string::npos);
        CHECK(file.error().text.find(why) != std::string::npos);
    };
    refused({{"w", Dtype::f32, {3}, bytes}}, "\"w\"", "needs 12");
    refused({{"w", Dtype::f32, {-2, -1}, bytes}}, "\"w\"", "negative");
    refused({{"w", Dtype::f32, {2}, bytes}, {"w", Dtype::f32, {2}, bytes}}, "\"w\"", "appears twice");
    refused({{"w\xff", Dtype::f32, {2}, bytes}}, "\"w\"", "not UTF-8");
    refused({{"w", Dtype::other, {8}, bytes}}, "\"w\"", "dtype other");
    refused({{"__metadata__", Dtype::f32, {2}, bytes}}, "__metadata__", "wanted a string");
}
