// SPDX-License-Identifier: MIT
// Hostile safetensors files: each is refused with a message that names the tensor and the fault, and none does harm.
// Tests include/tarn/io/safetensors.hpp; run it under the address and undefined-behaviour sanitizers.
// Knows nothing of models.
#include "support/catch.hpp"

#include "file_of.hpp"

#include <tarn/io/safetensors.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

using tarn::Safetensors;
using tarn_test::file_of;

namespace {

/// The file is refused and the message holds every part, one of which is the tensor's name.
void refused(const std::vector<std::byte>& file, std::initializer_list<std::string_view> parts) {
    const auto result = Safetensors::parse(file);
    INFO(std::string(reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 300)));
    REQUIRE_FALSE(result);
    INFO(result.error().text);
    CHECK(result.error().text.starts_with("safetensors: "));
    for (const std::string_view part : parts) {
        INFO("wanted: " << part);
        CHECK(result.error().text.find(part) != std::string::npos);
    }
}

/// One tensor "a.w" whose entry is the given text, and 4 bytes of data.
std::vector<std::byte> entry(std::string_view text) { return file_of("{\"a.w\":" + std::string(text) + "}", 4); }

std::vector<std::byte> tensor(std::string_view dtype, std::string_view shape, std::string_view offsets,
                              std::size_t data_bytes = 4) {
    return file_of("{\"a.w\":{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":" + std::string(shape) +
                       ",\"data_offsets\":" + std::string(offsets) + "}}",
                   data_bytes);
}

std::string u8_entry(std::string_view name, std::size_t begin, std::size_t end) {
    return "\"" + std::string(name) + "\":{\"dtype\":\"U8\",\"shape\":[" + std::to_string(end - begin) +
           "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

/// All a program would do with a file: find, and read as float.
void use(const Safetensors& tensors) {
    for (const tarn::TensorView& one : tensors.tensors()) {
        REQUIRE(tensors.find(one.name) == &one);
        std::vector<float> floats(std::min<std::size_t>(one.elems(), 1 << 16));
        const bool read = tarn::read_floats(one, floats);
        REQUIRE((!read || one.elems() == floats.size()));
    }
}

std::vector<std::byte> small_good_file() {
    return file_of(R"({"__metadata__":{"by":"t\u00e4rn"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                   R"("b\n":{"dtype":"BF16","shape":[1,1],"data_offsets":[8,10]}}  )",
                   10);
}

} // namespace

TEST_CASE("hostile safetensors: length of the header", "[io][hostile]") {
    refused({}, {"0 bytes"});
    refused(std::vector<std::byte>(7), {"7 bytes"});
    refused(file_of(0, "", ""), {"does not begin with '{'"});
    refused(file_of(3, "{}", ""), {"3 bytes", "does not fit", "2 bytes"});
    refused(file_of(100'000'000, "{}", ""), {"100000000", "does not fit"});
    refused(file_of(100'000'001, "{}", ""), {"100000001", "limit"});
    refused(file_of(std::numeric_limits<std::uint64_t>::max(), "{}", ""), {"18446744073709551615", "limit"});
    refused(file_of(std::uint64_t{1} << 63, "{}", ""), {"limit"});
}

TEST_CASE("hostile safetensors: a header of more than 100 MB that is really there", "[io][hostile]") {
    refused(file_of("{}" + std::string(99'999'999, ' ')), {"100000001", "limit"});
    CHECK(Safetensors::parse(file_of("{}" + std::string(99'999'998, ' '))));
}

TEST_CASE("hostile safetensors: shape of the header", "[io][hostile]") {
    for (const char* json : {"", " {}", "[]", "\"a\"", "null", "\xef\xbb\xbf{}"})
        refused(file_of(json), {"begin with"});
    for (const char* json : {"{", "{\"a\"", "{\"a\":", "{\"a\":{", "{\"a\":{\"dtype\"", "{\"a\":{\"shape\":[",
                             "{\"a\":{\"shape\":[1", "{\"a\":{}", "{\"a"})
        refused(file_of(json), {"header"});
    refused(file_of("{,}"), {"wanted a string"});
    refused(file_of("{\"__metadata__\":{},}"), {"wanted a string"});
    refused(file_of("{a:1}"), {"wanted a string"});
    refused(file_of("{}x"), {"padding"});
    refused(file_of("{}\n"), {"padding"});
    refused(file_of(std::string("{}\0", 3)), {"padding"});
    refused(file_of("{}{}"), {"padding"});
    refused(file_of("{/**/}"), {"wanted a string"});
}

