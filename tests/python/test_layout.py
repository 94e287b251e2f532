"""Where weights and transposes end up, and that nothing else changes.

Each case is a small network. Its layout is read from what the phase leaves,
its numbers are compared with the evaluator, which runs the graph as imported.
docs/rationale/layout.md shows the table of what stays; it is checked here.
"""

import pathlib
import re
import subprocess

import numpy as np
import onnx
import pytest
from onnx import helper

from small_graph import F32, I8, KINDS, U8, Graph, layout_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
NHWC, NCHW = (0, 2, 3, 1), (0, 3, 1, 2)


class Network(Graph):
    """A graph with any number of outputs, and seeded weights."""

    def __init__(self):
        super().__init__()
        self.rng = np.random.default_rng(7)
        self.outputs = []

    def codes(self, *shape):
        return self.rng.integers(-127, 128, shape).astype(I8)

    def reals(self, *shape):
        return self.rng.normal(size=shape).astype(F32)

    def weight(self, *shape, axis=None):
        """Dequantized codes, with a scale per index of `axis`."""
        value = self.const(self.codes(*shape), I8)
        return self.scaled(value, shape, axis)

    def scaled(self, value, shape, axis):
        if axis is None:
            return self.dq(value, 0.01, 0)
        scales = self.rng.uniform(0.002, 0.02, shape[axis]).astype(F32)
        return self.node("DequantizeLinear", [
            value, self.const(scales),
            self.const(np.zeros(shape[axis]), I8)], axis=axis)

    def activation(self, name, *shape):
        return self.dq(self.input(name, self.codes(*shape)), 0.05, 3)

    def requantized(self, value):
        return self.dq(self.q(value, 0.1, -4), 0.1, -4)

    def output(self, value, dtype=F32):
        self.outputs.append((value, dtype))

    def network(self):
        def info(name, dtype, shape=None):
            return helper.make_tensor_value_info(name, KINDS[np.dtype(dtype)],
                                                 shape)
        graph = helper.make_graph(
            self.nodes, "g",
            [info(n, a.dtype, a.shape) for n, a in self.inputs.items()],
            [info(n, d) for n, d in self.outputs], self.constants)
        return helper.make_model(graph, ir_version=10, opset_imports=[
            helper.make_opsetid("", 17)])


# ---------------------------------------------------------------------------
# Networks
# ---------------------------------------------------------------------------

def left_weight(rows=24, columns=16, size=32):
    """W X on codes, a scale per row of W."""
    g = Network()
    y = g.node("MatMul", [g.weight(rows, size, axis=0),
                          g.activation("x", size, columns)])
    g.output(g.q(y, 0.1, -4), I8)
    return g


def one_column():
    return left_weight(columns=1)


def square():
    return left_weight(rows=16, columns=16, size=16)


def left_weight_float():
    g = Network()
    g.output(g.node("MatMul", [g.const(g.reals(24, 32)),
                               g.input("x", g.reals(32, 16))]))
    return g


def left_weight_integers():
    """MatMulInteger with a zero point per row of W."""
    g = Network()
    x = g.input("x", g.codes(32, 16).view(U8))
    y = g.node("MatMulInteger", [
        g.const(g.codes(24, 32), I8), x, g.const(g.codes(24), I8),
        g.const(9, U8)])
    g.output(y, np.int32)
    return g


def row_bias(size=16):
    """relu(W X + b) with b [M, 1]; M = N, so only b's shape tells."""
    g = Network()
    y = g.requantized(g.node("MatMul", [g.weight(size, size, axis=0),
                                        g.activation("x", size, size)]))
    y = g.node("Add", [y, g.dq(g.const(g.codes(size, 1), I8), 0.03, 0)])
    g.output(g.q(g.node("Relu", [y]), 0.1, -4), I8)
    return g


def chain():
    """Three left weights in a row."""
    g = Network()
    y = g.activation("x", 32, 16)
    for rows, columns in [(24, 32), (40, 24), (8, 40)]:
        y = g.node("MatMul", [g.weight(rows, columns, axis=0), y])
        y = g.requantized(g.node("Relu", [g.requantized(y)]))
    g.output(g.q(y, 0.1, -4), I8)
    return g


