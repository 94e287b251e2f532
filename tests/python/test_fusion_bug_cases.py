"""Public bug reports about fusion, fan-out and outputs, as small graphs.

As in test_bug_cases.py: values are derived by hand, codes are int8 unless said
otherwise, every case runs on the evaluator and on the CPU.
"""

import numpy as np
import pytest
from small_graph import F32, I8, U8, Graph, check


def product(g, codes, scale, zero, dtype=I8):
    """A 1x1 convolution with weight 1 of `codes` (s = 1, z = 0): the codes'
    own reals, on a grid of its own."""
    x = np.asarray(codes, I8).reshape(1, 1, 1, -1)
    w = g.dq(g.const([[[[1]]]], I8), 1, 0)
    f = g.node("Conv", [g.dq(g.input("x", x), 1, 0), w])
    return g.dq(g.q(f, scale, zero, dtype), scale, zero, dtype)


@pytest.mark.parametrize("zero", [-128, -5, 0, 3])
@pytest.mark.parametrize("scale", [1, 0.5])
def test_clip_between_two_quantizations_stays(runner, zero, scale):
    """BL-24: 9 and -2 through Clip(0, 6) are 6 and 0, whatever the grids; z =
    -128 alone makes the lower bound the type's own."""
    g = Graph()
    f = g.node("Clip", [product(g, [9, -2, 4], 1, 0), g.const(0.0),
                        g.const(6.0)])
    y = g.q(f, scale, zero)
    codes = np.array([6, 0, 4]) / scale + zero
    check(runner, g, y, codes.reshape(1, 1, 1, 3).astype(I8))


@pytest.mark.parametrize("quantized", [True, False])
def test_relu_after_a_product_of_elements_stays(runner, quantized):
    """BL-26: relu(-2 * 3) = 0, relu(2 * 3) = 6."""
    g = Graph()
    if quantized:
        a = g.dq(g.input("a", np.array([-2, 2], I8)), 1, 0)
        b = g.dq(g.input("b", np.array([3, 3], I8)), 1, 0)
        m = g.q(g.node("Mul", [a, b]), 1, 0)
        y = g.q(g.node("Relu", [g.dq(m, 1, 0)]), 1, 0)
        check(runner, g, y, np.array([0, 6], I8))
        return
    a = g.input("a", np.array([-2, 2], F32))
    m = g.node("Mul", [a, g.input("b", np.array([3, 3], F32))])
    check(runner, g, g.node("Relu", [m]), np.array([0, 6], F32))


@pytest.mark.parametrize("after_add", [True, False])
def test_relu_of_plain_integers(runner, after_add):
    """BL-27: without a grid, codes are numbers: max(x, 0)."""
    g = Graph()
    x = g.input("x", np.array([-128, -127, -126, -10, 5], I8))
    if after_add:
        x = g.node("Add", [x, g.const([0], I8)])
    check(runner, g, g.node("Relu", [x]), np.array([0, 0, 0, 0, 5], I8))


@pytest.mark.parametrize("bounds", [(-1, 1), (None, 1), (0, 1)])
def test_relu_then_clip(runner, bounds):
    """BL-28: an absent bound is an infinity; after Relu, -1 bounds nothing."""
    g = Graph()
    x = g.input("x", np.array([-2, -0.5, 0.5, 2], F32))
    relu = g.node("Relu", [g.node("Add", [x, g.const(0.0)])])
    low, high = bounds
    y = g.node("Clip", [relu, "" if low is None else g.const(float(low)),
                        g.const(float(high))])
    check(runner, g, y, np.array([0, 0, 0.5, 1], F32))


@pytest.mark.parametrize("zero", [-128, 0, 7])
def test_relu_then_clip_on_codes(runner, zero):
    """BL-28 on one grid, s = 1/2: [-2, .5, 1.5, 3] -> [0, .5, 1, 1]."""
    g = Graph()
    codes = np.array([-4, 1, 3, 6]) + zero
    fits = (codes >= -128) & (codes <= 127)
    a = g.dq(g.input("x", codes[fits].astype(I8)), 0.5, zero)
    b = g.dq(g.const([0], I8), 1, 0)
    s = g.dq(g.q(g.node("Add", [a, b]), 0.5, zero), 0.5, zero)
    r = g.dq(g.q(g.node("Relu", [s]), 0.5, zero), 0.5, zero)
    y = g.q(g.node("Clip", [r, g.const(-1.0), g.const(1.0)]), 0.5, zero)
    expected = (np.array([0, 1, 2, 2]) + zero)[fits]
    check(runner, g, y, expected.astype(I8))