TEST_CASE("hostile safetensors: depth costs nothing", "[io][hostile]") {
    const std::string deep(2'000'000, '[');
    refused(file_of("{\"a.w\":" + deep), {"\"a.w\"", "wanted '{'"});
    refused(file_of("{\"a.w\":{\"shape\":" + deep), {"\"a.w\"", "whole number"});
    std::string objects;
    for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
    refused(file_of(objects), {"\"a\"", "unknown key"});
}

TEST_CASE("hostile safetensors: a tensor's entry", "[io][hostile]") {
    for (const char* text : {"1", "null", "[]", "\"F32\"", "true"}) refused(entry(text), {"\"a.w\"", "wanted '{'"});
    refused(entry("{}"), {"\"a.w\"", "\"dtype\" is missing"});
    refused(entry(R"({"dtype":"F32"})"), {"\"a.w\"", "\"shape\" is missing"});
    refused(entry(R"({"dtype":"F32","shape":[1]})"), {"\"a.w\"", "\"data_offsets\" is missing"});
    refused(entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1})"), {"\"a.w\"", "unknown key \"x\""});
    refused(entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"shape":[1]})"),
            {"\"a.w\"", "\"shape\" appears twice"});
    refused(entry(R"({"dtype":1,"shape":[1],"data_offsets":[0,4]})"), {"\"a.w\"", "wanted a string"});
    refused(entry(R"({"dtype":"F32","shape":1,"data_offsets":[0,4]})"), {"\"a.w\"", "wanted '['"});
    refused(entry(R"({"dtype":"F32","shape":[1,],"data_offsets":[0,4]})"), {"\"a.w\"", "whole number"});
    refused(entry(R"({"dtype":"F32","shape":[1 1],"data_offsets":[0,4]})"), {"\"a.w\"", "',' or ']'"});
    refused(entry(R"({"dtype":"F32" "shape":[1],"data_offsets":[0,4]})"), {"\"a.w\"", "',' or '}'"});
    refused(entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],})"), {"\"a.w\"", "wanted a string"});
}

TEST_CASE("hostile safetensors: numbers", "[io][hostile]") {
    for (const char* shape : {"[-1]", "[-0]", "[1,-9223372036854775808]"})
        refused(tensor("F32", shape, "[0,4]"), {"\"a.w\"", "negative"});
    for (const char* shape : {"[1.0]", "[1e0]", "[1E2]"})
        refused(tensor("F32", shape, "[0,4]"), {"\"a.w\"", "fraction"});
    for (const char* shape : {"[01]", "[00]"}) refused(tensor("F32", shape, "[0,4]"), {"\"a.w\"", "leading zero"});
    for (const char* shape : {"[\"1\"]", "[null]", "[+1]", "[[1]]", "[NaN]", "[0x1]", "[,]"})
        refused(tensor("F32", shape, "[0,4]"), {"\"a.w\""});
    for (const char* shape : {"[9223372036854775808]", "[18446744073709551616]", "[100000000000000000000000000]"})
        refused(tensor("F32", shape, "[0,4]"), {"\"a.w\"", "too large"});
}

TEST_CASE("hostile safetensors: products that overflow", "[io][hostile]") {
    for (const char* shape : {"[4294967296,4294967296]", "[4294967296,4294967297]", "[9223372036854775807,3]",
                              "[4611686018427387905]", "[4294967296,4294967296,0]"})
        refused(tensor("F32", shape, "[0,4]"), {"\"a.w\"", "can be counted"});
    refused(tensor("U8", "[4294967296,4294967296]", "[0,0]", 0), {"\"a.w\"", "can be counted"});
    refused(tensor("F8_E5M2", "[4294967296,4294967296]", "[0,4]"), {"\"a.w\"", "can be counted"});
    refused(tensor("F32", "[9223372036854775807,0,1]", "[0,4]"), {"\"a.w\"", "needs 0"});
}

