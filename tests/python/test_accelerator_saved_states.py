"""States that one executor saved and another one goes on from: the evaluator,
native code, its library, the simulator, and its program's file."""

import sys

import numpy as np
import onnx
import pytest
from accelerator_steps import (GRID, ROOT, STEPS, coded, codes, model, real,
                               steps, tensor)  # noqa: F401
from onnx import TensorProto, helper

sys.path.insert(0, str(ROOT / "tests/models"))
import stream  # noqa: E402

SPLIT = 20
EXECUTORS = ["eval", "cpu", "edge", "library", "program"]


def states_of_all_kinds():
    """Codes over their old value, codes beside it, a history, a truth, and two
    states that change places."""
    int8 = TensorProto.INT8
    return model(
        [real("x"), real("p"), real("h"), real("r"),
         helper.make_node("Add", ["p_real", "x_real"], ["p_out_real"]),
         coded("p_out"),
         helper.make_node("DequantizeLinear", ["w", "w_scale"], ["w_real"]),
         helper.make_node("MatMul", ["h_real", "w_real"], ["wh_real"]),
         coded("wh"),
         helper.make_node("DequantizeLinear", ["wh", "scale", "zero"],
                          ["wh_back"]),
         helper.make_node("Add", ["wh_back", "x_real"], ["h_out_real"]),
         coded("h_out"),
         helper.make_node("Slice", ["r_real", "from", "to", "axis"],
                          ["kept_real"]),
         helper.make_node("Concat", ["kept_real", "x_real"], ["r_out_real"],
                          axis=0), coded("r_out"),
         helper.make_node("ReduceMax", ["r_out_real"], ["most_real"], axes=[0]),
         helper.make_node("Identity", ["b"], ["a_out"]),
         helper.make_node("Identity", ["a"], ["b_out"]),
         helper.make_node("Add", ["most_real", "a"], ["y_real"]), coded("y")],
        [tensor("x", [1, 24], int8), tensor("p", [1, 24], int8),
         tensor("h", [1, 24], int8), tensor("r", [3, 24], int8),
         tensor("a", [1, 24]), tensor("b", [1, 24])],
        [tensor("p_out", [1, 24], int8), tensor("h_out", [1, 24], int8),
         tensor("r_out", [3, 24], int8), tensor("a_out", [1, 24]),
         tensor("b_out", [1, 24]), tensor("y", [1, 24], int8)],
        [*GRID, ("from", [1]), ("to", [3]), ("axis", [0]),
         ("w_scale", np.float32(0.002)),
         ("w", np.random.default_rng(5).integers(-128, 128, (24, 24),
                                                 np.int8))])


OPTIONS = ["--state", "p_out=p", "--state", "h_out=h", "--state", "r_out=r",
           "--state", "a_out=a:1", "--state", "b_out=b:2",
           "--keep-output", "p_out,h_out"]


class Streams:
    """One model for all executors; each run is a process of its own."""

    def __init__(self, steps, step, options, inputs):
        self.steps, self.options, self.inputs = steps, options, inputs
        self.path = steps.folder / "step.onnx"
        onnx.save(step, self.path)
        for target, name in ("cpu", "library.so"), ("edge", "program.elf"):
            steps.command("compile", self.path, *options, "--target", target,
                          "-o", steps.folder / name)

    def what(self, executor):
        files = {"library": "library.so", "program": "program.elf"}
        if executor in files:
            return [self.steps.folder / files[executor]]
        return [self.path, *self.options, "--target", executor]

    def run(self, executor, first, last, *more):
        folder = self.steps.folder / "outputs"
        data = self.steps.folder / "part.npz"
        np.savez(data, **{name: array[first:last]
                          for name, array in self.inputs.items()})
        self.steps.command("run", *self.what(executor), "--steps",
                           str(last - first), "--input", data, "--output-dir",
                           folder, *more)
        return self.steps.arrays("outputs")


@pytest.fixture
def streams(steps):
    return Streams(steps, states_of_all_kinds(), OPTIONS, {"x": codes(1, 24)})


