"""Public bug reports of this field, each as a family of small graphs.

The values are derived by hand beside each case. Codes are int8 unless said
otherwise; s is a scale, z a zero point. Every case runs on the evaluator and
on the CPU.
"""

import numpy as np
import pytest
from small_graph import F32, I8, U8, Graph, check


# ---------------------------------------------------------------------------
# A. Rounding, scales, saturation
# ---------------------------------------------------------------------------

def test_average_pool_rounds_once(runner):
    """BL-01: means 1.5, .5, 2.5, -.5, -1.5 round half to even."""
    g = Graph()
    pairs = [[1, 2], [0, 1], [2, 3], [-1, 0], [-2, -1]]
    x = np.array(pairs, I8).reshape(1, 5, 1, 2)
    f = g.dq(g.input("x", x), 1, 0)
    y = g.q(g.node("AveragePool", [f], kernel_shape=[1, 2]), 1, 0)
    check(runner, g, y, np.array([2, 0, 2, 0, -2], I8))


@pytest.mark.parametrize("width", [4, 5])
@pytest.mark.parametrize("profile,expected", [("ideal", (0, 0)),
                                              ("tflite", (1, 0))])
def test_double_rounding_is_a_profile(runner, profile, expected, width):
    """BL-03, BL-18: r = 1/4, acc = 1 and -1. One rounding gives 0; two give
    first +-1/2, rounded up to 1 and 0, then 1/2 away from zero. Every
    element alike, whatever the vector width."""
    g = Graph()
    x = np.array([[1], [-1]], I8)
    f = g.dq(g.input("x", x), 1, 0)
    w = g.dq(g.const(np.ones([1, width]), I8), 0.25, 0)
    y = g.q(g.node("MatMul", [f, w]), 1, 0)
    check(runner, g, y, np.repeat(np.array([expected], I8).T, width, 1),
          options=("--numerics", profile))


def test_integer_softmax_saturates_to_its_type(runner):
    """BL-07: probability 1 on scale 1/256, z -128 is code 128: saturates to
    127, never wraps."""
    g = Graph()
    x = g.input("x", np.array([[127, -128, -128, -128]], I8))
    y = g.node("QLinearSoftmax", [
        x, g.const(0.1), g.const(0, I8), g.const(1 / 256),
        g.const(-128, I8)], domain="com.microsoft", axis=1, opset=13)
    check(runner, g, y, np.array([[127, -128, -128, -128]], I8))


def test_two_grids_are_not_merged(runner):
    """BL-09: .2 on s=.1 is code 2; 2 * .1 on s=.15, z=10 is 1.33 -> 11."""
    g = Graph()
    first = g.dq(g.q(g.input("x", np.array([0.2], F32)), 0.1, 0), 0.1, 0)
    check(runner, g, g.q(first, 0.15, 10), np.array([11], I8))


def test_pair_sums_do_not_saturate(runner):
    """BL-10: 255 * 127 + 255 * 127 = 64770, beyond 16 bits."""
    g = Graph()
    a = g.input("a", np.array([[255, 255]], U8))
    y = g.node("MatMulInteger", [a, g.const([[127], [127]], I8)])
    check(runner, g, y, np.array([[64770]], np.int32))


def test_quantize_reaches_the_lowest_code(runner):
    """BL-13."""
    g = Graph()
    x = np.array([-129, -128, -127, 126, 127, 128], F32)
    check(runner, g, g.q(g.input("x", x), 1, 0),
          np.array([-128, -128, -127, 126, 127, 127], I8))


def test_half_precision_quantize_rounds(runner):
    """BL-14: in fp16 .05003 / .09998 is just above one half: 1, not 0."""
    g = Graph()
    x = np.array([0.050018310546875, -0.050018310546875], np.float16)
    y = g.node("QuantizeLinear", [g.input("x", x),
                                  g.const(0.0999755859375, np.float16),
                                  g.const(0, I8)])
    check(runner, g, y, np.array([1, -1], I8), opset=21)