def both_sides():
    """W X and Z W: one W."""
    g = Network()
    w = g.weight(32, 32)
    for a, b in [(w, g.activation("x", 32, 16)),
                 (g.activation("z", 16, 32), w)]:
        g.output(g.q(g.node("MatMul", [a, b]), 0.1, -4), I8)
    return g


def batched():
    g = Network()
    y = g.node("MatMul", [g.weight(24, 32, axis=0),
                          g.activation("x", 5, 32, 16)])
    g.output(g.q(y, 0.1, -4), I8)
    return g


def broadcast_weights():
    """[3, 1, M, K] times [5, K, N]."""
    g = Network()
    y = g.node("MatMul", [g.weight(3, 1, 24, 32, axis=2),
                          g.activation("x", 5, 32, 16)])
    g.output(g.q(y, 0.1, -4), I8)
    return g


def read_by_a_product():
    """A (W X) with A computed."""
    g = Network()
    y = g.node("MatMul", [g.const(g.reals(24, 32)),
                          g.input("x", g.reals(32, 16))])
    g.output(g.node("MatMul", [g.input("a", g.reals(8, 24)), y]))
    return g


def gemm():
    """alpha W^T X + beta c, c [M, 1]."""
    g = Network()
    y = g.node("Gemm", [g.const(g.reals(32, 24)), g.input("x",
                                                          g.reals(16, 32)),
                        g.const(g.reals(24, 1))],
               transA=1, transB=1, alpha=0.7, beta=1.3)
    g.output(y)
    return g


def transposed_weight():
    g = Network()
    w = g.node("Transpose", [g.weight(24, 32, axis=0)], perm=[1, 0])
    y = g.node("MatMul", [g.activation("x", 16, 32), w])
    g.output(g.q(y, 0.1, -4), I8)
    return g


def attention():
    g = Network()
    q, k, v = (g.input(n, g.reals(2, 7, 8)) for n in "qkv")
    scores = g.node("MatMul", [q, g.node("Transpose", [k], perm=[0, 2, 1])])
    g.output(g.node("MatMul", [g.node("Softmax", [scores], axis=-1), v]))
    return g


def tied_embedding():
    g = Network()
    table = g.const(g.reals(50, 16))
    y = g.node("Gather", [table, g.input("ids", np.array([3, 1, 4]))])
    g.output(g.node("MatMul", [y, g.node("Transpose", [table],
                                         perm=[1, 0])]))
    return g


def channels_last():
    """Convolutions of a framework with channels last, each between two
    transposes, with an activation, an addition and a mean in between."""
    g = Network()

    def conv(value, channels, outputs):
        value = g.node("Transpose", [value], perm=NCHW)
        value = g.node("Conv", [value, g.weight(outputs, channels, 3, 3,
                                                axis=0)], pads=[1] * 4)
        return g.requantized(g.node("Transpose", [value], perm=NHWC))

    x = g.requantized(g.input("x", g.reals(1, 12, 10, 3)))
    first = g.node("Relu", [conv(x, 3, 8)])
    y = g.requantized(g.node("Add", [g.requantized(first),
                                     conv(first, 8, 8)]))
    y = g.node("ReduceMean", [y], axes=[1, 2], keepdims=0)
    g.output(g.q(y, 0.1, -4), I8)
    return g


def flattened(real=False):
    """Channels moved last, flattened, then a fully connected layer."""
    g = Network()
    x = g.input("x", g.reals(1, 8, 2, 5)) if real else g.activation(
        "x", 1, 8, 2, 5)
    y = g.node("Transpose", [x], perm=NHWC)
    y = g.node("Reshape", [y, g.const([1, 80], np.int64)])
    if real:
        g.output(g.node("MatMul", [y, g.const(g.reals(80, 6))]))
        return g
    w = g.weight(6, 80, axis=0)
    g.output(g.q(g.node("Gemm", [y, w], transB=1), 0.1, -4), I8)
    return g


def flattened_float():
    return flattened(real=True)


def regrouped():
    """Heads are split off by a reshape: the transpose between is real."""
    g = Network()
    y = g.node("Reshape", [g.input("x", g.reals(1, 7, 24)),
                           g.const([1, 7, 4, 6], np.int64)])
    y = g.node("Transpose", [y], perm=[0, 2, 1, 3])
    g.output(g.node("Reshape", [y, g.const([4, 42], np.int64)]))
    return g


