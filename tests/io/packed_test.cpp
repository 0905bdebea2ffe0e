// SPDX-License-Identifier: MIT
// Packed weights in a file: the same bits without a copy, and every file that must be refused.
// Tests include/tarn/io/packed.hpp.
// Knows the public face only.
#include "io/temporary_file.hpp"
#include "support/model_check.hpp"

#include <tarn/io/packed.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

using namespace tarn;
using tarn_test::TemporaryFile;

namespace {

template <class Activation>
using Net = Sequential<Conv2d<1, 5, Kernel<3>>, BatchNorm2d<5>, Activation, Conv2d<5, 5, Kernel<3>, Groups<5>>, Flatten,
                       Linear<20, 3>>;
using In = Shape<6, 6, 1>;
using Small = Model<Net<ReLU>, In>;

static_assert(std::is_trivially_copyable_v<Small::Weights>);
static_assert(!std::is_copy_constructible_v<MappedWeights<Small::Weights>>);

std::unique_ptr<Small::Weights> small_weights(unsigned seed) {
    const tarn_test::RandomParameters<Net<ReLU>> parameters(seed);
    return tarn_test::packed<Small>(parameters.pointers());
}

std::vector<std::byte> contents(const TemporaryFile& place) {
    auto file = MappedFile::open(place.path());
    if (!file) FAIL(file.error().text);
    return {file->bytes().begin(), file->bytes().end()};
}

/// The error that mapping those bytes gives, which begins with the path.
template <class M = Small> std::string refusal(const std::vector<std::byte>& bytes) {
    const TemporaryFile place;
    REQUIRE(write_file(place.path(), bytes));
    const auto mapped = map_packed<M>(place.path());
    if (mapped) return "mapped";
    CHECK(mapped.error().text.find(place.text()) != std::string::npos);
    return mapped.error().text;
}
bool says(const std::string& error, const std::string& words) { return error.find(words) != std::string::npos; }

/// Whether the memory at an address is pages of that file, as the system tells it. True where it does not tell.
bool lies_in(const void* address, const std::string& path) {
    std::FILE* const maps = std::fopen("/proc/self/maps", "r");
    if (maps == nullptr) return true;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    char line[4096];
    bool found = false;
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        unsigned long long first = 0, last = 0;
        if (std::sscanf(line, "%llx-%llx", &first, &last) == 2 && first <= at && at < last)
            found = std::string(line).find(path) != std::string::npos;
    }
    std::fclose(maps);
    return found;
}

} // namespace

TEST_CASE("packed: weights come back with the same bits, in place, and give the same outputs", "[io]") {
    const TemporaryFile place;
    const auto weights = small_weights(1);
    const auto saved = save_packed<Small>(place.path(), *weights);
    REQUIRE(saved);
    const auto mapped = map_packed<Small>(place.path());
    if (!mapped) FAIL(mapped.error().text);
    CHECK(std::memcmp(&**mapped, weights.get(), Small::weight_bytes) == 0);
    CHECK(lies_in(&**mapped, place.text()));
    CHECK(lies_in(reinterpret_cast<const std::byte*>(&**mapped) + Small::weight_bytes - 1, place.text()));
    CHECK(reinterpret_cast<std::uintptr_t>(&**mapped) % alignof(Small::Weights) == 0);
    CHECK_FALSE(lies_in(weights.get(), place.text()));

    const std::vector<float> input = tarn_test::random_floats(In::elems, 2);
    const std::span<const float, In::elems> x{input.data(), In::elems};
    Small::Session first(*weights), second(**mapped);
    const auto wanted = first.forward(x), found = second.forward(x);
    CHECK(std::memcmp(wanted.data(), found.data(), wanted.size_bytes()) == 0);
}

TEST_CASE("packed: every instruction set and policy reads the same file", "[io]") {
    const TemporaryFile place;
    const auto weights = small_weights(3);
    REQUIRE(save_packed<Small>(place.path(), *weights));
    using Baseline = Model<Net<ReLU>, In, Cpu<cpu::Baseline>>;
    using Kept = Model<Net<ReLU>, In, Cpu<>, KeepAll>;
    CHECK(map_packed<Baseline>(place.path()));
    CHECK(map_packed<Kept>(place.path()));
}

TEST_CASE("packed: the mapping outlives the file's name and a newer file in its place", "[io]") {
    const TemporaryFile place;
    const auto weights = small_weights(4), newer = small_weights(5);
    REQUIRE(save_packed<Small>(place.path(), *weights));
    auto mapped = map_packed<Small>(place.path());
    REQUIRE(mapped);
    REQUIRE(save_packed<Small>(place.path(), *newer));
    CHECK(std::memcmp(&**mapped, weights.get(), Small::weight_bytes) == 0);
    const MappedWeights<Small::Weights> moved = *std::move(mapped);
    CHECK(std::memcmp(&*moved, weights.get(), Small::weight_bytes) == 0);
}