@pytest.mark.parametrize("dtype", [I8, U8])
@pytest.mark.parametrize("zero", [0, 1, 7])
def test_quantize_rounds_half_to_even(runner, dtype, zero):
    """BL-15, BL-17, BL-19: .5, 1.5, 2.5 -> 0, 2, 2, whatever the type, and
    the zero point comes after the rounding."""
    g = Graph()
    x = np.array([0.5, 1.5, 2.5, 3.5], F32)
    check(runner, g, g.q(g.input("x", x), 1, zero, dtype),
          np.array([0, 2, 2, 4], dtype) + dtype(zero))


def test_saturation_comes_last(runner):
    """BL-19: -150 + 50 = -100; saturating first would give -78."""
    g = Graph()
    check(runner, g, g.q(g.input("x", np.array([-150], F32)), 1, 50),
          np.array([-100], I8))


def test_round_is_half_to_even(runner):
    """BL-16."""
    g = Graph()
    x = np.array([0.5, 1.5, 2.5, -0.5, -2.5], F32)
    check(runner, g, g.node("Round", [g.input("x", x)]),
          np.array([0, 2, 2, -0.0, -2], F32))


@pytest.mark.parametrize("zero", [0, 3, 10])
def test_relu_stays_when_zero_is_no_end(runner, zero):
    """BL-21, BL-22: conv gives -5 on s=1; Relu clamps to real 0, the code z,
    not to the type's end."""
    g = Graph()
    f = g.dq(g.input("x", np.array([[[[5]]]], I8)), 1, 0)
    w = g.dq(g.const([[[[-1]]]], I8), 1, 0)
    y = g.q(g.node("Relu", [g.node("Conv", [f, w])]), 1, zero, U8)
    check(runner, g, y, np.array([[[[zero]]]], U8))


def test_relu_on_symmetric_codes(runner):
    """BL-22: int8, z = 0: Relu of -5 is 0, not -5."""
    g = Graph()
    f = g.dq(g.input("x", np.array([[[[5]]]], I8)), 1, 0)
    w = g.dq(g.const([[[[-1]]]], I8), 1, 0)
    y = g.q(g.node("Relu", [g.node("Conv", [f, w])]), 1, 0)
    check(runner, g, y, np.array([[[[0]]]], I8))


# ---------------------------------------------------------------------------
# C. Zero points, padding, bias
# ---------------------------------------------------------------------------

@pytest.mark.parametrize("zero", [-128, -3, 0, 5, 127])
def test_padded_taps_are_real_zero(runner, zero):
    """BL-41: a 1x3 kernel of ones over [z+1] padded with 1: the sum is 1."""
    g = Graph()
    value = min(zero + 1, 127)
    f = g.dq(g.input("x", np.array([[[[value]]]], I8)), 1, zero)
    w = g.dq(g.const(np.ones([1, 1, 1, 3]), I8), 1, 0)
    y = g.q(g.node("Conv", [f, w], pads=[0, 1, 0, 1]), 1, 0)
    check(runner, g, y, np.array([[[[value - zero]]]], I8))


def test_max_pool_padding_never_wins(runner):
    """BL-42: all codes below the zero point; padding is minus infinity."""
    g = Graph()
    f = g.dq(g.input("x", np.array([[[-100, -120]]], I8)), 1, 0)
    y = g.q(g.node("MaxPool", [f], kernel_shape=[2], pads=[1, 1]), 1, 0)
    check(runner, g, y, np.array([[[-100, -100, -120]]], I8))


def test_zero_points_of_integer_products(runner):
    """BL-43: (5-3)(2-1) + (7-3)(4-1) = 14."""
    g = Graph()
    a = g.input("a", np.array([[5, 7]], U8))
    y = g.node("MatMulInteger", [a, g.const([[2], [4]], U8), g.const(3, U8),
                                 g.const(1, U8)])
    check(runner, g, y, np.array([[14]], np.int32))


def test_signed_weights_keep_their_sign(runner):
    """BL-45: 1 * -3 + 1 * 5 = 2."""
    g = Graph()
    a = g.input("a", np.array([[1, 1]], U8))
    y = g.node("MatMulInteger", [a, g.const([[-3], [5]], I8)])
    check(runner, g, y, np.array([[2]], np.int32))


