"""IDEAL equals an oracle made of Python's own exact numbers.

fractions.Fraction for everything rational, mpmath for tables. A code's real is
scale * (code - zero point) with the scale's exact fp32 value; the exact result
is divided by the output scale, rounded half to even once, the zero point is
added, and the sum saturates.
"""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from onnx import helper, numpy_helper

import single_node

SEEDS = range(3)
DTYPES = ("uint8", "int8")


def constants(model):
    return {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}


def exact(value):
    return Fraction(float(value))


def to_code(real, scale, zero, dtype):
    """round() of a Fraction is half to even."""
    info = np.iinfo(dtype)
    code = round(real / exact(scale)) + int(zero)
    return min(max(code, info.min), info.max)


def per_channel(array, index):
    return array.flat[index if array.size > 1 else 0]


def conv_sums(x, w, attributes):
    """Exact integer convolution by its definition; x is already padded."""
    group, strides, dilations = (attributes[k] for k in
                                 ("group", "strides", "dilations"))
    outputs, per_group = w.shape[0], w.shape[1]
    reach = [(w.shape[2 + d] - 1) * dilations[d] + 1 for d in range(2)]
    size = [(x.shape[2 + d] - reach[d]) // strides[d] + 1 for d in range(2)]
    sums = np.zeros([1, outputs] + size, dtype=object)
    for m in range(outputs):
        first = m // (outputs // group) * per_group
        for i, j in np.ndindex(*size):
            for c, u, v in np.ndindex(*w.shape[1:]):
                sums[0, m, i, j] += int(
                    x[0, first + c, i * strides[0] + u * dilations[0],
                      j * strides[1] + v * dilations[1]]) * int(w[m, c, u, v])
    return sums


def node_attributes(model):
    return {a.name: helper.get_attribute_value(a)
            for a in model.graph.node[0].attribute}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_convolution(runner, dtype, seed):
    model, inputs = single_node.qlinear_conv(np.random.default_rng(seed), dtype)
    c, attributes = constants(model), node_attributes(model)
    top, left, bottom, right = attributes["pads"]
    x = np.pad(inputs["x"].astype(int) - int(c["xz"]),
               [(0, 0), (0, 0), (top, bottom), (left, right)])
    w = c["w"].astype(int)
    sums = conv_sums(x, w, attributes)
    expected = np.zeros(sums.shape, dtype)
    for at in np.ndindex(*sums.shape):
        m = at[1]
        unit = exact(c["xs"]) * exact(per_channel(c["ws"], m))
        expected[at] = to_code((sums[at] + int(c["b"][m])) * unit, c["ys"],
                               c["yz"], dtype)
    for target in ("eval", "cpu"):
        found = runner.run(model, inputs, "--target", target)["y"]
        np.testing.assert_array_equal(found, expected, err_msg=target)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_matrix_product(runner, dtype, seed):
    model, inputs = single_node.qlinear_matmul(np.random.default_rng(seed),
                                               dtype)
    c = constants(model)
    a = inputs["a"].astype(int) - int(c["az"])
    b = c["b"].astype(int) - c["bz"].astype(int)
    sums = a @ b
    expected = np.zeros(sums.shape, dtype)
    for at in np.ndindex(*sums.shape):
        unit = exact(c["as_"]) * exact(per_channel(c["bs"], at[-1]))
        expected[at] = to_code(int(sums[at]) * unit, c["ys"], c["yz"], dtype)
    for target in ("eval", "cpu"):
        found = runner.run(model, inputs, "--target", target)["y"]
        np.testing.assert_array_equal(found, expected, err_msg=target)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ("QLinearAdd", "QLinearMul"))
def test_binary(runner, op, dtype, seed):
    model, inputs = single_node.qlinear_binary(op)(np.random.default_rng(seed),
                                                   dtype)
    c = constants(model)
    a, b = np.broadcast_arrays(inputs["a"], inputs["b"])
    expected = np.zeros(a.shape, dtype)
    for at in np.ndindex(*a.shape):
        x = (int(a[at]) - int(c["az"])) * exact(c["as_"])
        y = (int(b[at]) - int(c["bz"])) * exact(c["bs"])
        expected[at] = to_code(x + y if op == "QLinearAdd" else x * y,
                               c["ys"], c["yz"], dtype)
    for target in ("eval", "cpu"):
        found = runner.run(model, inputs, "--target", target)["y"]
        np.testing.assert_array_equal(found, expected, err_msg=target)


def qdq_unary(op, rng, dtype, **attributes):
    """DequantizeLinear -> op -> QuantizeLinear over all codes."""
    info = np.iinfo(dtype)
    x = np.arange(info.min, info.max + 1).astype(dtype)
    values = dict(xs=single_node.scale(rng), ys=single_node.scale(rng),
                  xz=single_node.zero_point(rng, dtype),
                  yz=single_node.zero_point(rng, dtype))
    nodes = [helper.make_node("DequantizeLinear", ["x", "xs", "xz"], ["f"]),
             helper.make_node(op, ["f"], ["g"], name="op", **attributes),
             helper.make_node("QuantizeLinear", ["g", "ys", "yz"], ["y"])]
    kind = single_node.TYPES[np.dtype(dtype)]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info("y", kind, x.shape)],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in values.items()])
    return helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 20)]), {"x": x}, values


def gelu(x):
    return x * (1 + mpmath.erf(x / mpmath.sqrt(2))) / 2


TABLES = {
    "Sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "Tanh": mpmath.tanh,
    "Exp": mpmath.exp,
    "Erf": mpmath.erf,
    "Gelu": gelu,
    "Abs": abs,
    "Neg": lambda x: -x,
    "Relu": lambda x: max(x, mpmath.mpf(0)),
    "Softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "HardSwish": lambda x: x * min(max(x + 3, mpmath.mpf(0)), mpmath.mpf(6))
    / 6,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", TABLES)
def test_table(runner, op, dtype):
    rng = np.random.default_rng([len(op), dtype == "int8"])
    model, inputs, c = qdq_unary(op, rng, dtype)
    info = np.iinfo(dtype)
    with mpmath.workdps(80):
        expected = []
        for code in inputs["x"]:
            real = TABLES[op](mpmath.mpf(float(c["xs"])) *
                              (int(code) - int(c["xz"])))
            ratio = real / mpmath.mpf(float(c["ys"]))
            # nint rounds half to even; 80 digits leave no doubt about a tie.
            rounded = int(mpmath.nint(ratio)) + int(c["yz"])
            expected.append(min(max(rounded, info.min), info.max))
    for target in ("eval", "cpu"):
        found = runner.run(model, inputs, "--target", target)["y"]
        np.testing.assert_array_equal(found, np.array(expected, dtype),
                                      err_msg=target)
