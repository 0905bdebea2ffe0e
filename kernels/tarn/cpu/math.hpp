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

/// The largest of a vector's elements; whatever NaN is among them.
template <int Begin = 0, int Count = lanes> TARN_ALWAYS_INLINE float largest_of(Vec v) noexcept {
    if constexpr (Count == 1) {
        return v[Begin];
    } else {
        const float a = largest_of<Begin, Count / 2>(v), b = largest_of<Begin + Count / 2, Count / 2>(v);
        return a > b ? a : b;
    }
}

/// x = n ln 2 + r with |r| <= ln(2) / 2: r, and 2^n for n in [-126, 127], 0 for -127; or 2^-n.
struct Exponent {
    Vec power, r;
};
template <bool Inverse = false> TARN_ALWAYS_INLINE Exponent split_exponent(Vec x) noexcept {
    const Vec rounding = broadcast(12582912.f); // 1.5 * 2^23: adding it rounds to an integer, and n is in the last bits
    const Vec rounded = fma(x, broadcast(1.44269504f), rounding);
    const Vec n = rounded - rounding;
    Exponent e;
    e.r = fma(n, broadcast(2.12194440e-4f), fma(n, broadcast(-0.693359375f), x));
    IntVec bits;
    __builtin_memcpy(&bits, &rounded, sizeof(Vec));
    bits = Inverse ? (127 << 23) - (bits << 23) : (bits << 23) + (127 << 23);
    __builtin_memcpy(&e.power, &bits, sizeof(Vec));
    return e;
}
/// exp(r) - 1 = r + r^2 P(r). P in two halves: what waits for one another costs more here than one product more.
TARN_ALWAYS_INLINE Vec rest_of_exp(Vec r) noexcept {
    const Vec square = r * r;
    const Vec low = fma(broadcast(1.6666577026e-1f), r, broadcast(0.5f));
    const Vec high = fma(broadcast(8.3631730745e-3f), r, broadcast(4.1666554662e-2f));
    return fma(fma(fma(broadcast(1.3926176120e-3f), square, high), square, low), square, r);
}

/// exp(x) of x <= 0, relative 3e-7, by a shorter P; 0 below -87.7, where the power of two has no bits left.
TARN_ALWAYS_INLINE Vec exp_below_one(Vec x) noexcept {
    const Exponent e = split_exponent(max(broadcast(-88.f), x));
    const Vec square = e.r * e.r;
    const Vec low = fma(broadcast(1.6667099064e-1f), e.r, broadcast(4.9999255378e-1f));
    const Vec high = fma(broadcast(8.3129836214e-3f), e.r, broadcast(4.1886607485e-2f));
    return fma(e.power, fma(fma(high, square, low), square, e.r), e.power);
}
/// exp(x) - 1 without cancellation near zero.
TARN_ALWAYS_INLINE Vec expm1(Vec x) noexcept {
    const Exponent e = split_exponent(max(broadcast(-87.33f), min(broadcast(88.02f), x)));
    return fma(e.power, rest_of_exp(e.r), e.power - 1.f);
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
/// sigmoid(x), relative 4e-7: 1 / (1 + exp(-x)) with exp(-x) = 2^-n (A - r) / (A + r), one division for both.
TARN_ALWAYS_INLINE Vec sigmoid(Vec x) noexcept {
    const Exponent e = split_exponent<true>(max(broadcast(-88.02f), min(broadcast(88.f), x)));
    const Vec square = e.r * e.r;
    const Vec even =
        fma(fma(broadcast(-2.7698545981e-3f), square, broadcast(1.6666654775e-1f)), square, broadcast(2.f));
    return (even + e.r) / fma(e.power, even - e.r, even + e.r);
}

/// erfc(x) / 2 of x >= 0 or below, relative 1e-6 where the result is not subnormal.
TARN_ALWAYS_INLINE Vec half_erfc(Vec x) noexcept {
    const Vec a = magnitude(x);
    const Vec t = 1.f / fma(broadcast(0.4f), a, broadcast(1.f));
    const Vec square = t * t; // even and odd powers apart: half the steps that wait for one another
    Vec odd = fma(broadcast(-3.3501126872e-2f), square, broadcast(-5.4650261776e-1f));
    Vec even = fma(broadcast(2.1878535613e-1f), square, broadcast(6.0934218029e-1f));
    odd = fma(odd, square, broadcast(-3.3431187617e-1f));
    even = fma(even, square, broadcast(2.9797319458e-1f));
    odd = fma(odd, square, broadcast(1.2105998247e-1f));
    even = fma(even, square, broadcast(2.1668938596e-1f));
    odd = fma(odd, square, broadcast(2.2474866527e-1f));
    even = fma(even, square, broadcast(2.2571685744e-1f));
    const Vec positive = 0.5f * t * fma(odd, t, even) * exp_below_one(-(a * a));
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