NETWORKS = {make.__name__: make for make in (
    left_weight, one_column, square, left_weight_float, left_weight_integers,
    row_bias, chain, both_sides, batched, broadcast_weights,
    read_by_a_product, gemm, transposed_weight, attention, tied_embedding,
    channels_last, flattened, flattened_float, regrouped)}


# ---------------------------------------------------------------------------
# Tests
# ---------------------------------------------------------------------------

def compare(tally, folder, g, *options):
    """Runs the network on its inputs; every tensor that the compiled form keeps
    under a name of the model equals the evaluator's."""
    path, inputs = folder / "model.onnx", folder / "inputs.npz"
    onnx.save(g.network(), path)
    np.savez(inputs, **g.inputs)
    done = subprocess.run(
        [str(tally), "run", str(path), "--input", str(inputs),
         "--compare-with", "eval", "--all-nodes", *options],
        text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    outputs = re.findall(r"output '.*': equal bit for bit", done.stdout)
    assert len(outputs) == len(g.outputs)
    compared, of = re.search(r"inner tensors: (\d+) of (\d+) equal",
                             done.stdout).groups()
    assert compared == of


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("numerics", ["ideal", "onnxruntime", "tflite"])
def test_every_tensor_equals_the_evaluators(tally, tmp_path, name, numerics):
    compare(tally, tmp_path, NETWORKS[name](), "--numerics", numerics)


def transposes(text):
    """(count, bytes) of the transposes in a dump."""
    sizes = []
    for shape, element in re.findall(
            r"= nn\.transpose .*-> tensor<((?:\d+x)*)([^>]*)>", text):
        bits = re.search(r"[iuf](\d+)", element).group(1)
        sizes.append(np.prod([int(d) for d in shape.split("x")[:-1]])
                     * int(bits) // 8)
    return len(sizes), int(sum(sizes))


def documented():
    """The rows of the table in the rationale: name, transposes, bytes."""
    page = (ROOT / "docs/rationale/layout.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\| (\d+) \| (\d+) \|$", page,
                      re.MULTILINE)
    return {name: (int(count), int(size)) for name, count, size in rows}


def test_the_table_names_every_network():
    assert set(documented()) == set(NETWORKS)


@pytest.mark.parametrize("name", NETWORKS)
def test_transposes_left(tally, tmp_path, name):
    text = layout_text(tally, tmp_path, NETWORKS[name]().network())
    assert transposes(text) == documented()[name]


@pytest.mark.parametrize("name", NETWORKS)
def test_weights_are_on_the_right(tally, tmp_path, name):
    text = layout_text(tally, tmp_path, NETWORKS[name]().network())
    constants = set(re.findall(r"(%\w+) = nn\.constant", text))
    products = re.findall(r"nn\.(?:matmul|matmul_integer|gemm) (%\w+), (%\w+)",
                          text)
    for left, right in products:
        assert left not in constants or right in constants


def constant_bytes(tally, tmp_path, g):
    onnx.save(g.network(), tmp_path / "net.onnx")
    done = subprocess.run(
        [str(tally), "compile", str(tmp_path / "net.onnx"), "--no-self-test",
         "-o", str(tmp_path / "net.so")],
        text=True, capture_output=True, check=True)
    return int(re.search(r"constants: (\d+) bytes", done.stdout).group(1))


def test_a_weight_of_two_products_is_stored_once(tally, tmp_path):
    """W is 32 x 32 codes, 1024 bytes. Beside it each product has a record of
    12 bytes for each of its 32 columns: 1024 + 768, less than twice W."""
    assert 1024 < constant_bytes(tally, tmp_path, both_sides()) < 2 * 1024


def test_a_tied_table_is_stored_once(tally, tmp_path):
    """50 x 16 floats."""
    assert constant_bytes(tally, tmp_path, tied_embedding()) == 50 * 16 * 4


# ---------------------------------------------------------------------------
# What a transpose passes
# ---------------------------------------------------------------------------

def ints(g, *values):
    return g.const(values, np.int64)


#: Operators between T([2, 0, 1]) and its inverse: name -> the nodes in between.
#: Each acts on one or two axes, or broadcasts, so a wrong axis shows.
PASSED = {
    "relu": lambda g, x: g.node("Relu", [x]),
    "clip": lambda g, x: g.node("Clip", [x, g.const(-1), g.const(1)]),
    "add_vector": lambda g, x: g.node("Add", [x, g.const(g.reals(3))]),
    "mul_matrix": lambda g, x: g.node("Mul", [g.const(g.reals(2, 3)), x]),
    "div_scalar": lambda g, x: g.node("Div", [x, g.const(3)]),
    "prelu": lambda g, x: g.node("PRelu", [x, g.const(g.reals(2, 1))]),
    "where": lambda g, x: g.node("Where", [
        g.node("Less", [x, g.const(g.reals(4, 1, 1))]), x,
        g.node("Neg", [x])]),
    "cast": lambda g, x: g.node("Cast", [g.node("Cast", [x], to=7)], to=1),
    "softmax": lambda g, x: g.node("Softmax", [x], axis=1),
    "log_softmax": lambda g, x: g.node("LogSoftmax", [x], axis=0),
    "lp_normalization": lambda g, x: g.node("LpNormalization", [x], axis=2),
    "cum_sum": lambda g, x: g.node("CumSum", [x, g.const(1, np.int64)]),
    "concat": lambda g, x: g.node("Concat", [x, x], axis=0),
    "slice": lambda g, x: g.node("Slice", [
        x, ints(g, 1), ints(g, 3), ints(g, 0)]),
    "pad": lambda g, x: g.node("Pad", [x, ints(g, 1, 0, 0, 0, 2, 0)]),
    "reflect": lambda g, x: g.node("Pad", [x, ints(g, 2, 0, 1, 1, 0, 0)],
                                   mode="reflect"),
    "pick": lambda g, x: g.node("Gather", [x, ints(g, 3, 0, 1)], axis=0),
    "resize": lambda g, x: g.node("Resize", [
        x, "", g.const([2, 1, 1])], mode="linear"),
    "sum": lambda g, x: g.node("ReduceSum", [x, ints(g, 1)], keepdims=1),
    "mean": lambda g, x: g.node("ReduceMean", [x], axes=[0], keepdims=1),
    "largest": lambda g, x: g.node("ReduceMax", [x], axes=[0, 2],
                                   keepdims=1),
    "top_k": lambda g, x: g.node("TopK", [x, ints(g, 2)], axis=0),
    "per_axis": lambda g, x: g.node("DequantizeLinear", [
        g.node("QuantizeLinear", [x, g.const([0.1, 0.2]), g.const([1, -2],
                                                                  I8)],
               axis=1), g.const([0.3, 0.1]), g.const([0, 3], I8)], axis=1),
    "dynamic": lambda g, x: dynamic(g, x),
}


def dynamic(g, x):
    codes = g.node("DynamicQuantizeLinear", [x])
    g.nodes[-1].output.extend(["scale", "zero"])
    return g.node("DequantizeLinear", [codes, "scale", "zero"])


@pytest.mark.parametrize("name", PASSED)
def test_a_transpose_passes(tally, tmp_path, name):
    """x is [2, 3, 4], the operator sees [4, 2, 3]: none is left, and every
    tensor is the evaluator's."""
    g = Network()
    x = g.node("Transpose", [g.input("x", g.reals(2, 3, 4))], perm=[2, 0, 1])
    y = PASSED[name](g, x)
    if name == "top_k":
        g.nodes[-1].output.append("indices")
    g.output(g.node("Transpose", [y], perm=[1, 2, 0]))
    assert transposes(layout_text(tally, tmp_path, g.network())) == (0, 0)
    compare(tally, tmp_path, g)


@pytest.mark.parametrize("op,axes", [("ReduceSum", (0, 2)),
                                     ("ReduceMean", (0, 1))])
def test_the_order_of_a_float_sum_stays(tally, tmp_path, op, axes):
    """T([2, 0, 1]) makes axes 0, 2 of [4, 2, 3] axes 2, 1 of [2, 3, 4]: the
    terms would come in another order. Axes 0, 1 become 2, 0, likewise."""
    g = Network()
    x = g.node("Transpose", [g.input("x", g.reals(2, 3, 4))], perm=[2, 0, 1])
    operands = [x] + ([ints(g, *axes)] if op == "ReduceSum" else [])
    attributes = {} if op == "ReduceSum" else {"axes": axes}
    g.output(g.node(op, operands, keepdims=0, **attributes))
    assert transposes(layout_text(tally, tmp_path, g.network()))[0] == 1
    compare(tally, tmp_path, g)