TEST_CASE("packed: a file of another network is refused, of the same size too", "[io]") {
    const TemporaryFile place;
    REQUIRE(save_packed<Small>(place.path(), *small_weights(6)));
    const auto bytes = contents(place);
    CHECK(refusal(bytes) == "mapped");
    using OtherActivation = Model<Net<SiLU>, In>;
    STATIC_REQUIRE(OtherActivation::weight_bytes == Small::weight_bytes);
    CHECK(says(refusal<OtherActivation>(bytes), "packed for another network"));
    CHECK(says(refusal<Model<Linear<36, 3>, Shape<36>>>(bytes), "packed for another network"));
    // The same weights, laid out for features in another order.
    using Ordered = Model<Sequential<Conv2d<1, 5, Kernel<3>>, BatchNorm2d<5>, ReLU, Conv2d<5, 5, Kernel<3>, Groups<5>>,
                                     FlattenChannelsLast, Linear<20, 3>>,
                          In>;
    STATIC_REQUIRE(Ordered::weight_bytes == Small::weight_bytes);
    CHECK(says(refusal<Ordered>(bytes), "packed for another network"));
}

TEST_CASE("packed: a file cut anywhere, or too long, is refused", "[io]") {
    const TemporaryFile place;
    REQUIRE(save_packed<Small>(place.path(), *small_weights(7)));
    const auto bytes = contents(place);
    REQUIRE(bytes.size() == 64 + Small::weight_bytes);
    for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{63}}) {
        INFO(size);
        CHECK(says(refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}), "too short"));
    }
    for (const std::size_t size : {std::size_t{64}, std::size_t{65}, bytes.size() - 64, bytes.size() - 1}) {
        INFO(size);
        CHECK(says(refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
                   "holds " + std::to_string(size) + " bytes, wanted " + std::to_string(bytes.size())));
    }
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    CHECK(says(refusal(longer), "wanted " + std::to_string(bytes.size())));
    CHECK(refusal({}) != "mapped");
}

TEST_CASE("packed: a flipped bit is refused", "[io]") {
    const TemporaryFile place;
    REQUIRE(save_packed<Small>(place.path(), *small_weights(8)));
    const auto bytes = contents(place);
    for (std::size_t at = 64; at < bytes.size(); at += at % 2 == 0 ? 61 : 128) {
        std::vector<std::byte> damaged = bytes;
        damaged[at] ^= std::byte{0x10};
        INFO(at);
        CHECK(says(refusal(damaged), "damaged"));
    }
    std::vector<std::byte> damaged = bytes;
    damaged.back() ^= std::byte{0x80};
    CHECK(says(refusal(damaged), "damaged"));
    // The checksum itself.
    damaged = bytes;
    damaged[32] ^= std::byte{1};
    CHECK(says(refusal(damaged), "damaged"));
}

TEST_CASE("packed: another version and other kinds of file are refused", "[io]") {
    const TemporaryFile place;
    REQUIRE(save_packed<Small>(place.path(), *small_weights(9)));
    const auto bytes = contents(place);
    std::vector<std::byte> changed = bytes;
    changed[8] ^= std::byte{1};
    CHECK(says(refusal(changed), "another version"));
    changed = bytes;
    changed[0] = std::byte{'T'};
    CHECK(says(refusal(changed), "not packed weights"));
    CHECK(says(refusal(std::vector<std::byte>(bytes.size(), std::byte{0})), "not packed weights"));
}

TEST_CASE("packed: a missing file and a folder that is not there are errors with the path", "[io]") {
    const TemporaryFile place;
    const auto mapped = map_packed<Small>(place.path());
    REQUIRE_FALSE(mapped);
    CHECK(says(mapped.error().text, place.text()));
    const std::string nowhere = place.text() + "/none/weights";
    const auto saved = save_packed<Small>(nowhere.c_str(), *small_weights(10));
    REQUIRE_FALSE(saved);
    CHECK(says(saved.error().text, nowhere));
}

TEST_CASE("packed: a network without weights has a file too", "[io]") {
    using Bare = Model<Sequential<ReLU, MaxPool2d<2>>, Shape<4, 4, 1>>;
    const TemporaryFile place;
    const Bare::Weights weights{};
    REQUIRE(save_packed<Bare>(place.path(), weights));
    CHECK(map_packed<Bare>(place.path()));
    CHECK_FALSE(map_packed<Small>(place.path()));
}