def test_dynamic_zero_point_is_unsigned(runner):
    """BL-46: min -2, max 1: s = 3/255, z = 170; -2 -> 0, 1 -> 255."""
    g = Graph()
    x = g.input("x", np.array([-2, 0, 1], F32))
    y = g.node("DynamicQuantizeLinear", [x])
    g.nodes[-1].output.extend(["scale", "zero"])
    check(runner, g, y, np.array([0, 170, 255], U8))


# ---------------------------------------------------------------------------
# E. Odd shapes
# ---------------------------------------------------------------------------

def test_grouped_convolution_has_all_its_channels(runner):
    """BL-60: (1,8,6,10), 2 groups, 3x3, 40 outputs: (1,40,4,8). Ones
    everywhere: 4 channels * 9 taps = 36, on per-channel scales 1 and 1/2."""
    g = Graph()
    f = g.dq(g.input("x", np.ones([1, 8, 6, 10], I8)), 1, 0)
    scales = np.array([1, 0.5] * 20, F32)
    w = g.node("DequantizeLinear", [
        g.const(np.ones([40, 4, 3, 3]), I8), g.const(scales),
        g.const(np.zeros(40), I8)], axis=0)
    y = g.q(g.node("Conv", [f, w], group=2), 1, 0)
    expected = np.tile(np.array([36, 18], I8).reshape(1, 2, 1, 1),
                       (1, 20, 4, 8))
    check(runner, g, y, expected)


def test_mean_over_the_right_axis(runner):
    """BL-62: rows 17/3, 5/3, 17/3 on s = 1/3 are the codes 17, 5, 17."""
    g = Graph()
    x = np.array([[7, 7, 3], [0, 2, 3], [6, 3, 8]], I8)
    f = g.dq(g.input("x", x), 1, 0)
    y = g.q(g.node("ReduceMean", [f], axes=[-1], keepdims=0), 1 / 3, 0)
    check(runner, g, y, np.array([17, 5, 17], I8))


@pytest.mark.parametrize("size", [1, 3, 16, 17])
def test_products_of_odd_lengths(runner, size):
    """Sums of `size` ones times ones, on every width of a vector."""
    g = Graph()
    f = g.dq(g.input("x", np.ones([3, size], I8)), 1, 0)
    w = g.dq(g.const(np.ones([size, 5]), I8), 1, 0)
    y = g.q(g.node("MatMul", [f, w]), 1, 0)
    check(runner, g, y, np.full([3, 5], size, I8))


# ---------------------------------------------------------------------------
# H. Vector code and the rest
# ---------------------------------------------------------------------------

def test_lowest_code_times_minus_one(runner):
    """BL-77: (-128)(-1) = +128 inside a sum; with 1 * 1 it is 129."""
    g = Graph()
    a = g.input("a", np.array([[-128, 1]], I8))
    y = g.node("MatMulInteger", [a, g.const([[-1], [1]], I8)])
    check(runner, g, y, np.array([[129]], np.int32))


@pytest.mark.parametrize("zero", [-128, 0, 5])
def test_leaky_relu_table(runner, zero):
    """BL-79: all codes; alpha is fl32(.1), one rounding of the exact real."""
    from fractions import Fraction
    g = Graph()
    x = np.arange(-128, 128).astype(I8)
    f = g.dq(g.input("x", x), 0.5, zero)
    y = g.q(g.node("LeakyRelu", [f], alpha=0.1), 0.25, 0)
    alpha = Fraction(float(np.float32(0.1)))
    expected = []
    for code in x:
        steps = 2 * (int(code) - zero)  # in units of 1/4
        real = Fraction(steps) * (1 if steps >= 0 else alpha)
        expected.append(min(max(round(real), -128), 127))
    check(runner, g, y, np.array(expected, I8))


@pytest.mark.parametrize("shape", [[], [1]])
def test_zero_points_of_one_element(runner, shape):
    """BL-80: an x_zero_point of shape [1] is a scalar: (5-2) * 3 = 9."""
    g = Graph()
    x = g.input("x", np.array([[[[5]]]], U8))
    y = g.node("ConvInteger", [x, g.const([[[[3]]]], U8),
                               g.const(np.full(shape, 2), U8)])
    check(runner, g, y, np.array([[[[9]]]], np.int32))