@pytest.mark.parametrize("fused", [True, False])
def test_every_code_has_its_own_table_entry(runner, fused):
    """BL-30: sigmoid of all 256 codes, s = 1/16, on s = 1/256, z = -128. The
    entries rise, and code 0 alone is one half."""
    g = Graph()
    x = np.arange(-128, 128).astype(I8).reshape(1, 1, 1, -1)
    f = g.dq(g.input("x", x), 1 / 16, 0)
    if fused:
        w = g.dq(g.const([[[[1]]]], I8), 1, 0)
        f = g.dq(g.q(g.node("Conv", [f, w]), 1 / 16, 0), 1 / 16, 0)
    y = g.q(g.node("Sigmoid", [f]), 1 / 256, -128)
    real = 256 / (1 + np.exp(-np.arange(-128, 128) / 16.0))
    assert np.min(np.abs(real - np.floor(real) - 0.5)) > 1e-9  # no tie
    check(runner, g, y, (np.rint(real) - 128).clip(-128, 127).astype(I8)
          .reshape(x.shape))


def test_the_border_has_the_type_that_is_written(runner):
    """BL-32: a Dequantize at the end of a chain writes floats, a Quantize
    writes bytes: 3 / 1.5 = 2, and Relu of -3 is 0."""
    g = Graph()
    f = product(g, [3, -3], 0.5, 1)
    y = g.q(g.node("Relu", [f]), 1.5, 0)
    check(runner, g, y, np.array([[[[2, 0]]]], I8),
          also={f: np.array([[[[3, -3]]]], F32)})


@pytest.mark.parametrize("code,zero", [(-128, 127), (100, -100), (127, -128)])
def test_zero_points_are_subtracted_in_more_bits(runner, code, zero):
    """BL-33: differences of codes reach +-255; here on steps of 2 of i16."""
    g = Graph()
    a = g.dq(g.input("x", np.array([code], I8)), 2, zero)
    b = g.dq(g.const([0], I8), 1, 0)
    y = g.dq(g.q(g.node("Add", [a, b]), 2, 0, np.int16), 2, 0, np.int16)
    check(runner, g, y, np.array([2.0 * (code - zero)], F32), opset=21)


@pytest.mark.parametrize("inner", ["float", "codes"])
def test_a_tensor_in_between_is_an_output(runner, inner):
    """BL-34: the value between Conv and Relu is an output, too: -5 on s = 1,
    z = 2 is the code -3, and Relu gives the code 2."""
    g = Graph()
    x = g.dq(g.input("x", np.array([[[[5]]]], I8)), 1, 0)
    w = g.dq(g.const([[[[-1]]]], I8), 1, 0)
    codes = g.q(g.node("Conv", [x, w]), 1, 2)
    real = g.dq(codes, 1, 2)
    y = g.q(g.node("Relu", [real]), 1, 2)
    also = ({real: np.array([[[[-5]]]], F32)} if inner == "float" else
            {codes: np.array([[[[-3]]]], I8)})
    check(runner, g, y, np.array([[[[2]]]], I8), also=also)


def test_two_readers_see_the_same_value(runner):
    """BL-34: Relu and Neg of one product, -5 and 4: [0, 4] and [5, -4]."""
    g = Graph()
    f = product(g, [-5, 4], 1, 0)
    y = g.q(g.node("Relu", [f]), 1, 0)
    n = g.q(g.node("Neg", [f]), 1, 0)
    check(runner, g, y, np.array([[[[0, 4]]]], I8),
          also={n: np.array([[[[5, -4]]]], I8)})


