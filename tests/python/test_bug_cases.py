"""Public bug reports of this field, each as a family of small graphs.

The values are derived by hand beside each case. Codes are int8 unless said
otherwise; s is a scale, z a zero point. Every case runs on the evaluator and
on the CPU.
"""

import numpy as np
import onnx.parser
import pytest

from small_graph import F32, I8, U8, Graph, check, layout_text


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
# D. Transposed weights, axes, bias broadcast
# ---------------------------------------------------------------------------

def dq_axis(g, value, scales, axis):
    """Codes per axis, zero points 0."""
    return g.node("DequantizeLinear", [
        value, g.const(scales), g.const(np.zeros(len(scales)), I8)], axis=axis)


@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 3, 3), (2, 2, 3)])
@pytest.mark.parametrize("perm", [(2, 0, 1), (1, 2, 0), (0, 2, 1), (2, 1, 0)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axis_goes_through_the_inverse(runner, shape, perm, axis):
    """BL-48: codes on a grid along `axis`, transposed: every element keeps
    its own scale 1, 2 or 4, wherever the axis went."""
    g = Graph()
    x = np.arange(np.prod(shape)).astype(I8).reshape(shape)
    scales = np.array([1, 2, 4, 8], F32)[:shape[axis]]
    f = dq_axis(g, g.input("x", x), scales, axis)
    y = g.node("Transpose", [f], perm=perm)
    spread = scales.reshape([-1 if d == axis else 1 for d in range(3)])
    check(runner, g, y, (x * spread).astype(F32).transpose(perm))


def test_transposed_convolution_has_its_scales_on_axis_1(runner):
    """BL-49: W [3, 64, 3, 3] has 64 scales. Codes c + 1 of channel c on an
    input of ones: 1 + 2 + 3 = 6, times 1 or 1/2."""
    g = Graph()
    f = g.dq(g.input("x", np.ones([1, 3, 1, 1], I8)), 1, 0)
    codes = np.ones([3, 64, 3, 3], I8) * np.array(
        [1, 2, 3], I8).reshape(3, 1, 1, 1)
    w = dq_axis(g, g.const(codes, I8), np.array([1, 0.5] * 32, F32), 1)
    b = g.node("DequantizeLinear", [
        g.const(np.arange(64), np.int32), g.const([1, 0.5] * 32),
        g.const(np.zeros(64), np.int32)], axis=0)
    y = g.q(g.node("ConvTranspose", [f, w, b]), 1, 0)
    # Bias m counts in units of the scale: 6 + m, or (6 + m) / 2 half to even.
    sums = (6 + np.arange(64)) * np.array([1, 0.5] * 32)
    expected = np.broadcast_to(np.rint(sums).astype(I8).reshape(1, 64, 1, 1),
                               [1, 64, 3, 3])
    check(runner, g, y, expected)


@pytest.mark.parametrize("form", ["matmul", "conv"])
def test_scales_follow_weights_into_a_convolution(runner, form):
    """BL-50: W [K=2, N=3] on scales 1, 2, 4 along N, as it is or transposed
    and reshaped to [3, 2, 1, 1]: x = (1, 10) gives 41, 52, 63 steps."""
    g = Graph()
    f = g.dq(g.input("x", np.array([[1, 10]], I8)), 1, 0)
    w = dq_axis(g, g.const([[1, 2, 3], [4, 5, 6]], I8),
                np.array([0.25, 0.5, 1], F32), 1)
    if form == "conv":
        w = g.node("Transpose", [w], perm=[1, 0])
        w = g.node("Reshape", [w, g.const([3, 2, 1, 1], np.int64)])
        f = g.node("Reshape", [f, g.const([1, 2, 1, 1], np.int64)])
        y = g.node("Conv", [f, w])
    else:
        y = g.node("MatMul", [f, w])
    # 41 / 4 = 10.25, 52 / 2 = 26, 63.
    check(runner, g, g.q(y, 1, 0), np.array([10, 26, 63], I8))


@pytest.mark.parametrize("perm", [(0, 1), (1, 0)])
def test_only_an_exchange_transposes_weights(runner, perm):
    """BL-51: perm [0, 1] is no transpose. x = (1, 10) times [1 2; 3 4] is
    (31, 42), times its transpose (21, 43)."""
    g = Graph()
    f = g.dq(g.input("x", np.array([[1, 10]], I8)), 1, 0)
    w = g.node("Transpose", [g.dq(g.const([[1, 2], [3, 4]], I8), 1, 0)],
               perm=perm)
    y = g.q(g.node("MatMul", [f, w]), 1, 0)
    expected = [[31, 42]] if perm == (0, 1) else [[21, 43]]
    check(runner, g, y, np.array(expected, I8))


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("shape", [[2], [1, 2], [2, 1]])
def test_bias_by_row_and_by_column(runner, shape, left):
    """BL-52: M = N = 2, so a bias' size says nothing: (10, 20) is added to
    columns as [2] and [1, 2], to rows as [2, 1]."""
    g = Graph()
    x = g.input("x", np.array([[1, 2], [3, 4]], F32))
    w = g.const([[1, 0], [0, 1]])
    product = g.node("MatMul", [w, x] if left else [x, w])
    y = g.node("Add", [product, g.const(np.reshape([10, 20], shape))])
    expected = [[11, 12], [23, 24]] if shape == [2, 1] else [[11, 22],
                                                             [13, 24]]
    check(runner, g, y, np.array(expected, F32))


@pytest.mark.parametrize("form", ["Gemm", "MatMul"])
@pytest.mark.parametrize("constant", ["none", "a", "b"])
@pytest.mark.parametrize("adjoint,expected", [
    ("x", [[26, 30], [38, 44]]), ("y", [[17, 23], [39, 53]]),
    ("xy", [[23, 31], [34, 46]])])
def test_adjoint_products(runner, form, constant, adjoint, expected):
    """BL-53: A = [1 2; 3 4], B = [5 6; 7 8]; element (0, 0) of A B^T is
    1*5 + 2*6 = 17, of A^T B 1*5 + 3*7 = 26, of A^T B^T 1*5 + 3*6 = 23."""
    g = Graph()
    value = {"a": [[1, 2], [3, 4]], "b": [[5, 6], [7, 8]]}
    a, b = (g.const(value[n]) if n == constant
            else g.input(n, np.array(value[n], F32)) for n in "ab")
    if form == "Gemm":
        y = g.node("Gemm", [a, b], transA=int("x" in adjoint),
                   transB=int("y" in adjoint))
    else:
        if "x" in adjoint:
            a = g.node("Transpose", [a], perm=[1, 0])
        if "y" in adjoint:
            b = g.node("Transpose", [b], perm=[1, 0])
        y = g.node("MatMul", [a, b])
    check(runner, g, y, np.array(expected, F32))


def test_quantized_weights_are_laid_out_as_dense_ones(runner, tally,
                                                      tmp_path):
    """BL-54: a Transpose between W and its MatMul is gone in both twins, and
    both give (21, 43)."""
    for quantized in (False, True):
        g = Graph()
        x = np.array([[1, 10]], I8 if quantized else F32)
        f, codes = g.input("x", x), [[1, 2], [3, 4]]
        w = g.const(codes, I8 if quantized else F32)
        if quantized:
            f, w = g.dq(f, 1, 0), g.dq(w, 1, 0)
        y = g.node("MatMul", [f, g.node("Transpose", [w], perm=[1, 0])])
        if quantized:
            y = g.q(y, 1, 0)
        expected = np.array([[21, 43]], x.dtype)
        check(runner, g, y, expected)
        text = layout_text(tally, tmp_path, g.model(y, x.dtype))
        assert "nn.transpose" not in text
        assert text.count("nn.matmul") == 1


@pytest.mark.parametrize("shape,axis", [([], None), ([], 0), ([1], None)])
def test_default_axis_of_a_vector(runner, shape, axis):
    """BL-55: rank 1 has no axis 1; one scale is for the whole tensor."""
    g = Graph()
    attributes = {} if axis is None else {"axis": axis}
    y = g.node("DequantizeLinear", [
        g.input("x", np.array([1, 2, 3], I8)), g.const(np.full(shape, 0.5)),
        g.const(np.full(shape, 1), I8)], **attributes)
    check(runner, g, y, np.array([0, 0.5, 1], F32))


@pytest.mark.parametrize("axes,expected", [([-1], [1, 3]), ([-3], [3, 1]),
                                           ([-1, 0], [3])])
def test_squeeze_counts_from_the_end(runner, axes, expected):
    """BL-56."""
    g = Graph()
    f = g.dq(g.input("x", np.array([[[1], [2], [3]]], I8)), 1, 0)
    y = g.q(g.node("Squeeze", [f, g.const(axes, np.int64)]), 1, 0)
    model = g.model(y, I8)
    found = runner.run(model, g.inputs)["y"]
    assert list(found.shape) == expected
    assert found.ravel().tolist() == [1, 2, 3]


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
# G. Recurrence
# ---------------------------------------------------------------------------

RNN = """
<ir_version: 8, opset_import: ["" : 14]>
g (float[3, 1, 1] x) => (float[3, 1, 1, 1] y, float[1, 1, 1] last) {
  one = Constant <value = float[1, 1, 1] {1}> ()
  ATTRIBUTES
}"""


def recurrence(runner, attributes, lengths=""):
    """h = max(x + h, 0) over x = 1, 2, 3."""
    text = RNN.replace("ATTRIBUTES", lengths + f"""
  y, last = RNN <hidden_size = 1, activations = ["Relu"]{attributes}>
    (x, one, one{", , lens" if lengths else ""})""")
    x = np.array([1, 2, 3], F32).reshape(3, 1, 1)
    found = runner.run(onnx.parser.parse_model(text), {"x": x},
                       "--compare-with", "eval")
    return found["y"].ravel().tolist(), found["last"].item()


def test_beyond_the_length_is_zero(runner):
    """BL-73: two of three steps: 1, 1 + 2, then 0; the last state is 3."""
    lengths = "lens = Constant <value = int32[1] {2}> ()"
    assert recurrence(runner, "", lengths) == ([1, 3, 0], 3)


def test_reverse_results_stand_at_their_inputs(runner):
    """BL-74: 3, then 3 + 2 and 5 + 1, each at its input's place; the last
    state is that of step 0."""
    assert recurrence(runner, ', direction = "reverse"') == ([6, 5, 3], 6)


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
