// SPDX-License-Identifier: MIT
// GRU and LSTM, one step at a time: the gates of a panel of hidden units are summed together in registers.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op and its geometry; nothing of plans or files.
#if defined(TARN_READ_RECURRENT) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_RECURRENT)
#undef TARN_READ_RECURRENT
#else
#define TARN_READ_RECURRENT
#endif

#include <tarn/cpu/gemm.hpp>

namespace tarn::cpu::TARN_SET {

/// Input [T, I], output [T, H], weights as RecurrentGeometry says.
/// Source: torch.nn.GRU, torch.nn.LSTM. r, z = sigmoid; n = tanh(Wx + b + r * (Uh + c)); h' = n + z * (h - n).
/// i, f, o = sigmoid; g = tanh; c' = f * c + i * g; h' = o * tanh(c').
template <Op O> struct Recurrent : RecurrentGeometry<O> {
    using G = RecurrentGeometry<O>;
    using typename G::Packed;
    static_assert(!O.add, "a recurrent layer has no sum in its epilogue");
    static constexpr int vectors = G::panel / lanes;
    /// Gates summed at once: as many as leave registers for an input and a product.
    static constexpr int together = G::gates * vectors + 2 <= registers ? G::gates : 2;
    static constexpr int input_elems = G::inputs * G::panel, hidden_elems = G::hidden * G::panel; // of one gate

    /// Sums of gates [Gate, Gate + Count) of a panel, to gates[Gate..][panel]. A GRU's new gate, the third, leaves the
    /// input's part in the third place and the state's in the fourth.
    template <int Gate, int Count>
    TARN_ALWAYS_INLINE static void sum(const float* x, const float* h, const Packed& w, int p, float* gates) noexcept {
        constexpr bool apart = G::is_gru && Gate + Count == G::gates;
        Tile<1, Count, G::panel> tile;
        tile.start(w.bias[p][Gate]);
        tile.template add_from<0, 1, G::inputs, 0>(x, w.input[p][Gate][0], input_elems);
        if constexpr (apart) {
            TARN_UNROLL
            for (int v = 0; v < vectors; ++v) {
                store(gates + 2 * G::panel + v * lanes, tile.sum[0][(Count - 1) * vectors + v]);
                tile.sum[0][(Count - 1) * vectors + v] = load(w.bias[p][3] + v * lanes);
            }
        }
        tile.template add_from<0, 1, G::hidden, 0>(h, w.hidden[p][Gate][0], hidden_elems);
        TARN_UNROLL
        for (int g = 0; g < Count; ++g) {
            TARN_UNROLL
            for (int v = 0; v < vectors; ++v) {
                const int place = apart && g == Count - 1 ? 3 : Gate + g;
                store(gates + place * G::panel + v * lanes, tile.sum[0][g * vectors + v]);
            }
        }
    }

    static void step(const float* x, float* out, float* state, float* next, const Packed& w) noexcept {
        for (int p = 0; p < G::panels; ++p) {
            alignas(64) float gates[G::sums * G::panel];
            if constexpr (together == G::gates) {
                sum<0, G::gates>(x, state, w, p, gates);
            } else {
                sum<0, 2>(x, state, w, p, gates);
                sum<2, G::gates - 2>(x, state, w, p, gates);
            }
            for (int v = 0; v < G::panel; v += lanes) {
                const int unit = p * G::panel + v;
                const Vec first = sigmoid(load(gates + v)), second = sigmoid(load(gates + G::panel + v));
                const Vec third = load(gates + 2 * G::panel + v), fourth = load(gates + 3 * G::panel + v);
                if constexpr (G::is_gru) {
                    const Vec fresh = tanh(fma(first, fourth, third));
                    store(next + unit, fma(second, load(state + unit) - fresh, fresh));
                } else {
                    float* const cell = state + G::padded + unit;
                    const Vec c = fma(second, load(cell), first * tanh(third));
                    store(cell, c);
                    store(next + unit, sigmoid(fourth) * tanh(c));
                }
            }
        }
        __builtin_memcpy(state, next, sizeof(float) * std::size_t{G::padded});
        constexpr int whole = G::hidden - G::hidden % lanes, rest = G::hidden % lanes;
        for (int i = 0; i < whole; i += lanes) store(out + i, activate<O.act>(load(next + i), O.act_parameter()));
        if constexpr (rest > 0) store_some(out + whole, activate<O.act>(load(next + whole), O.act_parameter()), rest);
    }

    template <Schedule S>
    static void run(const float* in, const float*, float* out, float* scratch, const Packed& w) noexcept {
        static_assert(S == Schedule{}, "time runs forwards");
        float* const state = scratch;
        for (std::size_t i = 0; i < G::state_elems; ++i) state[i] = 0.f;
        for (int t = 0; t < G::steps; ++t)
            step(in + std::ptrdiff_t{t} * in_pitch_of(O), out + std::ptrdiff_t{t} * out_pitch_of(O), state,
                 scratch + G::state_elems, w);
    }
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
