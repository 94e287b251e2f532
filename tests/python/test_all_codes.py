"""Every unary operator on every code equals an oracle of many digits.

For each operator, attributes, code type and pair of grids there is one
Dequantize -> operator -> Quantize over all 256 codes, all of them in one model
per code type, run by the evaluator and on the CPU. The oracle is exact: a
rational function is computed in Fractions, any other with mpmath; a result is
rounded half to even once. Values near a tie are computed again with more
digits until they are decided.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from node_batch import NodeBatch

ONE, HALF = Fraction(1), Fraction(1, 2)
LOWEST, HIGHEST, REAL_ZERO = "lowest", "highest", "real zero"


def fp32(value):
    return Fraction(float(np.float32(value)))


def clamp(x, low, high):
    return min(max(x, low), high)


def leaky(alpha):
    return lambda x: x if x >= 0 else fp32(alpha) * x


def hard_sigmoid(alpha, beta):
    return lambda x: clamp(fp32(alpha) * x + fp32(beta), 0, 1)


# Functions that keep rationals rational. Python's round is half to even.
RATIONAL = {
    "Abs": [({}, abs)],
    "Neg": [({}, lambda x: -x)],
    "Sign": [({}, lambda x: Fraction((x > 0) - (x < 0)))],
    "Relu": [({}, lambda x: max(x, Fraction(0)))],
    "Ceil": [({}, lambda x: Fraction(math.ceil(x)))],
    "Floor": [({}, lambda x: Fraction(math.floor(x)))],
    "Round": [({}, lambda x: Fraction(round(x)))],
    "Softsign": [({}, lambda x: x / (1 + abs(x)))],
    "HardSwish": [({}, lambda x: x * clamp(x / 6 + HALF, 0, 1))],
    "LeakyRelu": [(dict(alpha=a), leaky(a)) for a in (0.01, 2.5, -0.3)],
    "HardSigmoid": [(dict(alpha=a, beta=b), hard_sigmoid(a, b))
                    for a, b in ((0.2, 0.5), (-0.4, 0.3))],
    "ThresholdedRelu": [(dict(alpha=0.7), lambda x: x if x > fp32(0.7)
                         else Fraction(0))],
    "Reciprocal": [({}, lambda x: ONE / x if x else HIGHEST)],
}


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def gelu_tanh(x):
    inner = mpmath.sqrt(2 / mpmath.pi) * (x + mpf("0.044715") * x**3)
    return x * (1 + mpmath.tanh(inner)) / 2


def positive_or(other):
    """x where x > 0; elsewhere other(x)."""
    return lambda x: x if x > 0 else other(x)


def real(value):
    return mpf(float(np.float32(value)))


def elu(alpha):
    return positive_or(lambda x: real(alpha) * mpmath.expm1(x))


def celu(alpha):
    return positive_or(lambda x: real(alpha) * mpmath.expm1(x / real(alpha)))


def selu(alpha, gamma):
    return lambda x: real(gamma) * elu(alpha)(x)


def log(x):
    return mpmath.log(x) if x > 0 else LOWEST


def sqrt(x):
    return mpmath.sqrt(x) if x >= 0 else REAL_ZERO


def softplus(x):
    return max(x, mpf(0)) + mpmath.log1p(mpmath.exp(-abs(x)))


# erfc keeps the digits of 1 + erf where it is almost 0.
IRRATIONAL = {
    "Sigmoid": [({}, sigmoid)],
    "Tanh": [({}, mpmath.tanh)],
    "Exp": [({}, mpmath.exp)],
    "Log": [({}, log)],
    "Sqrt": [({}, sqrt)],
    "Erf": [({}, mpmath.erf)],
    "Sin": [({}, mpmath.sin)],
    "Cos": [({}, mpmath.cos)],
    "Softplus": [({}, softplus)],
    "Mish": [({}, lambda x: x * mpmath.tanh(softplus(x)))],
    "Gelu": [({}, lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2),
             (dict(approximate="tanh"), gelu_tanh)],
    "Elu": [(dict(alpha=a), elu(a)) for a in (1.0, 0.3)],
    "Celu": [(dict(alpha=a), celu(a)) for a in (1.0, 0.6)],
    "Selu": [(dict(alpha=1.5, gamma=1.25), selu(1.5, 1.25))],
    "Swish": [(dict(alpha=a), lambda x, a=a: x * sigmoid(real(a) * x))
              for a in (1.0, 1.702)],
}

OPSETS = {"Swish": 24}  # all others: that of the batch

# Powers of two, 1/3, trained-like and extreme scales, each with others.
SCALES = [(2.0**-7, 2.0**-6), (1 / 3, 1 / 3), (0.05, 2.0**-7),
          (0.0371093, 0.0112), (1e-30, 1e-30), (1e8, 0.7), (0.9, 1e8),
          (1e-30, 1e8)]  # fmt: skip


def zero_points(dtype):
    ends = np.iinfo(dtype)
    zeros = [ends.min, -1, 0, 1, 77, ends.max]
    return [z for z in zeros if ends.min <= z <= ends.max]


def grids(dtype):
    """Every pair of scales with zero points that take turns."""
    zeros = zero_points(dtype)
    for i, (s1, s2) in enumerate(SCALES):
        yield (np.float32(s1), zeros[i % len(zeros)],
               np.float32(s2), zeros[(2 * i + 1) % len(zeros)])  # fmt: skip


def rounded(function, x, scale):
    """RHE(function(x) / scale), or the name of no value."""
    for digits in (40, 400, 4000):
        with mpmath.workdps(digits):
            value = function(mpf(x.numerator) / x.denominator)
            if isinstance(value, str):
                return value
            steps = clamp(value / (mpf(scale.numerator) / scale.denominator),
                          mpf(-(10**6)), mpf(10**6))  # fmt: skip
            nearest = mpmath.nint(steps)
            distance = abs(abs(steps - nearest) - mpf(1) / 2)
            if distance > mpf(10) ** (12 - digits):
                return int(nearest)
    return int(nearest)  # a tie to 4000 digits: nint took the even one


def rational_rounded(function, x, scale):
    value = function(x)
    return value if isinstance(value, str) else round(value / scale)


def expected_codes(round_steps, function, dtype, grid):
    s1, z1, s2, z2 = grid
    ends = np.iinfo(dtype)
    named = {LOWEST: ends.min, HIGHEST: ends.max, REAL_ZERO: z2}
    codes = []
    for q in range(ends.min, ends.max + 1):
        steps = round_steps(function, Fraction(float(s1)) * (q - z1),
                            Fraction(float(s2)))  # fmt: skip
        codes.append(named[steps] if isinstance(steps, str)
                     else clamp(steps + z2, ends.min, ends.max))  # fmt: skip
    return np.array(codes, dtype)


class AllCodes:
    """The batch of one code type, and what it must give."""

    def __init__(self, dtype, opset):
        self.dtype = dtype
        self.batch = NodeBatch(0, opset)
        ends = np.iinfo(dtype)
        self.codes = self.batch.input(
            np.arange(ends.min, ends.max + 1).astype(dtype))
        self.expected = {}

    def add(self, op, attributes, round_steps, function):
        constant = self.batch.constant
        for grid in grids(self.dtype):
            s1, z1, s2, z2 = grid
            x = self.batch.node("DequantizeLinear", [
                self.codes, constant(s1), constant(self.dtype(z1))], keep=False)
            y = self.batch.node(op, [x], keep=False, **attributes)
            q = self.batch.node("QuantizeLinear", [
                y, constant(s2), constant(self.dtype(z2))])
            self.expected[q] = (
                f"{op} {attributes} {grid}",
                expected_codes(round_steps, function, self.dtype, grid))

    def check(self, runner):
        for target in ("eval", "cpu"):
            found = runner.run(self.batch.model(), self.batch.feeds,
                               "--target", target)  # fmt: skip
            for name, (what, codes) in self.expected.items():
                np.testing.assert_array_equal(found[name], codes,
                                              err_msg=f"{target}: {what}")


@pytest.mark.parametrize("dtype", (np.int8, np.uint8))
@pytest.mark.parametrize("opset", (21, 24))
def test_every_code(runner, dtype, opset):
    group = AllCodes(dtype, opset)
    for table, round_steps in ((RATIONAL, rational_rounded),
                               (IRRATIONAL, rounded)):  # fmt: skip
        for op, forms in table.items():
            if OPSETS.get(op, 21) != opset:
                continue
            for attributes, function in forms:
                group.add(op, attributes, round_steps, function)
    group.check(runner)


def test_clip_on_every_code(runner):
    """Clip's bounds are operands; the upper one wins."""
    for dtype in (np.int8, np.uint8):
        group = AllCodes(dtype, 21)
        for low, high in ((0, 6), (-0.3, 1.7), (2, 1)):
            bounds = [group.batch.constant(np.float32(b)) for b in (low, high)]
            for grid in grids(dtype):
                s1, z1, s2, z2 = grid
                constant = group.batch.constant
                x = group.batch.node("DequantizeLinear", [
                    group.codes, constant(s1), constant(dtype(z1))], keep=False)
                y = group.batch.node("Clip", [x, *bounds], keep=False)
                q = group.batch.node("QuantizeLinear", [
                    y, constant(s2), constant(dtype(z2))])

                def clip(x, low=fp32(low), high=fp32(high)):
                    return min(max(x, low), high)

                group.expected[q] = (f"Clip {low} {high} {grid}",
                                     expected_codes(rational_rounded, clip,
                                                    dtype, grid))
        group.check(runner)
