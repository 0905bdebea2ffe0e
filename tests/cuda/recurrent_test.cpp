// SPDX-License-Identifier: MIT
// GRU and LSTM in the emulated grid: the state's weights in registers, in shared memory and in global memory.
// Three orders of threads each. Knows bodies; nothing of plans.
#include "cuda/body_check.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

template <Op O, cuda::Kept Where, std::size_t SharedBytes = 48 * 1024> void check_recurrent(Out out = Out::apart) {
    using Body = cuda::Recurrent<O, 64, SharedBytes>;
    static_assert(Body::kept == Where && Body::shared_bytes <= SharedBytes);
    check_body<Body, O, 64>({2, out, 2e-6});
}

} // namespace

TEST_CASE("recurrent layers keep the state's weights where they fit") {
    check_recurrent<pixel_op(OpKind::gru, extents_of(6, 5), 19), cuda::Kept::registers>();
    check_recurrent<pixel_op(OpKind::gru, extents_of(5, 9), 24), cuda::Kept::shared>();
    check_recurrent<pixel_op(OpKind::gru, extents_of(5, 9), 24), cuda::Kept::memory, 1024>();
    check_recurrent<pixel_op(OpKind::lstm, extents_of(6, 3), 13), cuda::Kept::registers>();
    check_recurrent<pixel_op(OpKind::lstm, extents_of(5, 7), 20), cuda::Kept::shared>();
    check_recurrent<pixel_op(OpKind::lstm, extents_of(5, 7), 20), cuda::Kept::memory, 1024>();
}

TEST_CASE("a step's outputs may go where its inputs were") {
    constexpr Op gru = pixel_op(OpKind::gru, extents_of(6, 17), 12);
    constexpr Op lstm = fused(pixel_op(OpKind::lstm, extents_of(6, 17), 17), false, Activation::relu);
    static_assert(cuda::Recurrent<gru, 64>::in_place && cuda::Recurrent<lstm, 64>::in_place);
    check_recurrent<gru, cuda::Kept::registers>(Out::on_input);
    check_recurrent<lstm, cuda::Kept::shared>(Out::on_input);
}
