#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the polynomials and the quotient of kernels/tarn/cpu/math.hpp and prints their coefficients and errors.

Interpolation at Chebyshev nodes in 40 digits, near enough to minimax for float. Needs mpmath (pip install mpmath).
Stands outside the build: run it only to change a degree or a range.
"""

from mpmath import cos, erfc, exp, lu_solve, log, matrix, mp, mpf, pi, tanh

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


def show(title, function, low, high, degree, weight, least=False):
    coefficients = fit_least(function, low, high, degree, weight) if least else fit(function, low, high, degree)
    print(f"{title}: error {float(worst(function, coefficients, low, high, weight)):.2e}")
    print("   ", ", ".join(f"{float(c):.10e}f" for c in coefficients))


def fit_least(function, low, high, degree, weight, points=120, rounds=60):
    """The polynomial of least weighted error: Lawson's weights, which grow where the error is large."""
    samples = [(low + high) / 2 + (high - low) * ((i + mpf(1) / 2) / points - mpf(1) / 2) for i in range(points)]
    weights = [mpf(1)] * points
    best = None
    for _ in range(rounds):
        equations, values = matrix(degree + 1, degree + 1), matrix(degree + 1, 1)
        for x, w in zip(samples, weights):
            scale = w * weight(x)**2
            for i in range(degree + 1):
                values[i] += scale * x**i * function(x)
                for j in range(degree + 1):
                    equations[i, j] += scale * x**(i + j)
        solved = list(lu_solve(equations, values))
        errors = [abs((sum(c * x**j for j, c in enumerate(solved)) - function(x)) * weight(x)) for x in samples]
        if best is None or max(errors) < best[0]:
            best = max(errors), solved
        weights = [w * (e / max(errors) + mpf("1e-9")) for w, e in zip(weights, errors)]
        weights = [w * points / sum(weights) for w in weights]
    return best[1]


def exp_rest(r):
    return mpf(1) / 2 + r / 6 if abs(r) < mpf("1e-15") else (exp(r) - 1 - r) / r**2


def even_exp(u):
    """2 + u / 6 - .. with exp(r) = (this + r) / (this - r), u = r^2; without the 2, over u."""
    r = mp.sqrt(u)
    return (r * (exp(r) + 1) / (exp(r) - 1) - 2) / u


def tanh_ratio(x):
    return tanh(x) / x


def fit_ratio(function, high, degree, points=160, rounds=60):
    """P / Q of one degree in u = x^2, Q(0) = 1, of least relative error over x in (0, high]: Lawson's weights, which
    grow where the error is large, on least squares of P - function * Q over the last Q."""
    samples = [high * (1 - cos(pi * (i + mpf(1) / 2) / points)) / 2 for i in range(points)]
    targets = [function(x) for x in samples]
    rows = [[x**(2 * j) for j in range(degree + 1)] + [-y * x**(2 * j) for j in range(1, degree + 1)]
            for x, y in zip(samples, targets)]
    weights, below = [mpf(1)] * points, [mpf(1)] * points
    best = None
    for _ in range(rounds):
        count = 2 * degree + 1
        equations, values = matrix(count, count), matrix(count, 1)
        for row, y, weight, q in zip(rows, targets, weights, below):
            scale = weight / (y * q)**2
            for i in range(count):
                values[i] += scale * row[i] * y
                for j in range(count):
                    equations[i, j] += scale * row[i] * row[j]
        solved = list(lu_solve(equations, values))
        p, q = solved[:degree + 1], [mpf(1)] + solved[degree + 1:]
        below = [sum(c * x**(2 * j) for j, c in enumerate(q)) for x in samples]
        errors = [abs(sum(c * x**(2 * j) for j, c in enumerate(p)) / d / y - 1)
                  for x, y, d in zip(samples, targets, below)]
        if best is None or max(errors) < best[0]:
            best = max(errors), p, q
        weights = [w * (e / max(errors) + mpf("1e-9")) for w, e in zip(weights, errors)]
        weights = [w * points / sum(weights) for w in weights]
    return best[1:]


def show_ratio(title, function, high, degree):
    above, below = fit_ratio(function, high, degree)
    most = mpf(0)
    for i in range(4000):
        x = high * (i + mpf(1) / 2) / 4000
        value = sum(c * x**(2 * j) for j, c in enumerate(above)) / sum(c * x**(2 * j) for j, c in enumerate(below))
        most = max(most, abs(value / function(x) - 1))
    print(f"{title}: error {float(most):.2e}")
    for coefficients in (above, below):
        print("   ", ", ".join(f"{float(c):.10e}f" for c in coefficients))


def erfc_scaled(t, p=mpf("0.4")):
    x = (1 / t - 1) / p
    return erfc(x) * exp(x * x) / t


if __name__ == "__main__":
    half = log(mpf(2)) / 2
    tiny = mpf("1e-12")
    show("exp(r) = 1 + r + r^2 P(r), |r| <= ln(2)/2", exp_rest, -half, half, 4, lambda r: r * r)
    show("the same with a shorter P, relative", exp_rest, -half, half, 3, lambda r: r * r / exp(r), True)
    show("exp(r) = (A + r) / (A - r), A = 2 + u A1(u), u = r^2", even_exp, tiny, half**2, 1, lambda u: u**1.5 / 2)
    show_ratio("tanh(x) = x P(x^2) / Q(x^2), |x| <= 8, relative", tanh_ratio, mpf(8), 4)
    first = 1 / (1 + mpf("0.4") * 10)
    show("erfc(x) = t exp(-x^2) P(t), t = 1 / (1 + 0.4 x), 0 <= x <= 10, relative", erfc_scaled, first, mpf(1), 9,
         lambda t: 1 / erfc_scaled(t))
