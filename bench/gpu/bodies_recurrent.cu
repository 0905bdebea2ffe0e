// SPDX-License-Identifier: MIT
// GRU and LSTM on a card, the state's weights in registers, in shared and in global memory; in place.
// Beside the other bodies_*.cu. Knows Ops by value.
#include "bodies.cuh"

using namespace tarn;
using namespace tarn_test;

namespace tarn_bench {

namespace {

constexpr Op gru(int steps, int in, int hidden) { return pixel_op(OpKind::gru, extents_of(steps, in), hidden); }
constexpr Op lstm(int steps, int in, int hidden) { return pixel_op(OpKind::lstm, extents_of(steps, in), hidden); }
constexpr auto apart = Where::apart, here = Where::on_input;
constexpr auto f32 = tarn::cuda::Factor::f32;
constexpr std::size_t usual = 48 * 1024;

struct Recurrent {
    static constexpr BodyCase cases[] = {
        {"GRU of 19, registers", gru(6, 5, 19), apart, 0, f32, 64, 0, usual},
        {"GRU of 24, shared memory", gru(5, 9, 24), apart, 0, f32, 64, 0, usual},
        {"GRU of 24, global memory", gru(5, 9, 24), apart, 0, f32, 64, 0, 1024},
        {"GRU of 64, 256 threads", gru(64, 16, 64)},
        {"GRU of 150, 256 threads", gru(20, 40, 150)},
        {"GRU of 12, in place", gru(6, 17, 12), here, 0, f32, 64, 0, usual},
        {"LSTM of 13, registers", lstm(6, 3, 13), apart, 0, f32, 64, 0, usual},
        {"LSTM of 20, shared memory", lstm(5, 7, 20), apart, 0, f32, 64, 0, usual},
        {"LSTM of 20, global memory", lstm(5, 7, 20), apart, 0, f32, 64, 0, 1024},
        {"LSTM of 64, 256 threads", lstm(64, 16, 64)},
        {"LSTM of 17, relu, in place", fused(lstm(6, 17, 17), false, Activation::relu), here, 0, f32, 64, 0, usual},
    };
};

} // namespace

void check_recurrent_bodies(Report& report) { check_list<Recurrent>(report); }

} // namespace tarn_bench
