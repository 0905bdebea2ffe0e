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

#include <tarn/cpu/math.hpp>
#include <tarn/cpu/geometry.hpp>

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
    /// Adds x[k] times weights [gate][k][panel] of Count gates. One sum a gate, in the order of k: sums in parts were
    /// faster, but let some networks swing by a last bit for ever in silence, where a stream shall come to rest.
    template <int Count, int Length, int Gate>
    TARN_ALWAYS_INLINE static void add(Vec (&sum)[Count][vectors], const float* x,
                                       const float (*w)[Length][G::panel]) noexcept {
        for (int k = 0; k < Length; ++k) {
            const Vec value = broadcast(x[k]);
            TARN_UNROLL
            for (int g = 0; g < Count; ++g) {
                TARN_UNROLL
                for (int v = 0; v < vectors; ++v) sum[g][v] = fma(value, load(w[Gate + g][k] + v * lanes), sum[g][v]);
            }
        }
    }

    /// Sums of gates [Gate, Gate + Count) of panel p. A GRU's new gate, the third, leaves the input's part in the third
    /// place and the state's in the fourth.
    template <int Gate, int Count>
    TARN_ALWAYS_INLINE static void sum(const float* x, const float* h, const Packed& w, int p,
                                       Vec (&gates)[G::sums][vectors]) noexcept {
        constexpr bool apart = G::is_gru && Gate + Count == G::gates;
        Vec sums[Count][vectors];
        TARN_UNROLL
        for (int g = 0; g < Count; ++g) {
            TARN_UNROLL
            for (int v = 0; v < vectors; ++v) sums[g][v] = load(w.bias[p][Gate + g] + v * lanes);
        }
        add<Count, G::inputs, Gate>(sums, x, w.input[p]);
        if constexpr (apart) {
            TARN_UNROLL
            for (int v = 0; v < vectors; ++v) {
                gates[2][v] = sums[Count - 1][v];
                sums[Count - 1][v] = load(w.bias[p][3] + v * lanes);
            }
        }
        add<Count, G::hidden, Gate>(sums, h, w.hidden[p]);
        TARN_UNROLL
        for (int g = 0; g < Count; ++g) {
            TARN_UNROLL
            for (int v = 0; v < vectors; ++v) gates[apart && g == Count - 1 ? 3 : Gate + g][v] = sums[g][v];
        }
    }

    static void step(const float* x, float* out, float* state, float* next, const Packed& w) noexcept {
        for (int p = 0; p < G::panels; ++p) {
            Vec gates[G::sums][vectors];
            if constexpr (together == G::gates) {
                sum<0, G::gates>(x, state, w, p, gates);
            } else {
                sum<0, 2>(x, state, w, p, gates);
                sum<2, G::gates - 2>(x, state, w, p, gates);
            }
            TARN_UNROLL
            for (int v = 0; v < vectors; ++v) {
                const int unit = p * G::panel + v * lanes;
                const Vec first = gate(gates[0][v]), second = gate(gates[1][v]);
                if constexpr (G::is_gru) {
                    const Vec fresh = tanh(fma(first, gates[3][v], gates[2][v]));
                    store(next + unit, fma(second, load(state + unit) - fresh, fresh));
                } else {
                    float* const cell = state + G::padded + unit;
                    const Vec c = fma(second, load(cell), first * tanh(gates[2][v]));
                    store(cell, c);
                    store(next + unit, gate(gates[3][v]) * tanh(c));
                }
            }
        }
        constexpr int whole = G::hidden - G::hidden % lanes, rest = G::hidden % lanes;
        for (int i = 0; i < G::padded; i += lanes) store(state + i, load(next + i));
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
