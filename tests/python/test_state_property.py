"""A step N times on one context, N times with the state carried by hand, and as
the body of one Scan over the whole sequence: the same bits.

Steps are drawn: LSTM and GRU cells, convolutions over time, attention over a
cache, in floats and on grids of codes, which the states are then kept as. Cases
come smallest first, so that the first one that fails is the one to look at.
"""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from artifact_stream import ArtifactStream
from conftest import sample
from state_models import tensor

COUNT = 5
GRID = np.float32(1 / 32), np.int8(3)
GATES = np.float32(1 / 16), np.int8(0)


class Step:
    """A step under construction: nodes, constants, and its states."""

    def __init__(self, random, quantized):
        self.random, self.quantized = random, quantized
        self.nodes, self.constants, self.states = [], [], {}
        self.shape = None  # of x

    def size(self, low, high):
        return int(self.random.integers(low, high + 1))

    def add(self, operator, *operands, outputs=1, out=None, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        if out:
            names = [out]
        self.nodes.append(helper.make_node(operator, operands, names,
                                           name=f"n{len(self.nodes)}",
                                           **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def grid(self, grid):
        return [self.constant(part) for part in grid]

    def settle(self, value, grid=GRID):
        if not self.quantized:
            return value
        codes = self.add("QuantizeLinear", value, *self.grid(grid))
        return self.add("DequantizeLinear", codes, *self.grid(grid))

    def weights(self, *shape):
        value = self.random.standard_normal(shape) * 0.5
        if not self.quantized:
            return self.constant(value.astype(np.float32))
        codes = np.clip(np.rint(value * 64), -127, 127).astype(np.int8)
        return self.add("DequantizeLinear", self.constant(codes),
                        self.constant(np.float32(1 / 64)),
                        self.constant(np.int8(0)))

    def state(self, name, shape, integer=False):
        """The old value, as reals; `keep` says what the new one is."""
        kind = np.int64 if integer else np.int8 if self.quantized else \
            np.float32
        self.states[name] = (shape, kind)
        if kind is np.int8:
            return self.add("DequantizeLinear", name, *self.grid(GRID))
        return name

    def keep(self, name, value):
        if self.states[name][1] is np.int8:
            self.add("QuantizeLinear", value, *self.grid(GRID),
                     out=name + "_out")
            return self.add("DequantizeLinear", name + "_out",
                            *self.grid(GRID))
        return self.add("Identity", value, out=name + "_out")

    # --- as models --------------------------------------------------------

    def infos(self, suffix=""):
        kinds = {np.int8: TensorProto.INT8, np.int64: TensorProto.INT64,
                 np.float32: TensorProto.FLOAT}
        return [tensor(name + suffix, shape, kinds[kind])
                for name, (shape, kind) in self.states.items()]

    def graph(self, name):
        return helper.make_graph(
            self.nodes, name, [*self.infos(), tensor("x", self.shape)],
            [*self.infos("_out"), tensor("y", None)], self.constants)

    def model(self):
        return self.finish(self.graph("step"))

    def whole(self):
        """A Scan of the step over x; states go in and out."""
        names = list(self.states)
        scan = helper.make_node(
            "Scan", [*(n + "_first" for n in names), "xs"],
            [*(n + "_last" for n in names), "ys"], body=self.graph("body"),
            num_scan_inputs=1, name="scan")
        return self.finish(helper.make_graph(
            [scan], "whole",
            [*self.infos("_first"), tensor("xs", [COUNT, *self.shape])],
            [*self.infos("_last"), tensor("ys", None)]))

    @staticmethod
    def finish(graph):
        return helper.make_model(graph, ir_version=8, opset_imports=[
            helper.make_opsetid("", 17)])

    def start(self):
        values = {}
        for name, (shape, kind) in self.states.items():
            if kind is np.float32:
                value = self.random.standard_normal(shape)
            else:
                value = np.zeros(shape) if kind is np.int64 else \
                    self.random.integers(-60, 61, shape)
            values[name] = value.astype(kind)
        return values


def lstm(step, big):
    hidden, inputs = step.size(1, 2 + 6 * big), step.size(1, 2 + 6 * big)
    step.shape = [1, inputs]
    h, c = step.state("h", [1, hidden]), step.state("c", [1, hidden])
    sums = step.settle(step.add(
        "Add", step.settle(step.add("MatMul", step.settle("x"), step.weights(
            inputs, 4 * hidden)), GATES),
        step.settle(step.add("MatMul", h, step.weights(hidden, 4 * hidden)),
                    GATES)), GATES)
    i, o, f, n = step.add("Split", sums, outputs=4, axis=1)
    i, o, f = (step.settle(step.add("Sigmoid", gate)) for gate in (i, o, f))
    fresh = step.settle(step.add("Mul", i, step.settle(step.add("Tanh", n))))
    kept = step.settle(step.add("Mul", f, c))
    c = step.keep("c", step.add("Add", kept, fresh))
    h = step.keep("h", step.add("Mul", o, step.settle(step.add("Tanh", c))))
    step.add("Identity", h, out="y")


def gru(step, big):
    hidden, inputs = step.size(1, 2 + 6 * big), step.size(1, 2 + 6 * big)
    step.shape = [1, inputs]
    h = step.state("h", [1, hidden])
    x = step.settle("x")

    def gate(state, function):
        sums = step.add(
            "Add", step.settle(step.add("MatMul", x, step.weights(
                inputs, hidden)), GATES),
            step.settle(step.add("MatMul", state, step.weights(
                hidden, hidden)), GATES))
        return step.settle(step.add(function, step.settle(sums, GATES)))

    z, r = gate(h, "Sigmoid"), gate(h, "Sigmoid")
    n = gate(step.settle(step.add("Mul", r, h)), "Tanh")
    one = step.constant(np.float32(1))
    new = step.settle(step.add("Mul", step.settle(step.add("Sub", one, z)), n))
    h = step.keep("h", step.add("Add", new, step.settle(
        step.add("Mul", z, h))))
    step.add("Identity", h, out="y")


def convolution(step, big):
    """The last frames and what enters, then a layer over time; two of them."""
    channels, enters = step.size(1, 2 + 3 * big), step.size(1, 1 + big)
    step.shape = [1, channels, enters]
    value = step.settle("x")
    for layer in range(1 + big):
        length, out = step.size(2, 4), step.size(1, 3)
        past = step.state(f"past{layer}", [1, channels, length - 1])
        whole = step.add("Concat", past, value, axis=2)
        last = step.add("Slice", whole, step.constant(np.array([enters])),
                        step.constant(np.array([99])),
                        step.constant(np.array([2])))
        step.keep(f"past{layer}", last)
        value = step.settle(step.add("Relu", step.settle(step.add(
            "Conv", whole, step.weights(out, channels, length)))))
        channels = out
    step.add("Identity", value, out="y")


def attention(step, big):
    """Over a cache of fixed capacity; the position is a state."""
    width, rows = step.size(1, 3 + 5 * big), COUNT + step.size(0, 3)
    step.shape = [1, width]
    at = step.state("at", [1, 1], integer=True)
    key, value = (step.add(
        "ScatterND", step.state(name, [rows, width]), at,
        step.settle(step.add("MatMul", step.settle("x"), step.weights(
            width, width)))) for name in ("keys", "values"))
    key, value = step.keep("keys", key), step.keep("values", value)
    step.keep("at", step.add("Add", at, step.constant(np.array([[1]]))))
    query = step.settle(step.add("MatMul", step.settle("x"), step.weights(
        width, width)))
    scores = step.settle(step.add("MatMul", query, step.add(
        "Transpose", key, perm=[1, 0])))
    there = step.add("LessOrEqual", step.constant(np.arange(rows)[None]), at)
    scores = step.add("Where", there, scores,
                      step.constant(np.float32(-np.inf)))
    shares = step.settle(step.add("Softmax", scores, axis=-1))
    step.add("Identity", step.settle(step.add("MatMul", shares, value)),
             out="y")


KINDS = {"LSTM": lstm, "GRU": gru, "convolution": convolution,
         "attention": attention}


def by_hand(runner, step, x, start):
    """Of one library without states, its outputs handed in again."""
    runner.compile(step.model(), "--no-self-test", name="hand")
    library = ArtifactStream(runner.folder / "hand.so", "hand")
    values, results = dict(start), []
    for frame in x:
        found = library.step({"x": frame, **values})
        values = {name: found[name + "_out"] for name in values}
        results.append(found["y"])
    return np.stack(results), values


@pytest.mark.parametrize("case", sample(range(4), 2))
@pytest.mark.parametrize("quantized", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_by_one_context_by_hand_and_at_once(kind, quantized, case,
                                            state_runner):
    random = np.random.default_rng([case, quantized])
    step = Step(random, quantized)
    KINDS[kind](step, big=case > 1)
    x = random.standard_normal((COUNT, *step.shape)).astype(np.float32)
    start = step.start()
    hand, last = by_hand(state_runner, step, x, start)
    options = []
    for name in step.states:
        options += ["--state", f"{name}_out={name}:input"]
    options += ["--keep-output", ",".join(n + "_out" for n in step.states)]
    ours = state_runner.steps(step.model(), {"x": x, **start}, *options)
    np.testing.assert_array_equal(ours["y"], hand, strict=True)
    for target in ("cpu", "eval") if case == 0 else ("cpu",):
        whole = state_runner.run(step.whole(), {"xs": x[None], **{
            n + "_first": v[None] for n, v in start.items()}}, target=target,
                                 count=1)
        np.testing.assert_array_equal(whole["ys"][0], hand, strict=True)
        for name, value in last.items():
            np.testing.assert_array_equal(ours[name + "_out"][-1], value,
                                          strict=True)
            np.testing.assert_array_equal(whole[name + "_last"][0], value,
                                          strict=True)
