// SPDX-License-Identifier: MIT
// Model::load: every fault of a file in one error, every dtype it reads, every name a module gives.
// Tests include/tarn/io/weights.hpp.
// Knows the public face only.
#include "support/catch.hpp"

#include "io/temporary_file.hpp"

#include <tarn/io/safetensors_write.hpp>
#include <tarn/tarn.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using namespace tarn;
using tarn_test::TemporaryFile;

namespace {

struct Stored {
    std::string name;
    std::vector<std::int64_t> shape;
    Dtype dtype = Dtype::f32;
};

/// Bytes of 1, 2, 3, ... in the stored dtype; every tensor goes on counting where the last one ended, up to 256, which
/// is as far as bf16 counts exactly.
std::vector<std::byte> file_with(const std::vector<Stored>& stored) {
    std::vector<std::vector<std::byte>> held;
    std::vector<TensorToWrite> tensors;
    int next = 0;
    for (const Stored& tensor : stored) {
        std::size_t count = 1;
        for (const std::int64_t extent : tensor.shape) count *= static_cast<std::size_t>(extent);
        std::vector<std::byte>& bytes = held.emplace_back();
        const auto put = [&](auto value) {
            const auto* const from = reinterpret_cast<const std::byte*>(&value);
            bytes.insert(bytes.end(), from, from + sizeof value);
        };
        for (std::size_t i = 0; i < count; ++i) {
            const int value = next++ % 256 + 1;
            const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
            // The values have no bits beyond a half's fraction, so a half is the float with another exponent.
            const auto half = static_cast<std::uint16_t>(((bits >> 23) - 112) << 10 | (bits >> 13 & 0x3FFU));
            if (tensor.dtype == Dtype::f32) put(static_cast<float>(value));
            if (tensor.dtype == Dtype::f16) put(half);
            if (tensor.dtype == Dtype::bf16) put(static_cast<std::uint16_t>(bits >> 16));
            if (tensor.dtype == Dtype::f64) put(static_cast<double>(value));
            if (tensor.dtype == Dtype::i64) put(static_cast<std::int64_t>(value));
        }
    }
    for (std::size_t i = 0; i < stored.size(); ++i)
        tensors.push_back({stored[i].name, stored[i].dtype, stored[i].shape, held[i]});
    auto file = to_safetensors(tensors);
    if (!file) FAIL(file.error().text);
    return std::move(*file);
}

template <class Net> std::vector<std::string> names_of() {
    std::vector<std::string> names;
    for (const NamedParameter& parameter : parameter_names<Net>()) names.push_back(parameter.name);
    return names;
}
using Names = std::vector<std::string>;

/// Outputs of a model on 1, 2, 3, ... with weights from a file.
template <class M> std::vector<float> outputs(std::span<const std::byte> file) {
    const auto weights = M::load(file);
    INFO(weights.error());
    REQUIRE(weights);
    typename M::Session session(*weights);
    std::vector<float> input(M::Input::elems);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i + 1);
    const auto found = session.forward(std::span<const float, M::Input::elems>{input.data(), input.size()});
    return {found.begin(), found.end()};
}

using Net = Sequential<Conv2d<2, 3, Kernel<1>>, ReLU, Flatten, Linear<6, 2>, BatchNorm1d<2>>;
using Small = Model<Net, Shape<1, 2, 2>>;
const std::vector<Stored> right{
    {"0.weight", {3, 2, 1, 1}}, {"0.bias", {3}}, {"3.weight", {2, 6}},    {"3.bias", {2}},
    {"4.weight", {2}},          {"4.bias", {2}}, {"4.running_mean", {2}}, {"4.running_var", {2}}};

std::vector<Stored> with(std::vector<Stored> tensors, const Stored& another) {
    tensors.push_back(another);
    return tensors;
}

} // namespace