def test_a_value_and_its_function_meet_again(runner):
    """x * relu(x) of a product: the value has two readers, and one operand of
    the product of elements depends on the other: [-5, 4] -> [0, 16]."""
    g = Graph()
    f = product(g, [-5, 4], 1, 0)
    r = g.dq(g.q(g.node("Relu", [f]), 1, 0), 1, 0)
    check(runner, g, g.q(g.node("Mul", [f, r]), 1, 0),
          np.array([[[[0, 16]]]], I8))


@pytest.mark.parametrize("zero", [-128, 0, 5])
def test_relu_of_an_input_has_no_producer(runner, zero):
    """BL-35."""
    g = Graph()
    x = g.input("x", np.array([-1, 0, 2], F32))
    y = g.q(g.node("Relu", [x]), 1, zero)
    check(runner, g, y, (np.array([0, 0, 2]) + zero).astype(I8))


@pytest.mark.parametrize("after_add", [True, False])
def test_nan_passes_relu_and_sign(runner, after_add):
    """BL-38: alone and at the end of a chain."""
    nan = np.nan
    for op, expected in (("Relu", [nan, 1, nan, 0]),
                         ("Sign", [nan, 1, nan, -1])):
        g = Graph()
        x = g.input("x", np.array([nan, 1, nan, -2], F32))
        if after_add:
            x = g.node("Add", [x, g.const(0.0)])
        check(runner, g, g.node(op, [x]), np.array(expected, F32))


def test_nan_passes_clip(runner):
    """BL-39: after an addition, so that the clip ends a chain."""
    g = Graph()
    x = g.node("Add", [g.input("x", np.array([np.nan, 20], F32)),
                       g.const(0.0)])
    y = g.node("Clip", [x, g.const(-10.0), g.const(10.0)])
    check(runner, g, y, np.array([np.nan, 10], F32))


@pytest.mark.parametrize("ratio,accumulators,expected", [
    (1, [3, 5, -7], [2, 2, -4]),       # 1.5, 2.5, -3.5: half to even
    (2, [3, 5, 6], [1, 1, 2]),         # 2, 2, 3 -> 1, 1, 1.5 -> 2
    (3, [3, 9, -3], [1, 1, -1]),       # 2, 4, -2 -> 2/3, 4/3, -2/3
    (5, [5, 15, 25], [0, 2, 2]),       # 2, 8, 12 -> .4, 1.6, 2.4
    (7, [7, 21, -7], [1, 1, -1]),      # 4, 10, -4 -> 4/7, 10/7, -4/7
])
def test_two_roundings_are_not_one(runner, ratio, accumulators, expected):
    """Steps of 2 and then of 2 * ratio. At once, 3/4 for ratio 2 is 1, too,
    but 5/4 -> 1, 6/4 -> 2; for ratio 3 the tie 3/6 -> 0 differs from 1, and
    9/6 -> 2 from 1; for ratio 5, 5/10 -> 0 and 15/10, 25/10 -> 2 agree."""
    g = Graph()
    f = product(g, accumulators, 2, 0)
    check(runner, g, g.q(f, 2 * ratio, 0),
          np.array(expected, I8).reshape(1, 1, 1, -1))


@pytest.mark.parametrize("computed,code", [(False, 3), (True, 4)])
def test_folding_completes_no_group(runner, computed, code):
    """2 * 1 + c with c = 1.5 - 2^-23 is below 3.5: as a group 3. With c behind
    a Transpose it is none, and fp32 rounds the sum to 3.5, a tie, so 4; also
    when the Transpose has been folded."""
    g = Graph()
    x = g.dq(g.input("x", np.array([[2]], I8)), 1, 0)
    w = g.dq(g.const([[1, 1]], I8), 1, 0)
    below = np.nextafter(F32(1.5), F32(0))
    assert below == 1.5 - 2.0**-23
    if computed:
        c = g.node("Transpose", [g.const([[below], [below]])], perm=[1, 0])
    else:
        c = g.const([[below, below]])
    y = g.q(g.node("Relu", [g.node("Gemm", [x, w, c])]), 1, 0)
    check(runner, g, y, np.array([[code, code]], I8))
