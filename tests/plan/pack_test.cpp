// SPDX-License-Identifier: MIT
// Packing: no two buffers alive together share an element, no packing is below LB0, and known optima are reached.
// The judge counts step by step and element by element; it shares nothing with the packer.
// Knows buffers only; no network is planned here.
#include "support/catch.hpp"

#include <tarn/plan/pack.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <vector>

using namespace tarn;

namespace {

/// What a packing of small numbers is, found by walking over every step and every element.
struct Verdict {
    bool apart = true;       ///< no element has two owners at one step
    std::size_t highest = 0; ///< one past the highest element that anybody owns
    std::size_t alive = 0;   ///< most elements owned at one step, sizes rounded up
};

template <std::size_t Elems, long Steps>
constexpr Verdict judge(std::span<const Buffer> buffers, std::size_t alignment = 1) {
    Verdict verdict;
    for (long step = 0; step < Steps; ++step) {
        std::array<bool, Elems> owned{};
        std::size_t alive = 0;
        for (const Buffer& b : buffers) {
            if (step < b.begin || step >= b.end) continue;
            for (std::size_t e = b.at; e < b.at + b.size; ++e) {
                verdict.apart = verdict.apart && !owned[e];
                owned[e] = true;
                verdict.highest = std::max(verdict.highest, e + 1);
            }
            for (alive += b.size; alive % alignment != 0;) ++alive;
        }
        verdict.alive = std::max(verdict.alive, alive);
    }
    return verdict;
}

/// The example network of Pisarchyk and Lee, 2020: first and last operation of each tensor, and its size.
constexpr std::array<Buffer, 8> pisarchyk_lee{
    {{0, 2, 32}, {1, 5, 28}, {2, 6, 36}, {3, 6, 16}, {4, 6, 8}, {5, 8, 64}, {6, 9, 10}, {7, 9, 40}}};

/// minimalloc's introductory example, which fits exactly into 12.
constexpr std::array<Buffer, 5> introductory{{{0, 3, 4}, {3, 9, 4}, {0, 9, 4}, {9, 21, 4}, {0, 21, 4}}};

template <std::size_t N> constexpr bool reaches(std::array<Buffer, N> buffers, std::size_t optimum) {
    if (live_bound(buffers) != optimum || pack(buffers) != optimum) return false;
    const Verdict verdict = judge<256, 24>(buffers);
    return verdict.apart && verdict.highest == optimum && verdict.alive == optimum;
}
static_assert(reaches(pisarchyk_lee, 124));
static_assert(reaches(introductory, 12));

std::vector<Buffer> random_buffers(unsigned seed, std::size_t count, long steps) {
    std::mt19937 random(seed);
    const auto below = [&](long n) { return static_cast<long>(random() % static_cast<unsigned long>(n)); };
    std::vector<Buffer> buffers(count);
    for (Buffer& b : buffers) {
        b.begin = below(steps);
        b.end = b.begin + 1 + below(std::min(steps - b.begin, steps / 3));
        b.size = static_cast<std::size_t>(1 + below(40));
    }
    return buffers;
}

/// Some dozens of buffers that no order of first fit packs well, made by the compiler itself.
constexpr std::array<Buffer, 32> staggered() {
    std::array<Buffer, 32> buffers{};
    unsigned long value = 54;
    for (Buffer& b : buffers) {
        value = value * 1103515245UL % 2147483648UL + 12345UL;
        b.begin = static_cast<long>(value / 65536UL % 14UL);
        b.end = b.begin + 1 + static_cast<long>(value / 1024UL % 6UL);
        b.size = 1 + value / 4096UL % 16UL;
    }
    return buffers;
}

} // namespace

TEST_CASE("the judge sees buffers that share an element") {
    const std::array<Buffer, 2> shared{{{0, 2, 4, 0}, {1, 3, 4, 3}}};
    const std::array<Buffer, 2> in_turn{{{0, 2, 4, 0}, {2, 3, 4, 3}}};
    CHECK_FALSE(judge<16, 4>(shared).apart);
    CHECK(judge<16, 4>(in_turn).apart);
}

TEST_CASE("random buffers stay apart, at aligned addresses, in no less than LB0 and no more than any first fit") {
    int at_bound = 0, better_than_orders = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        const std::size_t alignment = seed % 3 == 0 ? 8 : 1;
        INFO("seed " << seed << ", alignment " << alignment);
        std::vector<Buffer> buffers = random_buffers(seed, 1 + seed % 60, 24);

        std::size_t best_order = ~std::size_t{0};
        for (const PackOrder order : {PackOrder::time, PackOrder::size, PackOrder::life, PackOrder::area}) {
            const std::size_t used = first_fit(buffers, order, alignment);
            CHECK(judge<2400, 24>(buffers).apart);
            best_order = std::min(best_order, used);
        }
        CHECK(pack(buffers, alignment, 0) == best_order);
        const std::size_t used = pack(buffers, alignment, 2000);
        const Verdict verdict = judge<2400, 24>(buffers, alignment);
        CHECK(verdict.apart);
        CHECK((verdict.highest + alignment - 1) / alignment * alignment == used);
        CHECK(verdict.alive == live_bound(buffers, alignment));
        CHECK(used >= verdict.alive);
        CHECK(used <= best_order);
        CHECK(std::all_of(buffers.begin(), buffers.end(), [=](const Buffer& b) { return b.at % alignment == 0; }));
        at_bound += used == verdict.alive ? 1 : 0;
        better_than_orders += used < best_order ? 1 : 0;

        std::vector<Buffer> again = random_buffers(seed, 1 + seed % 60, 24);
        CHECK(pack(again, alignment, 2000) == used);
        CHECK(std::equal(again.begin(), again.end(), buffers.begin(),
                         [](const Buffer& a, const Buffer& b) { return a.at == b.at; }));
    }
    CAPTURE(at_bound, better_than_orders);
    CHECK(at_bound >= 190);
    CHECK(better_than_orders >= 50);
}

TEST_CASE("some dozens of buffers are packed in a constant, moves included") {
    constexpr auto packed = [] {
        auto buffers = staggered();
        const std::size_t used = pack(buffers);
        return std::pair{buffers, used};
    }();
    auto buffers = staggered();
    CHECK(pack(buffers) == packed.second);
    const Verdict verdict = judge<600, 24>(packed.first);
    CHECK(verdict.apart);
    CHECK(verdict.highest == packed.second);
    std::size_t best_order = ~std::size_t{0};
    for (const PackOrder order : {PackOrder::time, PackOrder::size, PackOrder::life, PackOrder::area})
        best_order = std::min(best_order, first_fit(buffers, order));
    CHECK(best_order == 106);
    CHECK(packed.second == 100);
    CHECK(live_bound(buffers) == 100);
}

TEST_CASE("none, one, empty ones and ones never alive") {
    CHECK(pack({}) == 0);
    std::array<Buffer, 1> one{{{3, 4, 10}}};
    CHECK(pack(one, 16) == 16);
    CHECK(one[0].at == 0);
    std::array<Buffer, 4> odd{{{0, 9, 0}, {5, 5, 100}, {7, 2, 100}, {-9, 9, 6}}};
    CHECK(live_bound(odd) == 6);
    CHECK(pack(odd) == 6);
    for (const Buffer& b : odd) CHECK(b.at == 0);
}
