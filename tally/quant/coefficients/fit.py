#!/usr/bin/env python3
"""Polynomial coefficients of the pinned float functions.

Prints, for every polynomial in tally/quant/pinned, its fp32 coefficients
(lowest power first, as C hexadecimal floats) and log2 of its largest weighted
error with these rounded coefficients. Needs mpmath. Deterministic.

Method: weighted minimax on a Chebyshev grid by Lawson's iteration, in 50 digits.
Coefficients are rounded to fp32 one by one from the lowest power, and after
each rounding the higher ones are fitted anew, so that they absorb what the
rounding lost.
"""

import struct

from mpmath import mp, mpf

mp.dps = 50


def to_fp32(value):
    return mpf(struct.unpack("f", struct.pack("f", float(value)))[0])


def hex_fp32(value):
    mantissa, _, exponent = float(value).hex().partition("p")
    head, _, digits = mantissa.partition(".")
    digits = digits.rstrip("0")
    return f"{head}{'.' + digits if digits else ''}p{int(exponent)}f"


def evaluate(coefficients, x):
    return mp.polyval(coefficients[::-1], x)


def lawson(rows, wanted, count):
    """Weighted minimax by Lawson's iteration: least squares whose weights grow
    where the error is large. Coefficients of the `count` columns of rows."""
    weights = [mpf(1)] * len(rows)
    for _ in range(12):
        normal = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for row, value, weight in zip(rows, wanted, weights):
            for i in range(count):
                scaled = weight * row[i]
                right[i] += scaled * value
                for j in range(i, count):
                    normal[i, j] += scaled * row[j]
        for i in range(count):
            for j in range(i):
                normal[i, j] = normal[j, i]
        solution = mp.lu_solve(normal, right)
        errors = [abs(value - mp.fdot(row, solution))
                  for row, value in zip(rows, wanted)]
        weights = [w * e for w, e in zip(weights, errors)]
        total = sum(weights)
        weights = [w / total for w in weights]
    return solution


def fit_rounded(f, weight, lo, hi, degree):
    grid = [lo + (hi - lo) * (1 - mp.cos(mp.pi * (i + mpf(1) / 2) / 96)) / 2
            for i in range(96)]
    values = [f(x) for x in grid]
    weights = [weight(x) for x in grid]
    fixed = []
    for power in range(degree + 1):
        rows = [[w * x ** k for k in range(power, degree + 1)]
                for x, w in zip(grid, weights)]
        wanted = [w * (v - evaluate(fixed, x)) if fixed else w * v
                  for x, w, v in zip(grid, weights, values)]
        solution = lawson(rows, wanted, degree + 1 - power)
        fixed.append(to_fp32(solution[0]))
    return fixed


def report(name, f, weight, lo, hi, degree):
    lo, hi = mpf(lo), mpf(hi)
    c = fit_rounded(f, weight, lo, hi, degree)
    worst = max(abs(weight(x) * (f(x) - evaluate(c, x)))
                for x in (lo + (hi - lo) * (i + mpf(1) / 3) / 2000
                          for i in range(2000)))
    print(f"{name} on [{mp.nstr(lo, 8)}, {mp.nstr(hi, 8)}], "
          f"log2 error {mp.nstr(mp.log(worst, 2), 4)}")
    print("  " + ", ".join(hex_fp32(x) for x in c))


def split(name, value, leading_bits):
    """value as an fp32 of few bits and the fp32s of what remains."""
    exponent = int(mp.floor(mp.log(value, 2)))
    step = mpf(2) ** (exponent - leading_bits + 1)
    parts = [mp.nint(value / step) * step]
    while len(parts) < 3:
        parts.append(to_fp32(value - sum(parts)))
    print(f"{name}: " + ", ".join(hex_fp32(x) for x in parts))


def main():
    half_ln2 = mp.log(2) / 2 * mpf("1.001")
    report("exp: (e^r - 1 - r) / r^2",
           lambda r: (mp.expm1(r) - r) / r ** 2,
           lambda r: r ** 2 / mp.exp(r), -half_ln2, half_ln2, 4)
    report("tanh: (tanh(x)/x - 1) / x^2 in x^2",
           lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
           lambda z: z * mp.sqrt(z) / mp.tanh(mp.sqrt(z)), 0, "0.37", 4)
    report("log: (log(1+f) - f + f^2/2) / f^3",
           lambda f: (mp.log1p(f) - f + f ** 2 / 2) / f ** 3,
           lambda f: f ** 3 / mp.log1p(f),
           mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 7)
    report("erf near 0: erf(x)/x - 1 in x^2",
           lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
           lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), 0, "0.85", 6)
    report("erf far: -log(erfc(a))",
           lambda a: -mp.log(mp.erfc(a)),
           lambda a: mp.erfc(a) / mp.erf(a), "0.9", "3.95", 9)
    quarter = (mp.pi / 4 * mpf("1.001")) ** 2
    report("sin: (sin(r)/r - 1) / r^2 in r^2",
           lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
           lambda z: z, 0, quarter, 3)
    report("cos: (cos(r) - 1 + r^2/2) / r^4 in r^2",
           lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z ** 2,
           lambda z: z ** 2, 0, quarter, 3)
    report("pow: (log((1+s)/(1-s))/s - 2 - 2/3 s^2) / s^4 in s^2",
           lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2
                      - 2 * z / 3) / z ** 2,
           lambda z: z ** 2, 0, "0.0297", 3)
    split("ln 2", mp.log(2), 16)
    split("pi/2", mp.pi / 2, 24)
    split("2/3", mpf(2) / 3, 24)
    with mp.workdps(100):
        words = [int(mp.floor(2 / mp.pi * mpf(2) ** (32 * (i + 1))))
                 & 0xffffffff for i in range(7)]
    print("2/pi in 32-bit words: " + ", ".join(f"0x{w:08x}" for w in words))


if __name__ == "__main__":
    main()
