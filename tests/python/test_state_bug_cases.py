"""Public bug reports about memory that is written too early, too often or not at
all: values that outlive a call, inputs that come back, arenas full of noise.

Group G (recurrences whose sequences end early or run backwards, BL-73 and BL-74)
is in test_bug_cases.py.
"""

import pathlib
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from artifact_stream import ArtifactStream
from state_models import frames, model, tensor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/models"))
import stream  # noqa: E402


def artifact(runner, step, *options):
    runner.compile(step, "--no-self-test", *options, name="net")
    return ArtifactStream(runner.folder / "net.so", "net")


@pytest.mark.parametrize("returned", [False, True])
def test_an_accumulated_input_is_the_callers(returned, state_runner):
    """BL-68: acc + x W, 1x1000 by 1000x1000 in int8, sums in int32. The input
    `acc` is as it was, also where it is an output, too. x W is computed in
    numpy's int64."""
    random = np.random.default_rng(1)
    w = random.integers(-128, 128, (1000, 1000), np.int8)
    nodes = [helper.make_node("MatMulInteger", ["x", "w"], ["product"]),
             helper.make_node("Add", ["acc", "product"], ["y"])]
    outputs = [tensor("y", [1, 1000], TensorProto.INT32)]
    if returned:
        nodes.append(helper.make_node("Identity", ["acc"], ["before"]))
        outputs.append(tensor("before", [1, 1000], TensorProto.INT32))
    step = model(nodes, [tensor("x", [1, 1000], TensorProto.INT8),
                         tensor("acc", [1, 1000], TensorProto.INT32)],
                 outputs, [("w", w)])
    code = artifact(state_runner, step)
    acc = random.integers(-10**9, 10**9, (1, 1000), np.int32)
    kept, x = acc.copy(), random.integers(-128, 128, (1, 1000), np.int8)
    for _ in range(3):
        found = code.step({"x": x, "acc": acc})
        expected = kept + x.astype(np.int64) @ w.astype(np.int64)
        np.testing.assert_array_equal(found["y"], expected)
        np.testing.assert_array_equal(acc, kept)
        if returned:
            np.testing.assert_array_equal(found["before"], kept)


def test_an_accumulated_state_is_its_own(state_runner):
    """BL-68, the accumulator as a state: three products, added up."""
    random = np.random.default_rng(2)
    w = random.integers(-128, 128, (1000, 1000), np.int8)
    step = model([helper.make_node("MatMulInteger", ["x", "w"], ["product"]),
                  helper.make_node("Add", ["acc", "product"], ["acc_out"])],
                 [tensor("x", [1, 1000], TensorProto.INT8),
                  tensor("acc", [1, 1000], TensorProto.INT32)],
                 [tensor("acc_out", [1, 1000], TensorProto.INT32)],
                 [("w", w)])
    x = random.integers(-128, 128, (3, 1, 1000), np.int8)
    found = state_runner.steps(step, {"x": x}, "--state", "acc_out=acc",
                               "--keep-output", "acc_out")["acc_out"]
    sums = (x.astype(np.int64) @ w.astype(np.int64)).cumsum(axis=0)
    np.testing.assert_array_equal(found, sums)


def poisoned_networks():
    """One of each kind of scratch memory: padded copies, sums, packed rows."""
    def conv():
        kernel = np.random.default_rng(3).standard_normal((5, 3, 3, 3))
        return model(
            [helper.make_node("Conv", ["x", "k"], ["a"], pads=[1] * 4),
             helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("MaxPool", ["b"], ["c"], kernel_shape=[2, 2],
                              strides=[2, 2]),
             helper.make_node("GlobalAveragePool", ["c"], ["y"])],
            [tensor("x", [1, 3, 10, 10])], [tensor("y", [1, 5, 1, 1])],
            [("k", kernel.astype(np.float32))]), frames(1, 3, 10, 10, steps=3)

    def attention():
        return model(
            [helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
             helper.make_node("MatMul", ["x", "t"], ["s"]),
             helper.make_node("Softmax", ["s"], ["p"], axis=-1),
             helper.make_node("MatMul", ["p", "x"], ["m"]),
             helper.make_node("Concat", ["m", "x"], ["y"], axis=1)],
            [tensor("x", [6, 5])], [tensor("y", [6, 10])]), frames(6, 5,
                                                                   steps=3)

    return {"convolution": conv, "attention": attention}


@pytest.mark.parametrize("kind", poisoned_networks())
def test_an_arena_of_noise_and_of_just_its_size(kind, state_runner):
    """BL-70: the arena is full of 0xAA, then of 0x55, has the bytes it asks for
    and no more, and what lies beside it stays."""
    step, x = poisoned_networks()[kind]()
    code = artifact(state_runner, step)
    assert code.about["arena_bytes"] > 0
    found = np.stack([code.step({"x": frame})["y"] for frame in x])
    judged = state_runner.run(step, {"x": x}, target="eval")["y"]
    np.testing.assert_array_equal(found, judged)


def test_a_network_of_codes_in_an_arena_of_noise(state_runner):
    """BL-70 on the quantized streaming network, whose states stay codes."""
    x = stream.frames()[:30]
    state_runner.steps(stream.make(), {"x": x}, "--state", "proposed")
    assert state_runner.stream.about["arena_bytes"] > 0


def test_a_cell_remembers_until_it_is_reset(state_runner):
    """BL-76: the same input twice gives two results, as the cell is another;
    after a reset the first of them again."""
    weights = stream.weights()
    hidden, inputs = stream.HIDDEN, stream.INPUTS
    node = helper.make_node("LSTM", ["x", "W", "R", "", "", "h", "c"],
                            ["y", "h_out", "c_out"], hidden_size=hidden)
    shape = [1, 1, hidden]
    step = model([node], [tensor("x", [1, 1, inputs]),
                          *(tensor(s, shape) for s in "hc")],
                 [tensor("y", [1, 1, 1, hidden]),
                  *(tensor(s + "_out", shape) for s in "hc")],
                 [("W", weights["w"][None]), ("R", weights["r"][None])])
    code = artifact(state_runner, step, "--state", "proposed")
    x = stream.frames()[0][None]
    first, second = code.step({"x": x})["y"], code.step({"x": x})["y"]
    assert (first != second).any()
    code.reset()
    np.testing.assert_array_equal(code.step({"x": x})["y"], first)
    np.testing.assert_array_equal(code.step({"x": x})["y"], second)
    twice = np.stack([x, x])
    for target in "cpu", "eval":
        found = state_runner.run(step, {"x": twice}, "--state", "proposed",
                                 target=target)["y"]
        np.testing.assert_array_equal(found, np.stack([first, second]))
    onnx.checker.check_model(step)