TEST_CASE("weights: every missing, unexpected, misshapen and mistyped tensor is in one error", "[io]") {
    const auto file = file_with({{"0.weight", {3, 2}},             // a kernel without its extents
                                 {"3.bias", {7}},                  // another count
                                 {"3.weight", {2, 6}, Dtype::f64}, // another type
                                 {"4.running_mean", {2}},
                                 {"4.running_var", {2}, Dtype::i64},
                                 {"4.weight", {2}},
                                 {"0.weights", {3, 2, 1, 1}}, // one letter too many
                                 {"optimizer.step", {}, Dtype::i64}});
    const auto weights = Small::load(file);
    REQUIRE_FALSE(weights);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at <= weights.error().size();) {
        const std::size_t end = std::min(weights.error().find('\n', at), weights.error().size());
        lines.push_back(weights.error().substr(at, end - at));
        at = end + 1;
    }
    std::sort(lines.begin(), lines.end());
    CHECK(lines == Names{"0.bias: missing, wanted [3]", "0.weight: wrong shape, wanted [3, 2, 1, 1], found [3, 2]",
                         "0.weights: unexpected, the model has no such tensor; found F32 [3, 2, 1, 1]",
                         "3.bias: wrong shape, wanted [2], found [7]",
                         "3.weight: wrong dtype, wanted F32, F16 or BF16, found F64", "4.bias: missing, wanted [2]",
                         "4.running_var: wrong dtype, wanted F32, F16 or BF16, found I64",
                         "optimizer.step: unexpected, the model has no such tensor; found I64 []"});
}

TEST_CASE("weights: one fault of any kind is enough to load nothing", "[io]") {
    REQUIRE(Small::load(file_with(right)));
    for (std::size_t i = 0; i < right.size(); ++i) {
        INFO(right[i].name);
        std::vector<Stored> without = right, renamed = right, misshapen = right, mistyped = right;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK(Small::load(file_with(without)).error().find(right[i].name + ": missing") == 0);
        renamed[i].name += "_";
        CHECK(Small::load(file_with(renamed)).error().find(right[i].name + ": missing") == 0);
        CHECK(Small::load(file_with(renamed)).error().find(right[i].name + "_: unexpected") != std::string::npos);
        misshapen[i].shape.push_back(1); // as many elements, one axis more
        CHECK(Small::load(file_with(misshapen)).error().find(right[i].name + ": wrong shape") == 0);
        mistyped[i].dtype = Dtype::i64;
        CHECK(Small::load(file_with(mistyped)).error().find(right[i].name + ": wrong dtype") == 0);
    }
    CHECK(Small::load(file_with(with(right, {"5.weight", {1}}))).error() ==
          "5.weight: unexpected, the model has no such tensor; found F32 [1]");
    CHECK_FALSE(Small::load(file_with({})));
}

TEST_CASE("weights: half and bfloat16 files load, alone and mixed", "[io]") {
    std::vector<Stored> halves = right, brains = right, mixed = right;
    for (Stored& tensor : halves) tensor.dtype = Dtype::f16;
    for (Stored& tensor : brains) tensor.dtype = Dtype::bf16;
    for (std::size_t i = 0; i < mixed.size(); ++i)
        mixed[i].dtype = i % 3 == 0 ? Dtype::f32 : i % 3 == 1 ? Dtype::f16 : Dtype::bf16;
    const std::vector<float> wanted = outputs<Small>(file_with(right));
    CHECK(outputs<Small>(file_with(halves)) == wanted);
    CHECK(outputs<Small>(file_with(brains)) == wanted);
    CHECK(outputs<Small>(file_with(mixed)) == wanted);
    // Not by ignoring the file: other values, other outputs.
    std::vector<Stored> turned = halves;
    std::swap(turned[4], turned[5]);
    CHECK(outputs<Small>(file_with(turned)) != wanted);
}