def test_each_goes_on_from_every_other(streams, tmp_path):
    whole = streams.run("eval", 0, STEPS)
    saved = {}
    for executor in EXECUTORS:
        path = tmp_path / f"{executor}.state"
        streams.run(executor, 0, SPLIT, "--state-out", path)
        saved[executor] = path.read_bytes()
    assert len(set(saved.values())) == 1
    for executor in EXECUTORS:
        rest = streams.run(executor, SPLIT, STEPS, "--state-in",
                           tmp_path / "eval.state")
        for name, array in rest.items():
            np.testing.assert_array_equal(array, whole[name][SPLIT:],
                                          strict=True)


def test_the_program_has_every_policy(streams, steps):
    steps.program = steps.folder / "program.elf"
    steps.about = steps.note()
    assert steps.policies() == {"p": "in place", "h": "flip", "r": "ring",
                                "a": "exchange", "b": "exchange"}


def test_states_of_another_model_are_refused(streams, steps, tmp_path):
    path = tmp_path / "states"
    streams.run("program", 0, SPLIT, "--state-out", path)
    other = states_of_all_kinds()
    scale = next(c for c in other.graph.initializer if c.name == "scale")
    scale.CopyFrom(onnx.numpy_helper.from_array(np.float32(0.06), "scale"))
    changed = Streams(steps, other, OPTIONS, streams.inputs)
    for executor in EXECUTORS:
        done = steps.started("run", *changed.what(executor), "--random", "1",
                             "--state-in", path)
        assert done.returncode == 2, executor
        assert "[SAVE-4]" in done.stderr


def test_a_program_without_states_saves_none(steps, tmp_path):
    step = model([helper.make_node("Neg", ["x"], ["y"])], [tensor("x", [4])],
                 [tensor("y", [4])])
    onnx.save(step, tmp_path / "step.onnx")
    steps.command("compile", tmp_path / "step.onnx", "--target", "edge", "-o",
                  tmp_path / "step.elf")
    for option in "--state-in", "--state-out":
        done = steps.started("run", tmp_path / "step.elf", "--random", "1",
                             option, tmp_path / "states")
        assert done.returncode == 2
        assert f"{option}: the model has no states [RUN-21]" in done.stderr


def test_given_states_are_asked_for_once(steps, tmp_path):
    """What the caller gives before the first call is in the saved states."""
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])], [tensor("s_out", [4])])
    path, program = tmp_path / "step.onnx", tmp_path / "step.elf"
    onnx.save(step, path)
    steps.command("compile", path, "--state", "s_out=s:input", "--keep-output",
                  "s_out", "--target", "edge", "-o", program)
    x, s = np.ones((4, 4), np.float32), np.full(4, 7, np.float32)
    np.savez(tmp_path / "first.npz", x=x, s=np.stack([s] * 4))
    np.savez(tmp_path / "more.npz", x=x)
    states = tmp_path / "states"
    steps.command("run", program, "--steps", "4", "--input",
                  tmp_path / "first.npz", "--state-out", states)
    steps.command("run", program, "--steps", "4", "--input",
                  tmp_path / "more.npz", "--state-in", states, "--output-dir",
                  tmp_path / "out")
    np.testing.assert_array_equal(np.load(tmp_path / "out/s_out.npy")[-1],
                                  np.full(4, 15))


def test_a_quantized_lstm_changes_its_executor(steps):
    """h of 8 and c of 16 bits, of a network with weights: 400 frames."""
    frames = stream.frames()
    lstm = Streams(steps, stream.make(), ["--state", "proposed"],
                   {"x": frames})
    whole, states = lstm.run("eval", 0, len(frames)), steps.folder / "states"
    name = next(iter(whole))
    parts, first = [], 0
    for i, executor in enumerate(EXECUTORS * 2):
        last = (i + 1) * len(frames) // (2 * len(EXECUTORS))
        restored = ["--state-in", states] if first else []
        parts.append(lstm.run(executor, first, last, *restored, "--state-out",
                              states)[name])
        first = last
    np.testing.assert_array_equal(np.concatenate(parts), whole[name],
                                  strict=True)
    assert len(np.unique(whole[name])) > 30
    steps.program = steps.folder / "program.elf"
    types = {state["name"]: state["type"] for state in steps.note()["states"]}
    assert types == {"h_in": "i8", "c_in": "i16"}