TEST_CASE("hostile safetensors: data offsets", "[io][hostile]") {
    refused(tensor("F32", "[1000,1000]", "[0,4]"), {"\"a.w\"", "cover 4 bytes", "[1000, 1000]", "4000000"});
    refused(tensor("F32", "[1]", "[4,0]"), {"\"a.w\"", "[4, 0]", "end before they begin"});
    refused(tensor("F32", "[2]", "[0,8]"), {"\"a.w\"", "[0, 8]", "4 data bytes"});
    refused(tensor("F32", "[1]", "[18446744073709551612,0]"), {"\"a.w\"", "end before they begin"});
    refused(tensor("F32", "[1]", "[18446744073709551612,18446744073709551615]"), {"\"a.w\"", "4 data bytes"});
    refused(tensor("F32", "[1]", "[0,18446744073709551620]"), {"\"a.w\"", "too large"});
    refused(tensor("F32", "[1]", "[-4,0]"), {"\"a.w\"", "negative"});
    refused(tensor("F32", "[1]", "[0,4,4]"), {"\"a.w\"", "3 numbers"});
    refused(tensor("F32", "[1]", "[0]"), {"\"a.w\"", "1 number"});
    refused(tensor("F32", "[1]", "[]"), {"\"a.w\"", "0 numbers"});
    refused(tensor("F16", "[1]", "[0,4]"), {"\"a.w\"", "F16 needs 2"});
    refused(tensor("F8_E4M3", "[4]", "[0,5]"), {"\"a.w\"", "4 data bytes"});
}

TEST_CASE("hostile safetensors: overlaps, holes, stray bytes", "[io][hostile]") {
    const auto two = [](const std::string& a, const std::string& b, std::size_t data_bytes) {
        return file_of("{" + a + "," + b + "}", data_bytes);
    };
    refused(two(u8_entry("a", 0, 4), u8_entry("b", 2, 6), 6), {"\"b\"", "inside tensor \"a\""});
    refused(two(u8_entry("a", 0, 4), u8_entry("b", 0, 4), 4), {"\"b\"", "inside tensor \"a\""});
    refused(two(u8_entry("a", 0, 8), u8_entry("b", 2, 4), 8), {"\"b\"", "inside tensor \"a\""});
    refused(two(u8_entry("a", 0, 8), u8_entry("b", 4, 4), 8), {"\"b\"", "inside tensor \"a\""});
    refused(two(u8_entry("b", 5, 6), u8_entry("a", 0, 4), 6), {"\"b\"", "1 bytes before it"});
    refused(two(u8_entry("a", 1, 4), u8_entry("b", 4, 6), 6), {"\"a\"", "1 bytes before it"});
    refused(two(u8_entry("a", 0, 4), u8_entry("b", 4, 6), 10), {"\"b\"", "4 stray bytes"});
    refused(file_of("{}", 4), {"no tensor", "4 stray bytes"});
    CHECK(Safetensors::parse(two(u8_entry("a", 0, 4), u8_entry("b", 4, 6), 6)));
}

TEST_CASE("hostile safetensors: names that appear twice, however they are spelt", "[io][hostile]") {
    refused(file_of("{" + u8_entry("a", 0, 1) + "," + u8_entry("a", 1, 2) + "}", 2), {"\"a\"", "appears twice"});
    refused(file_of("{" + u8_entry("a", 0, 1) + "," + u8_entry("\\u0061", 1, 2) + "}", 2), {"\"a\"", "appears twice"});
    refused(file_of(R"({"__metadata__":{},"__metadata__":{}})"), {"__metadata__", "appears twice"});
    refused(file_of(R"({"__metadata__":{},"\u005f_metadata__":{}})"), {"__metadata__", "appears twice"});
    refused(file_of(R"({"__metadata__":{"k":"1","j":"","k":"2"}})"), {"__metadata__", "\"k\" appears twice"});
}

TEST_CASE("hostile safetensors: metadata holds strings only", "[io][hostile]") {
    for (const char* value : {"null", "[]", "\"x\"", "1"})
        refused(file_of(std::string("{\"__metadata__\":") + value + "}"), {"__metadata__", "wanted '{'"});
    for (const char* value : {"null", "[]", "{}", "1", "true"})
        refused(file_of(std::string("{\"__metadata__\":{\"k\":") + value + "}}"), {"__metadata__", "wanted a string"});
}