TEST_CASE("weights: num_batches_tracked may be there, in any form, and is not read", "[io]") {
    const std::vector<float> wanted = outputs<Small>(file_with(right));
    CHECK(outputs<Small>(file_with(with(right, {"4.num_batches_tracked", {}, Dtype::i64}))) == wanted);
    CHECK(outputs<Small>(file_with(with(right, {"4.num_batches_tracked", {1}, Dtype::f32}))) == wanted);
    // Of a layer that has none it is a tensor like any other.
    CHECK_FALSE(Small::load(file_with(with(right, {"3.num_batches_tracked", {}, Dtype::i64}))));
}

TEST_CASE("weights: names are PyTorch's for Sequential", "[io]") {
    CHECK(names_of<Net>() == Names{"0.weight", "0.bias", "3.weight", "3.bias", "4.weight", "4.bias", "4.running_mean",
                                   "4.running_var", "4.num_batches_tracked"});
    CHECK(names_of<Linear<2, 3, NoBias>>() == Names{"weight"});
    CHECK(names_of<Sequential<ReLU, Sequential<ReLU, Linear<2, 2>>, Sequential<>>>() ==
          Names{"1.1.weight", "1.1.bias"});
    CHECK(names_of<Sequential<ReLU, MaxPool2d<2>>>().empty());
}

TEST_CASE("weights: Named modules bring their names, a position counts on", "[io]") {
    using First = Named<"fc1", Linear<4, 8>>;
    CHECK(names_of<First>() == Names{"fc1.weight", "fc1.bias"});
    CHECK(names_of<Sequential<First, ReLU, Linear<8, 2>>>() == Names{"fc1.weight", "fc1.bias", "2.weight", "2.bias"});
    // An empty name adds nothing, so that the children stand beside their parent's.
    CHECK(names_of<Named<"", Linear<4, 8, NoBias>>>() == Names{"weight"});
    CHECK(names_of<Sequential<Named<"", Sequential<Linear<4, 8, NoBias>>>, Named<"head", Linear<8, 2, NoBias>>>>() ==
          Names{"0.weight", "head.weight"});
    CHECK(names_of<Named<"model", Sequential<Named<"layers", Sequential<ReLU, Linear<4, 8, NoBias>>>>>>() ==
          Names{"model.layers.1.weight"});
    CHECK(names_of<Named<"a", Named<"b", Linear<1, 1, NoBias>>>>() == Names{"a.b.weight"});
}

TEST_CASE("weights: a residual's branches are body and shortcut, or as they are Named", "[io]") {
    using Body = Sequential<Linear<4, 4, NoBias>, ReLU>;
    using Shortcut = Linear<4, 4, NoBias>;
    CHECK(names_of<Residual<Body>>() == Names{"body.0.weight"});
    CHECK(names_of<Sequential<ReLU, Residual<Body, Shortcut>>>() == Names{"1.body.0.weight", "1.shortcut.weight"});
    CHECK(names_of<Residual<Residual<Body, Shortcut>>>() == Names{"body.body.0.weight", "body.shortcut.weight"});
    CHECK(names_of<Residual<Named<"conv", Body>, Named<"downsample", Shortcut>>>() ==
          Names{"conv.0.weight", "downsample.weight"});
    CHECK(names_of<Residual<Named<"", Body>>>() == Names{"0.weight"});
}

