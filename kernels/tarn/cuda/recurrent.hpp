// SPDX-License-Identifier: MIT
// GRU and LSTM: one block runs all steps, so that a step costs two barriers of a block; the state's weights stay on
// chip from step to step, in registers where they are few, else in shared memory where they fit.
// Named as its CPU twin. Knows the Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/elementwise.hpp>

namespace tarn::cuda {

/// Where the state's weights wait for the next step.
enum class Kept : int { registers, shared, memory };

/// in [T, I], out [T, H], weights as RecurrentPacked says. In place where an output row ends no later than its input
/// row: a step's inputs are read before its outputs are written. SharedBytes: what a block may have.
/// Source: torch.nn.GRU, torch.nn.LSTM. r, z = sigmoid; n = tanh(Wx + b + r * (Uh + c)); h' = n + z * (h - n).
/// i, f, o = sigmoid; g = tanh; c' = f * c + i * g; h' = o * tanh(c').
template <Op O, int Threads, std::size_t SharedBytes = 48 * 1024> struct Recurrent : RecurrentGeometry<O> {
    using G = RecurrentGeometry<O>;
    using typename G::Packed;
    static_assert(!O.add, "a recurrent layer has no sum in its epilogue");

    // Floats of shared memory: a step's input, h, c, the gates' sums, and the state's weights.
    static constexpr int h_at = G::inputs, c_at = h_at + G::hidden, sums_at = c_at + (G::is_gru ? 0 : G::hidden);
    static constexpr int weights_at = sums_at + G::sums * G::hidden;
    static constexpr std::size_t weight_floats = std::size_t{G::hidden} * G::lines;
    static constexpr Kept kept = G::lines <= Threads && G::hidden <= 64                        ? Kept::registers
                                 : (weights_at + weight_floats) * sizeof(float) <= SharedBytes ? Kept::shared
                                                                                               : Kept::memory;
    static constexpr std::size_t shared_bytes =
        (weights_at + (kept == Kept::shared ? weight_floats : 0)) * sizeof(float);
    static constexpr bool in_place = G::out_pitch <= G::in_pitch;
    static constexpr bool settles = true; ///< its last act is a barrier of the block

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float*, float* out, const Packed& w) {
        if (c.block() != 0) return;
        float* const x = c.template shared<float>();
        float* const h = x + h_at;
        float* const sums = x + sums_at;
        float* const weights = x + weights_at;
        float held[kept == Kept::registers ? G::hidden : 1];
        if constexpr (kept == Kept::registers) {
            TARN_DEVICE_UNROLL
            for (int k = 0; k < G::hidden; ++k) held[k] = c.thread() < G::lines ? w.hidden[k][c.thread()] : 0.F;
        } else if constexpr (kept == Kept::shared) {
            for (int i = c.thread(); i < static_cast<int>(weight_floats); i += Threads)
                weights[i] = w.hidden[i / G::lines][i % G::lines];
        }
        for (int i = c.thread(); i < sums_at - h_at; i += Threads) h[i] = 0.F; // and c behind it
        for (int t = 0; t < G::steps; ++t) {
            for (int i = c.thread(); i < G::inputs; i += Threads) x[i] = in[element(t, G::in_pitch, i)];
            c.block_barrier(); // the input and the new state are there
            for (int line = c.thread(); line < G::lines; line += Threads) {
                float of_input = 0.F, of_state = 0.F;
                for (int k = 0; k < G::inputs; ++k) of_input += x[k] * w.input[k][line];
                if constexpr (kept == Kept::registers) {
                    TARN_DEVICE_UNROLL
                    for (int k = 0; k < G::hidden; ++k) of_state += h[k] * held[k];
                } else if constexpr (kept == Kept::shared) {
                    for (int k = 0; k < G::hidden; ++k) of_state += h[k] * weights[k * G::lines + line];
                } else {
                    for (int k = 0; k < G::hidden; ++k) of_state += h[k] * w.hidden[k][line];
                }
                if (G::is_gru && line >= 2 * G::hidden) {
                    sums[line] = of_input + w.bias[line];
                    sums[line + G::hidden] = of_state + w.bias[line + G::hidden];
                } else {
                    sums[line] = of_input + of_state + w.bias[line];
                }
            }
            c.block_barrier(); // the sums are there, and nobody reads the old state any more
            for (int unit = c.thread(); unit < G::hidden; unit += Threads) {
                const float first = sigmoid(sums[unit]), second = sigmoid(sums[unit + G::hidden]);
                const float third = sums[unit + 2 * G::hidden], fourth = sums[unit + 3 * G::hidden];
                if constexpr (G::is_gru) {
                    const float fresh = ::tanhf(third + first * fourth);
                    h[unit] = fresh + second * (h[unit] - fresh);
                } else {
                    float* const cell = x + c_at + unit;
                    *cell = second * *cell + first * ::tanhf(third);
                    h[unit] = sigmoid(fourth) * ::tanhf(*cell);
                }
                out[element(t, G::out_pitch, unit)] = activate<G::act>(h[unit], G::act_parameter);
            }
        }
        c.block_barrier(); // nobody reads shared memory any more
    }
};

} // namespace tarn::cuda