TEST_CASE("hostile safetensors: strings", "[io][hostile]") {
    const auto metadata = [](std::string_view value) {
        return file_of("{\"__metadata__\":{\"k\":\"" + std::string(value) + "\"}}");
    };
    for (const char* bad :
         {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3\x28", "\xe0\x9f\x80", "\xe2\x82", "\xed\xa0\x80",
          "\xf0\x8f\xbf\xbf", "\xf0\x9f\x8f", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
        refused(metadata(bad), {"__metadata__", "UTF-8"});
    for (const char* good : {"\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80",
                             "\xf4\x8f\xbf\xbf", "\\uD7FF\\ue000\\u0000", "\\ud800\\udc00", "\\udbff\\udfff", "\x7f"})
        CHECK(Safetensors::parse(metadata(good)));
    for (const char* bad : {"\\ud800", "\\udc00", "\\ud800x", "\\ud800\\n", "\\ud800\\u0061", "\\ud800\\ud800",
                            "\\udbff\\ue000", "\\ude00\\ud800"})
        refused(metadata(bad), {"__metadata__", "surrogate"});
    for (const char* bad : {"\\x41", "\\U0041", "\\a", "\\'", "\\0", "\\\n"})
        refused(metadata(bad), {"__metadata__", "unknown escape"});
    for (const char* bad : {"\\u", "\\u1", "\\u12g4", "\\u004", "\\u 041", "\\ud800\\u"})
        refused(metadata(bad), {"__metadata__"});
    for (const char* bad : {"\n", "\t", "\x01", "\x1f"}) refused(metadata(bad), {"__metadata__", "control character"});
    refused(metadata(std::string_view("a\0b", 3)), {"control character"});
    refused(metadata("\\"), {"no closing quote"});
    refused(entry(R"({"dtype":"F\ud800","shape":[1],"data_offsets":[0,4]})"), {"\"a.w\"", "surrogate"});
    refused(entry("{\"dtype\":\"F\xff\",\"shape\":[1],\"data_offsets\":[0,4]}"), {"\"a.w\"", "UTF-8"});
    refused(file_of("{\"a\xff\":{}}"), {"\"a\"", "UTF-8"});
    refused(file_of("{\"a\\ud800\":{}}"), {"\"a\\x5cud800", "surrogate"});
}

TEST_CASE("hostile safetensors: names cannot disfigure a message", "[io][hostile]") {
    const auto result = Safetensors::parse(file_of(R"({"\u001b[2J\n\u0000":{},"x":{}})"));
    REQUIRE_FALSE(result);
    CHECK(std::ranges::all_of(result.error().text, [](char c) { return c >= 0x20 && c < 0x7f; }));
    CHECK(result.error().text.find(R"("\x1b[2J\x0a\x00")") != std::string::npos);

    const auto long_name = Safetensors::parse(file_of("{\"" + std::string(1'000'000, 'n') + "\":{}}"));
    REQUIRE_FALSE(long_name);
    CHECK(long_name.error().text.size() < 500);
}

TEST_CASE("hostile safetensors: every fault has a line, and there is an end of lines", "[io][hostile]") {
    const auto faulty = [](int count) {
        std::string json = "{";
        for (int i = 0; i < count; ++i) {
            json += i > 0 ? "," : "";
            json += "\"t" + std::to_string(i) + "\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,1]}";
        }
        const auto result = Safetensors::parse(file_of(json + "}", 1));
        REQUIRE_FALSE(result);
        return result.error().text;
    };
    const std::string three = faulty(3);
    CHECK(std::ranges::count(three, '\n') == 2);
    for (const char* name : {"\"t0\"", "\"t1\"", "\"t2\""}) CHECK(three.find(name) != std::string::npos);
    const std::string many = faulty(10'000);
    CHECK(std::ranges::count(many, '\n') == 32);
    CHECK(many.ends_with("and 9968 more faults"));
}

TEST_CASE("hostile safetensors: cut at any byte, or one byte longer", "[io][hostile]") {
    const auto good = small_good_file();
    REQUIRE(Safetensors::parse(good));
    for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
        const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(bytes));
        const auto result = Safetensors::parse(cut);
        INFO("cut to " << bytes << " bytes");
        REQUIRE_FALSE(result);
        REQUIRE_FALSE(result.error().text.empty());
    }
    auto longer = good;
    longer.push_back(std::byte{0});
    refused(longer, {"\"b\\x0a\"", "1 stray bytes"});
}

TEST_CASE("hostile safetensors: any byte changed to any other", "[io][hostile]") {
    const auto good = small_good_file();
    int accepted = 0;
    int refusals = 0;
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (int change = 1; change < 256; ++change) {
            auto changed = good;
            changed[at] ^= static_cast<std::byte>(change);
            const auto result = Safetensors::parse(changed);
            if (result) {
                use(*result);
                ++accepted;
            } else {
                REQUIRE_FALSE(result.error().text.empty());
                ++refusals;
            }
        }
    }
    CHECK(accepted > 255 * 10); // at least all changes of the data
    CHECK(refusals > 255 * 60);
}
