// SPDX-License-Identifier: MIT
// Vectors cut short in memory, and exp, tanh, sigmoid, erfc and the activations on them.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set); used by every kernel of that set.
// Knows nothing of layers' extents. Coefficients: tools/fit_polynomials.py.
#if defined(TARN_READ_MATH) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_MATH)
#undef TARN_READ_MATH
#else
#define TARN_READ_MATH
#endif

#include <tarn/cpu/simd.hpp>
#include <tarn/nn/op.hpp>

namespace tarn::cpu::TARN_SET {

TARN_ALWAYS_INLINE Vec broadcast(float x) noexcept { return x - Vec{}; }

/// The first Count elements of a vector, zeros behind them.
template <int Count> TARN_ALWAYS_INLINE Vec first(Vec v) noexcept {
    if constexpr (Count == lanes) return v;
    IntVec bits;
    __builtin_memcpy(&bits, &v, sizeof(Vec));
    for (int i = Count; i < lanes; ++i) bits[i] = 0;
    __builtin_memcpy(&v, &bits, sizeof(Vec));
    return v;
}
/// The sum of a vector's elements from Begin on, in pairs, then pairs of pairs.
template <int Begin = 0, int Count = lanes> TARN_ALWAYS_INLINE float sum_of(Vec v) noexcept {
    if constexpr (Count == 1)
        return v[Begin];
    else
        return sum_of<Begin, Count / 2>(v) + sum_of<Begin + Count / 2, Count / 2>(v);
}

/// exp(r) - 1 = r + r^2 P(r), and the n of x = n ln 2 + r with |r| <= ln(2) / 2.
TARN_ALWAYS_INLINE Vec split_exp(Vec x, Vec& n) noexcept {
    const Vec rounding = broadcast(12582912.f); // 1.5 * 2^23: adding it rounds to an integer
    n = fma(x, broadcast(1.44269504f), rounding) - rounding;
    Vec r = fma(n, broadcast(-0.693359375f), x);
    r = fma(n, broadcast(2.12194440e-4f), r);
    Vec p = broadcast(1.3926176120e-3f);
    p = fma(p, r, broadcast(8.3631730745e-3f));
    p = fma(p, r, broadcast(4.1666554662e-2f));
    p = fma(p, r, broadcast(1.6666577026e-1f));
    p = fma(p, r, broadcast(0.5f));
    return fma(p * r, r, r);
}
/// 2^n for integers n in [-126, 127], 0 for -127.
TARN_ALWAYS_INLINE Vec power_of_two(Vec n) noexcept {
    const IntVec bits = (__builtin_convertvector(n, IntVec) + 127) << 23;
    Vec v;
    __builtin_memcpy(&v, &bits, sizeof(Vec));
    return v;
}

/// exp(x), relative 2e-7; 0 below -87.7, where the power of two has no bits left; largest finite power at 88.02 and
/// above.
TARN_ALWAYS_INLINE Vec exp(Vec x) noexcept {
    const Vec bounded = max(broadcast(-88.f), min(broadcast(88.02f), x));
    Vec n;
    const Vec rest = split_exp(bounded, n);
    const Vec power = power_of_two(n);
    return fma(power, rest, power);
}
/// exp(x) - 1 without cancellation near zero.
TARN_ALWAYS_INLINE Vec expm1(Vec x) noexcept {
    const Vec bounded = max(broadcast(-87.33f), min(broadcast(88.02f), x));
    Vec n;
    const Vec rest = split_exp(bounded, n);
    const Vec scale = power_of_two(n);
    return fma(scale, rest, scale - 1.f);
}
TARN_ALWAYS_INLINE Vec magnitude(Vec x) noexcept { return max(x, -x); }

/// tanh(x), relative 4e-7, never beyond 1: a quotient of polynomials in x^2 with no negative coefficient.
TARN_ALWAYS_INLINE Vec tanh(Vec x) noexcept {
    const Vec bounded = max(broadcast(-8.f), min(broadcast(8.f), x));
    const Vec u = bounded * bounded;
    Vec p = broadcast(1.5231192601e-8f);
    p = fma(p, u, broadcast(2.1895241180e-5f));
    p = fma(p, u, broadcast(3.5716340648e-3f));
    p = fma(p, u, broadcast(1.3444528618e-1f));
    p = fma(p, u, broadcast(1.f));
    Vec q = broadcast(8.5227697878e-7f);
    q = fma(q, u, broadcast(3.4113503634e-4f));
    q = fma(q, u, broadcast(2.6164580942e-2f));
    q = fma(q, u, broadcast(4.6777855960e-1f));
    q = fma(q, u, broadcast(1.f));
    return bounded * p / q;
}
/// sigmoid(x) to 3e-7 of one, as gates want it: below -16 it stays at 1e-7.
TARN_ALWAYS_INLINE Vec gate(Vec x) noexcept { return fma(tanh(x * 0.5f), broadcast(0.5f), broadcast(0.5f)); }
/// sigmoid(x), relative 4e-7.
TARN_ALWAYS_INLINE Vec sigmoid(Vec x) noexcept { return 1.f / (1.f + exp(-x)); }

/// erfc(x) / 2 of x >= 0 or below, relative 1e-6 where the result is not subnormal.
TARN_ALWAYS_INLINE Vec half_erfc(Vec x) noexcept {
    const Vec a = magnitude(x);
    const Vec t = 1.f / fma(broadcast(0.4f), a, broadcast(1.f));
    Vec p = broadcast(-3.3501126872e-2f);
    p = fma(p, t, broadcast(2.1878535613e-1f));
    p = fma(p, t, broadcast(-5.4650261776e-1f));
    p = fma(p, t, broadcast(6.0934218029e-1f));
    p = fma(p, t, broadcast(-3.3431187617e-1f));
    p = fma(p, t, broadcast(2.9797319458e-1f));
    p = fma(p, t, broadcast(1.2105998247e-1f));
    p = fma(p, t, broadcast(2.1668938596e-1f));
    p = fma(p, t, broadcast(2.2474866527e-1f));
    p = fma(p, t, broadcast(2.2571685744e-1f));
    const Vec positive = 0.5f * t * p * exp(-(a * a));
    return x < 0.f ? 1.f - positive : positive;
}

/// An activation on a vector. NaN stays NaN.
template <Activation F> TARN_ALWAYS_INLINE Vec activate(Vec x, float parameter) noexcept {
    if constexpr (F == Activation::relu) {
        return max(Vec{}, x);
    } else if constexpr (F == Activation::relu6) {
        return min(broadcast(6.f), max(Vec{}, x));
    } else if constexpr (F == Activation::leaky_relu) {
        return x < 0.f ? x * parameter : x;
    } else if constexpr (F == Activation::sigmoid) {
        return sigmoid(x);
    } else if constexpr (F == Activation::tanh) {
        return tanh(x);
    } else if constexpr (F == Activation::gelu) {
        return x * half_erfc(x * -0.707106781f);
    } else if constexpr (F == Activation::gelu_tanh) {
        // x * (1 + tanh(z)) / 2 = x * sigmoid(2 z)
        const Vec z = 0.7978845608f * fma(broadcast(0.044715f) * x, x * x, x);
        return x * sigmoid(z + z);
    } else if constexpr (F == Activation::silu) {
        return x * sigmoid(x);
    } else if constexpr (F == Activation::hard_swish) {
        return x * min(broadcast(6.f), max(Vec{}, x + 3.f)) * 0.16666667f;
    } else if constexpr (F == Activation::elu) {
        return x > 0.f ? x : x != x ? x : parameter * expm1(x);
    } else {
        static_cast<void>(parameter);
        return x;
    }
}

/// The first `count` floats of a vector to memory. As load_some, used at the ragged ends of rows.
TARN_ALWAYS_INLINE void store_some(float* to, Vec v, int count) noexcept {
    float padded[lanes];
    store(padded, v);
    for (int i = 0; i < count; ++i) to[i] = padded[i];
}

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
