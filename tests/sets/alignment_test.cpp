// SPDX-License-Identifier: MIT
// Arenas and weights at the alignment that the device's type asks for, up to a page of 2 MiB; the same numbers.
// Static, on the heap and in memory of the caller's.
// Knows the public face only.
#include "support/model_check.hpp"

using namespace tarn;

namespace {

template <class T> std::size_t address(const T& object) { return reinterpret_cast<std::size_t>(&object); }

using Net = Sequential<Linear<16, 24>, ReLU, Linear<24, 4>>;
template <class Device> using ModelOn = Model<Net, Shape<3, 16>, Device>;

template <std::size_t Bytes> void check_aligned() {
    using M = ModelOn<Aligned<Bytes>>;
    using Plain = ModelOn<Cpu<>>;
    static_assert(alignof(typename M::Weights) == Bytes && M::weight_bytes % Bytes == 0);
    static_assert(alignof(typename M::Session) == Bytes && alignof(typename M::InPlaceSession) == Bytes);
    static_assert(M::arena_bytes == Plain::arena_bytes);
    INFO("aligned to " << Bytes);

    const tarn_test::RandomParameters<typename M::Module> parameters(3);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    CHECK(address(*weights) % Bytes == 0);
    const auto x = tarn_test::random_floats(M::Input::elems, 4);
    const std::span<const float, M::Input::elems> input(x.data(), M::Input::elems);
    static typename M::Session session(*weights);
    CHECK(address(session) % Bytes == 0); // its arena is its first member
    const auto y = session.forward(input);

    const auto plain_weights = tarn_test::packed<Plain>(parameters.pointers());
    const auto plain = std::make_unique<typename Plain::Session>(*plain_weights);
    const auto expected = plain->forward(input);
    CHECK(std::equal(y.begin(), y.end(), expected.begin(), expected.end()));

    using Borrowed = BorrowedArena<M::arena_bytes, Bytes>;
    const auto memory = std::make_unique<Arena<M::arena_bytes + 64, Bytes>>();
    const std::span<const std::byte> bytes = std::as_bytes(std::span(memory->data(), M::arena_bytes / 4 + 16));
    CHECK(Borrowed::accepts(bytes));
    CHECK_FALSE(Borrowed::accepts(bytes.subspan(32)));
    CHECK(Borrowed::accepts(bytes.subspan(64)) == (Bytes == 64));
}

} // namespace

TEST_CASE("arenas and weights are aligned as the device asks") {
    check_aligned<64>();
    check_aligned<huge_page>();
}
