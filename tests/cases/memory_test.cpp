// SPDX-License-Identifier: MIT
// Memory where other libraries went wrong: a value with two readers, an arena found by trial, tensors on one address.
// Answers computed by hand or by the reference.
// Knows the public face only.
#include "cases/answer.hpp"

using namespace tarn;
using tarn_test::answer;
using Values = std::vector<float>;

TEST_CASE("a value survives the layer that could overwrite it when somebody reads it later", "[cases]") {
    // y = relu(x), z = x + y.
    CHECK(answer<Residual<ReLU>, Shape<4>>({-2, -1, 1, 3}) == Values{-2, -1, 2, 6});
    // x comes from a layer and lies in the arena: twice the input, then the same.
    CHECK(answer<Sequential<Linear<1, 1, NoBias>, Residual<ReLU>>, Shape<4, 1>>({-2, -1, 1, 3}, {{2}}) ==
          Values{-4, -2, 4, 12});
    // A residual block whose first layer runs in place, and whose sum is read twice again.
    CHECK(answer<Residual<Residual<Sequential<ReLU, MaxPool2d<1>>>>, Shape<1, 4, 1>>({-2, -1, 1, 3}) ==
          Values{-4, -2, 3, 9});
}

TEST_CASE("the caller's input is never written, even when it is the output", "[cases]") {
    const Values input{-2, -1, 1, 3};
    CHECK(answer<ReLU, Shape<4>>(input) == Values{0, 0, 1, 3}); // answer compares the input before and after
    CHECK(answer<Sequential<>, Shape<4>>(input) == input);
}

namespace {

using Digits = Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>,
                          Conv2d<16, 32, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<32 * 2 * 2, 10>>;

} // namespace

TEST_CASE("the arena's size is a constant that fits a budget or does not compile", "[cases]") {
    using M = Model<Digits, Shape<8, 8, 1>>;
    static_assert(M::arena_bytes <= 1792);
    static_assert(M::arena_bytes > 1792 - 64); // the budget is not met by chance
    // The constant is the memory: a session holds the arena and no more than a line of its own.
    STATIC_REQUIRE(sizeof(M::Session) >= M::arena_bytes);
    STATIC_REQUIRE(sizeof(M::Session) <= M::arena_bytes + 64);
    STATIC_REQUIRE(sizeof(M::InPlaceSession) <= M::arena_bytes_in_place + 64);

    // Exactly that many bytes do, with guards at both ends.
    const tarn_test::RandomParameters<Digits> parameters(3);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    tarn_test::GuardedArena<M::arena_bytes> arena;
    M::BorrowedSession session(*weights, arena.bytes());
    const Values image = tarn_test::random_floats(64, 4);
    session.forward(std::span<const float, 64>{image.data(), 64});
    CHECK(arena.intact());
}

TEST_CASE("a plan that keeps every tensor gives each an address and a value of its own", "[cases]") {
    using In = Shape<8, 8, 1>;
    using Kept = Model<Digits, In, Cpu<>, KeepAll>;
    using Small = Model<Digits, In>;
    STATIC_REQUIRE(Kept::step_count == 5); // the activations are part of their convolutions
    STATIC_REQUIRE(Small::arena_bytes < Kept::arena_bytes);

    const tarn_test::RandomParameters<Digits> parameters(5);
    const Values image = tarn_test::random_floats(In::elems, 6);
    const std::span<const float, In::elems> x{image.data(), In::elems};
    const auto weights = tarn_test::packed<Kept>(parameters.pointers());
    const auto session = std::make_unique<Kept::Session>(*weights);
    session->forward(x);

    const auto first = session->step_output<0>();
    const auto second = session->step_output<1>();
    const auto third = session->step_output<2>();
    const auto fourth = session->step_output<3>();
    const auto last = session->step_output<4>();
    const std::span<const float> outputs[] = {first, second, third, fourth, last};
    for (const auto& a : outputs)
        for (const auto& b : outputs)
            CHECK((&a == &b || a.data() + a.size() <= b.data() || b.data() + b.size() <= a.data()));

    using One = Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU>;
    using Two = Sequential<One, MaxPool2d<2>>;
    using Three = Sequential<Two, Conv2d<16, 32, Kernel<3>, Padding<1>>, ReLU>;
    using Four = Sequential<Three, MaxPool2d<2>>;
    const auto all = parameters.pointers();
    CHECK(tarn_test::worst_difference(reference_forward<One, In>(x, all), first) <= 1e-5);
    CHECK(tarn_test::worst_difference(reference_forward<Two, In>(x, all), second) <= 1e-5);
    CHECK(tarn_test::worst_difference(reference_forward<Three, In>(x, all), third) <= 1e-5);
    CHECK(tarn_test::worst_difference(reference_forward<Four, In>(x, all), fourth) <= 1e-5);
    CHECK(tarn_test::worst_difference(reference_forward<Digits, In>(x, all), last) <= 1e-5);
}
