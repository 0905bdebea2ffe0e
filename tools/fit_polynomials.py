#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the polynomials of kernels/tarn/cpu/math.hpp and prints their coefficients and errors.

Interpolation at Chebyshev nodes in 40 digits, near enough to minimax for float. Needs mpmath (pip install mpmath).
Stands outside the build: run it only to change a degree or a range.
"""

from mpmath import cos, erfc, exp, lu_solve, log, matrix, mp, mpf, pi, sqrt, tanh

mp.dps = 40


def fit(function, low, high, degree):
    count = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    powers = matrix(count, count)
    values = matrix(count, 1)
    for i, node in enumerate(nodes):
        values[i] = function(node)
        for j in range(count):
            powers[i, j] = node**j
    return list(lu_solve(powers, values))


def worst(function, coefficients, low, high, weight):
    most = mpf(0)
    for i in range(2000):
        x = low + (high - low) * (i + mpf(1) / 2) / 2000
        value = sum(c * x**j for j, c in enumerate(coefficients))
        most = max(most, abs((value - function(x)) * weight(x)))
    return most


def show(title, function, low, high, degree, weight):
    coefficients = fit(function, low, high, degree)
    print(f"{title}: error {float(worst(function, coefficients, low, high, weight)):.2e}")
    print("   ", ", ".join(f"{float(c):.10e}f" for c in coefficients))


def exp_rest(r):
    return mpf(1) / 2 + r / 6 if abs(r) < mpf("1e-15") else (exp(r) - 1 - r) / r**2


def tanh_rest(u):
    return (tanh(sqrt(u)) / sqrt(u) - 1) / u


def erfc_scaled(t, p=mpf("0.4")):
    x = (1 / t - 1) / p
    return erfc(x) * exp(x * x) / t


if __name__ == "__main__":
    half = log(mpf(2)) / 2
    tiny = mpf("1e-12")
    show("exp(r) = 1 + r + r^2 P(r), |r| <= ln(2)/2", exp_rest, -half, half, 4, lambda r: r * r)
    show("tanh(x) = x + x^3 P(x^2), |x| <= 0.625", tanh_rest, tiny, mpf("0.625") ** 2, 4, lambda u: u)
    first = 1 / (1 + mpf("0.4") * 10)
    show("erfc(x) = t exp(-x^2) P(t), t = 1 / (1 + 0.4 x), 0 <= x <= 10, relative", erfc_scaled, first, mpf(1), 9,
         lambda t: 1 / erfc_scaled(t))