TEST_CASE("weights: parameter_names has the order and the shapes that Model::pack takes", "[io]") {
    using Tree = Sequential<Conv2d<2, 4, Kernel<3, 1>, Padding<1, 0>, Groups<2>>, BatchNorm2d<4>,
                            Residual<Named<"inner", Conv2d<4, 4, Kernel<1>>>, Conv2d<4, 4, Kernel<1>, NoBias>>, Flatten,
                            Linear<24, 5>>;
    using M = Model<Tree, Shape<3, 2, 2>>;
    const std::vector<NamedParameter> names = parameter_names<Tree>();
    REQUIRE(names.size() == static_cast<std::size_t>(M::parameter_count));
    CHECK(names[0].shape == extents_of(4, 1, 3, 1));
    CHECK(names[6].name == "1.num_batches_tracked");
    CHECK(names[6].ignored);
    CHECK(names[9].name == "2.shortcut.weight");
    CHECK(names[9].shape == extents_of(4, 4, 1, 1));
    CHECK(names[10].shape == extents_of(5, 24));

    // Packed by hand in that order, and loaded from a file in the opposite one: the same outputs.
    std::vector<std::vector<float>> values;
    std::vector<TensorToWrite> tensors;
    std::vector<const float*> pointers;
    values.reserve(names.size());
    for (const NamedParameter& name : names) {
        if (name.ignored) {
            pointers.push_back(nullptr);
            continue;
        }
        std::vector<float>& made = values.emplace_back(name.shape.elems());
        for (std::size_t i = 0; i < made.size(); ++i)
            made[i] = static_cast<float>((i * 7 + values.size() * 5) % 11 + 1) * 0.125F;
        pointers.push_back(made.data());
        TensorToWrite& tensor = tensors.emplace_back();
        tensor.name = name.name;
        for (int i = 0; i < name.shape.rank; ++i) tensor.shape.push_back(name.shape[i]);
        tensor.bytes = std::as_bytes(std::span<const float>(made));
    }
    std::reverse(tensors.begin(), tensors.end());
    const auto file = to_safetensors(tensors);
    REQUIRE(file);
    M::Weights weights{};
    M::pack(weights, pointers);
    M::Session session(weights);
    std::vector<float> input(M::Input::elems);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i + 1);
    const auto packed = session.forward(std::span<const float, M::Input::elems>{input.data(), input.size()});
    CHECK(outputs<M>(*file) == std::vector<float>(packed.begin(), packed.end()));
}

TEST_CASE("weights: a path loads as the same bytes do, and its errors begin with it", "[io]") {
    const TemporaryFile place;
    const auto missing = Small::load(place.path());
    REQUIRE_FALSE(missing);
    CHECK(missing.error().find(place.text()) != std::string::npos);

    const auto bytes = file_with(right);
    REQUIRE(write_file(place.path(), bytes));
    const auto loaded = Small::load(place.path());
    INFO(loaded.error());
    REQUIRE(loaded);
    CHECK(loaded.error().empty());
    CHECK(reinterpret_cast<std::uintptr_t>(&*loaded) % alignof(Small::Weights) == 0);

    REQUIRE(write_file(place.path(), file_with({{"0.weight", {1}}})));
    const auto wrong = Small::load(place.path());
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().find(place.text() +
                             ": 0.weight: wrong shape, wanted [3, 2, 1, 1], found [1]\n0.bias: missing") == 0);
}

TEST_CASE("weights: loading the same file twice gives the same bytes, padding too", "[io]") {
    // Odd channels leave bytes between parameters; what lay in that memory before must not come along.
    using Odd = Model<Conv2d<3, 3, Kernel<1>, Groups<3>>, Shape<1, 1, 3>>;
    const auto file = file_with({{"weight", {3, 1, 1, 1}}, {"bias", {3}}});
    const auto bytes_of_one = [&] {
        { // what the next block of that size holds
            std::vector<std::byte*> dirty;
            for (int i = 0; i < 8; ++i) {
                dirty.push_back(static_cast<std::byte*>(::operator new (Odd::weight_bytes, std::align_val_t{64})));
                std::memset(dirty.back(), 0xA5, Odd::weight_bytes);
            }
            for (std::byte* const block : dirty) ::operator delete (block, std::align_val_t{64});
        }
        const auto weights = Odd::load(file);
        REQUIRE(weights);
        std::vector<unsigned char> bytes(Odd::weight_bytes);
        std::memcpy(bytes.data(), &*weights, bytes.size());
        return bytes;
    };
    const std::vector<unsigned char> bytes = bytes_of_one();
    CHECK(std::count(bytes.begin(), bytes.end(), static_cast<unsigned char>(0xA5)) == 0);
    CHECK(bytes == bytes_of_one());
}
