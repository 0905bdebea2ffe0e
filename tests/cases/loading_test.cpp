// SPDX-License-Identifier: MIT
// Files where other loaders went wrong: stray offsets, hostile headers, weights of another size that loaded anyway.
// As Model::load sees them; the reader alone has tests in tests/io.
// Knows the public face only.
#include "support/catch.hpp"

#include "io/file_of.hpp"

#include <tarn/io/safetensors_write.hpp>
#include <tarn/tarn.hpp>

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

using namespace tarn;
using tarn_test::file_of;

namespace {

/// y = 2 a + 3 b + 4 for an input (a, b).
using Line = Model<Linear<2, 1>, Shape<2>>;

std::string floats(std::initializer_list<float> values) {
    return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float)};
}
const std::string good_data = floats({2.F, 3.F, 4.F});
constexpr const char* good_header = R"({"weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                                    R"("bias":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";

bool says(const std::string& error, const std::string& words) { return error.find(words) != std::string::npos; }

std::string error_of(const std::vector<std::byte>& file) {
    const auto weights = Line::load(file);
    CHECK_FALSE(weights);
    return weights.error();
}

} // namespace

TEST_CASE("floats at any address are loaded", "[cases]") {
    for (std::size_t padding = 0; padding < 8; ++padding) {
        // Spaces at the header's end move the data to every address modulo 8, 2 modulo 4 among them.
        const auto file = file_of(good_header + std::string(padding, ' '), good_data);
        const auto weights = Line::load(file);
        INFO(padding << ' ' << weights.error());
        REQUIRE(weights);
        Line::Session session(*weights);
        constexpr std::array<float, 2> input{10.F, 100.F};
        CHECK(session.forward(input)[0] == 324.F);
    }
}

TEST_CASE("a declared shape larger than its bytes is an error that names the tensor", "[cases]") {
    const std::string error = error_of(file_of(R"({"weight":{"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4]},)"
                                               R"("bias":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                                               std::size_t{8}));
    INFO(error);
    CHECK(says(error, "weight"));
    CHECK(says(error, "1000"));
}

TEST_CASE("stray bytes, a name twice, offsets that lead elsewhere: an error, and nothing loaded", "[cases]") {
    CHECK_FALSE(error_of(file_of(good_header, good_data + "abcd")).empty()); // 4 bytes that belong to nobody
    CHECK(says(error_of(file_of(R"({"weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                                R"("weight":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
                                good_data)),
               "weight"));
    for (const char* const offsets : {"[-8,0]", "[4,12]", "[8,0]", "[0,18446744073709551616]",
                                      "[18446744073709551608,18446744073709551615]", "[9223372036854775807,8]"}) {
        INFO(offsets);
        CHECK(says(error_of(file_of(std::string(R"({"bias":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)") +
                                        R"("weight":{"dtype":"F32","shape":[1,2],"data_offsets":)" + offsets + "}}",
                                    good_data)),
                   "weight"));
    }
}

TEST_CASE("a header that says it is 100 MB and longer than its file is an error", "[cases]") {
    for (const std::uint64_t stated : {std::uint64_t{100'000'000}, std::uint64_t{100'000'001},
                                       std::uint64_t{0x7FFF'FFFF'FFFF'FFFF}, ~std::uint64_t{0}}) {
        INFO(stated);
        CHECK_FALSE(error_of(file_of(stated, good_header, good_data)).empty());
    }
    CHECK_FALSE(error_of({}).empty());
}

TEST_CASE("weights of hidden size 8 in a model of 16: every tensor named, with the wanted and the found shape",
          "[cases]") {
    using Of8 = Sequential<Linear<4, 8>, Tanh, Linear<8, 2>>;
    using Of16 = Sequential<Linear<4, 16>, Tanh, Linear<16, 2>>;
    std::vector<TensorToWrite> tensors;
    const std::vector<NamedParameter> names = parameter_names<Of8>();
    const std::vector<float> zeros(32);
    for (const NamedParameter& name : names) {
        TensorToWrite& tensor = tensors.emplace_back();
        tensor.name = name.name;
        for (int i = 0; i < name.shape.rank; ++i) tensor.shape.push_back(name.shape[i]);
        tensor.bytes = std::as_bytes(std::span(zeros)).first(name.shape.elems() * sizeof(float));
    }
    const auto file = to_safetensors(tensors);
    REQUIRE(file);
    CHECK(Model<Of8, Shape<4>>::load(*file));
    const auto weights = Model<Of16, Shape<4>>::load(*file);
    REQUIRE_FALSE(weights);
    CHECK(weights.error() == "0.weight: wrong shape, wanted [16, 4], found [8, 4]\n"
                             "0.bias: wrong shape, wanted [16], found [8]\n"
                             "2.weight: wrong shape, wanted [2, 16], found [2, 8]");
}

TEST_CASE("a linear layer one feature off after Flatten: the loader names it where the compiler cannot", "[cases]") {
    // The network is right; the file is of one that saw another image.
    const auto file = file_of(R"({"1.weight":{"dtype":"F32","shape":[1,12],"data_offsets":[0,48]},)"
                              R"("1.bias":{"dtype":"F32","shape":[1],"data_offsets":[48,52]}})",
                              std::size_t{52});
    const auto weights = Model<Sequential<Flatten, Linear<8, 1>>, Shape<2, 2, 2>>::load(file);
    REQUIRE_FALSE(weights);
    CHECK(weights.error() == "1.weight: wrong shape, wanted [1, 8], found [1, 12]");
}

TEST_CASE("infinity and NaN among trained variances do not keep the loader busy for ever", "[cases]") {
    using Norm = Model<BatchNorm2d<3>, Shape<3>>;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto file = file_of(R"({"weight":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
                              R"("bias":{"dtype":"F32","shape":[3],"data_offsets":[12,24]},)"
                              R"("running_mean":{"dtype":"F32","shape":[3],"data_offsets":[24,36]},)"
                              R"("running_var":{"dtype":"F32","shape":[3],"data_offsets":[36,48]}})",
                              floats({1, 1, 1, 5, 5, 5, 0, 0, 0, infinity, std::nanf(""), 1}));
    const auto weights = Norm::load(file);
    REQUIRE(weights);
    Norm::Session session(*weights);
    constexpr std::array<float, 3> input{7.F, 7.F, 7.F};
    const auto found = session.forward(input);
    CHECK(found[0] == 5.F); // as PyTorch: the mean's distance over infinity
    CHECK(std::isnan(found[1]));
    CHECK(found[2] == Approx(12.0).epsilon(1e-4));
}
