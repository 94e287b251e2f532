"""LSTM, GRU and RNN in random configurations.

Against numpy (recurrent_reference.py) with everything ONNX lets them have, and
against onnxruntime with what that runtime takes. The evaluator and the CPU give
the same bits; both are within 2e-5 of the references, relative to 1 or to the
value where it is larger: sums of up to twelve products of numbers around 1, over
up to six steps that hardly amplify.
"""

import numpy as np
import pytest

import recurrent_reference as reference
from node_batch import NodeBatch, outputs_of_onnxruntime

OPERATORS = ("LSTM", "GRU", "RNN")
TOLERANCE = 2e-5
PARAMETERS = ("activation_alpha", "activation_beta")


def floats(batch, *shape):
    return (batch.rng.normal(size=shape) * 0.4).astype(np.float32)


def draw_functions(batch, op, directions):
    names = [batch.pick(*reference.FUNCTIONS)
             for _ in range(directions * len(reference.DEFAULTS[op]))]
    attributes = {"activations": names}
    for key, users in zip(PARAMETERS, (reference.WITH_ALPHA,
                                       reference.WITH_BETA)):
        count = sum(name in users for name in names)
        if count:
            attributes[key] = [float(np.float32(v)) for v in
                               batch.rng.uniform(0.2, 0.9, count)]
    return attributes


def draw_attributes(batch, op, directions, layout):
    attributes = {"direction": ("bidirectional" if directions == 2 else
                                batch.pick("forward", "reverse"))}
    if batch.pick(True, False):
        attributes |= draw_functions(batch, op, directions)
    if batch.pick(True, False):
        attributes["clip"] = 0.5
    if layout:
        attributes["layout"] = 1
    if op == "GRU":
        attributes["linear_before_reset"] = batch.pick(0, 1)
    if op == "LSTM":
        attributes["input_forget"] = batch.pick(0, 0, 1)
    return attributes


def draw_arrays(batch, op, directions, layout, shortest):
    """X, W, R, B, lengths, initial values and peepholes; None where absent."""
    steps, inputs, hidden = (int(batch.rng.integers(1, 7)) for _ in range(3))
    sequences = int(batch.rng.integers(1, 4))
    rows = reference.GATES[op] * hidden
    state = [directions, sequences, hidden]
    x = [steps, sequences, inputs]
    if layout:
        state[:2], x[:2] = state[1::-1], x[1::-1]
    arrays = [floats(batch, *x), floats(batch, directions, rows, inputs),
              floats(batch, directions, rows, hidden),
              floats(batch, directions, 2 * rows),
              batch.rng.integers(shortest, steps + 1,
                                 sequences).astype(np.int32),
              floats(batch, *state)]
    if op == "LSTM":
        arrays += [floats(batch, *state), floats(batch, directions, 3 * hidden)]
    return arrays[:3] + [batch.pick(a, None) for a in arrays[3:]]


def operand(batch, array):
    """Given at run time or as a constant."""
    if array is None:
        return ""
    return batch.pick(batch.input, batch.constant)(array)


def draw_node(batch, op, layouts, shortest):
    """Adds a node with some of its outputs; returns what these should be."""
    directions, layout = batch.pick(1, 2), batch.pick(*layouts)
    attributes = draw_attributes(batch, op, directions, layout)
    arrays = draw_arrays(batch, op, directions, layout, shortest)
    outputs = 3 if op == "LSTM" else 2
    names = batch.node(op, [operand(batch, a) for a in arrays], outputs,
                       hidden_size=arrays[2].shape[2], keep=False,
                       **attributes)
    expected = reference.run(op, *arrays, **attributes)[:outputs]
    kept = [batch.pick(True, False) for _ in names]
    kept[int(batch.rng.integers(outputs))] = True
    node = batch.nodes[-1]
    node.output[:] = [n if k else "" for n, k in zip(names, kept)]
    batch.outputs += [n for n, k in zip(names, kept) if k]
    return {n: e for n, e, k in zip(names, expected, kept) if k}


def assert_close(ours, expected, what):
    for name, value in expected.items():
        gap = np.abs(ours[name] - value) / np.maximum(np.abs(value), 1)
        assert ours[name].shape == value.shape
        assert gap.max() <= TOLERANCE, f"{what} {name}: {gap.max()}"


@pytest.mark.parametrize("op", OPERATORS)
def test_against_numpy(op, runner):
    batch, expected = NodeBatch(7, opset=14), {}
    for _ in range(40):
        expected |= draw_node(batch, op, layouts=(0, 1), shortest=0)
    ours = runner.run(batch.model(), batch.feeds, "--compare-with", "eval")
    assert_close(ours, expected, "numpy")


@pytest.mark.parametrize("op", OPERATORS)
def test_against_onnxruntime(op, runner):
    """That runtime has no layout 1, and forgets the initial state of a
    sequence of no steps."""
    batch = NodeBatch(11, opset=14)
    for _ in range(40):
        draw_node(batch, op, layouts=(0,), shortest=1)
    ours = runner.run(batch.model(), batch.feeds)
    assert_close(ours, outputs_of_onnxruntime(batch), "onnxruntime")
