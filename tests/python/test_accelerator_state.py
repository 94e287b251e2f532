"""States from call to call on an accelerator: the simulator and the evaluator.

Each step runs as a program that the checker has accepted, every access audited,
and once more from its file. Old and new value of a state are regions of global
memory; which slots of the context they are is the caller's business. Results
are compared bit for bit with the evaluator's, which keeps every value in a
tensor of its own, and what a call writes with what the program says of itself.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/models"))
import stream  # noqa: E402

STEPS = 50
SCALE, ZERO = np.float32(0.05), np.int8(-17)


def tensor(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "step", inputs, outputs, [
        numpy_helper.from_array(np.asarray(array), name)
        for name, array in constants])
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made


class Steps:
    """A model of one step, run for many on an accelerator."""

    def __init__(self, tally, folder):
        self.tally, self.folder = tally, folder

    def command(self, *arguments):
        done = subprocess.run([self.tally, *arguments], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(self, step, inputs, *options, machine="edge"):
        """Outputs by name, stacked; equal on the simulator, from the program's
        file, and in the evaluator."""
        path, data = self.folder / "step.onnx", self.folder / "inputs.npz"
        program = self.folder / "step.elf"
        onnx.save(step, path)
        np.savez(data, **inputs)
        count = str(len(next(iter(inputs.values()))))
        common = ["--steps", count, "--input", data]
        self.command("compile", path, *options, "--target", machine, "-o",
                     program)
        self.report = json.loads(self.command(
            "run", program, "--json", "--audit", "--output-dir",
            self.folder / "file", *common))
        for target in machine, "eval":
            self.command("run", path, *options, "--target", target,
                         "--output-dir", self.folder / target, *common)
        found = {p.stem: np.load(p)
                 for p in (self.folder / machine).iterdir()}
        for other in "file", "eval":
            others = {p.stem: np.load(p)
                      for p in (self.folder / other).iterdir()}
            assert found.keys() == others.keys()
            for name, array in found.items():
                np.testing.assert_array_equal(array, others[name],
                                              strict=True)
        self.check_bytes(program)
        return found

    def note(self, program):
        """The program's description of itself, from its file."""
        data = program.read_bytes()
        begin = data.index(b'{"arena-alignment"')
        return json.JSONDecoder().raw_decode(data[begin:].decode(
            errors="ignore"))[0]

    def check_bytes(self, program):
        """Each call writes each new value and each output once."""
        self.about = self.note(program)
        written = {space["name"]: space["written"]
                   for space in self.report["simulation"]["memories"]}
        for buffer in self.about["buffers"]:
            title = buffer["name"]
            if buffer["use"] == "new-state":
                title += " (new)"
            wanted = 0 if buffer["use"] in ("input", "old-state") \
                else buffer["bytes"]
            assert written[title] == wanted, title

    def policies(self):
        return {state["name"]: state["policy"]
                for state in self.about["states"]}


@pytest.fixture
def steps(tally, tmp_path):
    return Steps(tally, tmp_path)


def floats(*shape, seed=1):
    generator = np.random.default_rng(seed)
    return generator.standard_normal((STEPS, *shape)).astype(np.float32)


def codes(*shape, seed=1):
    generator = np.random.default_rng(seed)
    return generator.integers(-128, 128, (STEPS, *shape), np.int8)


def real(name):
    return helper.make_node("DequantizeLinear", [name, "scale", "zero"],
                            [name + "_real"])


def coded(name):
    return helper.make_node("QuantizeLinear", [name + "_real", "scale",
                                               "zero"], [name])


GRID = [("scale", SCALE), ("zero", ZERO)]


def test_accumulator_is_state_and_output(steps):
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("s_out", [4])])
    x = floats(4)
    ours = steps.run(step, {"x": x}, "--state", "s_out=s:1.5",
                     "--keep-output", "s_out")
    total = np.full(4, 1.5, np.float32)
    for frame, found in zip(x, ours["s_out"]):
        total = total + frame
        np.testing.assert_array_equal(found, total)
    assert steps.policies() == {"s": "flip"}


def test_codes_begin_at_their_zero_point(steps):
    step = model([real("x"), real("s"),
                  helper.make_node("Add", ["x_real", "s_real"],
                                   ["s_out_real"]), coded("s_out")],
                 [tensor("x", [40], TensorProto.INT8),
                  tensor("s", [40], TensorProto.INT8)],
                 [tensor("s_out", [40], TensorProto.INT8)], GRID)
    x = codes(40)
    ours = steps.run(step, {"x": x}, "--state", "s_out=s", "--keep-output",
                     "s_out")
    np.testing.assert_array_equal(ours["s_out"][0], x[0])


def test_old_and_new_value_are_outputs(steps):
    step = model([helper.make_node("Identity", ["s"], ["old"]),
                  helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("old", [4]), tensor("s_out", [4])])
    ours = steps.run(step, {"x": floats(4)}, "--state", "s_out=s",
                     "--keep-output", "s_out")
    np.testing.assert_array_equal(ours["old"][1:], ours["s_out"][:-1])
    np.testing.assert_array_equal(ours["old"][0], 0)


@pytest.mark.parametrize("machine", ["edge", "tiny", "wide"])
def test_recurrent_product_of_codes(steps, machine):
    """h' = W h + U x: every element of h' needs all of the old h."""
    rng = np.random.default_rng(3)

    def weights(name):
        return name, rng.integers(-128, 128, (16, 16), np.int8)

    def dequantized(name):
        return helper.make_node("DequantizeLinear", [name, "w_scale"],
                                [name + "_real"])

    step = model(
        [real("x"), real("h"), dequantized("w"), dequantized("u"),
         helper.make_node("MatMul", ["h_real", "w_real"], ["wh_real"]),
         helper.make_node("MatMul", ["x_real", "u_real"], ["ux_real"]),
         coded("wh"), coded("ux"),
         helper.make_node("DequantizeLinear", ["wh", "scale", "zero"],
                          ["wh_back"]),
         helper.make_node("DequantizeLinear", ["ux", "scale", "zero"],
                          ["ux_back"]),
         helper.make_node("Add", ["wh_back", "ux_back"], ["h_out_real"]),
         coded("h_out")],
        [tensor("x", [1, 16], TensorProto.INT8),
         tensor("h", [1, 16], TensorProto.INT8)],
        [tensor("h_out", [1, 16], TensorProto.INT8)],
        [*GRID, ("w_scale", np.float32(0.002)), weights("w"), weights("u")])
    ours = steps.run(step, {"x": codes(1, 16)}, "--state", "h_out=h",
                     "--keep-output", "h_out", machine=machine)
    assert len(np.unique(ours["h_out"])) > 100
    assert steps.policies() == {"h": "flip"}


def test_swapped_states_move_no_byte(steps):
    step = model([helper.make_node("Identity", ["b"], ["a_out"]),
                  helper.make_node("Identity", ["a"], ["b_out"]),
                  helper.make_node("Add", ["a", "x"], ["y"])],
                 [tensor("x", [4]), tensor("a", [4]), tensor("b", [4])],
                 [tensor("a_out", [4]), tensor("b_out", [4]),
                  tensor("y", [4])])
    x = floats(4)
    ours = steps.run(step, {"x": x}, "--state", "a_out=a:1", "--state",
                     "b_out=b:2")
    turn = np.float32([1, 2] * (STEPS // 2))[:, None]
    np.testing.assert_array_equal(ours["y"], x + turn)
    assert steps.policies() == {"a": "exchange", "b": "exchange"}
    assert not [b for b in steps.about["buffers"] if b["use"] == "new-state"]


def test_one_value_for_two_states_and_an_output(steps):
    step = model([helper.make_node("Add", ["a", "x"], ["v"]),
                  helper.make_node("Identity", ["v"], ["b_out"]),
                  helper.make_node("Sub", ["a", "b"], ["apart"])],
                 [tensor("x", [4]), tensor("a", [4]), tensor("b", [4])],
                 [tensor("v", [4]), tensor("b_out", [4]),
                  tensor("apart", [4])])
    ours = steps.run(step, {"x": floats(4)}, "--state", "v=a", "--state",
                     "b_out=b:3", "--keep-output", "v")
    np.testing.assert_array_equal(ours["apart"][0], -3)
    np.testing.assert_array_equal(ours["apart"][1:], 0)


def test_kept_state_is_only_read(steps):
    step = model([helper.make_node("Identity", ["k"], ["k_out"]),
                  helper.make_node("Mul", ["k", "x"], ["y"])],
                 [tensor("x", [4]), tensor("k", [4])],
                 [tensor("k_out", [4]), tensor("y", [4])])
    x = floats(4)
    ours = steps.run(step, {"x": x}, "--state", "k_out=k:2")
    np.testing.assert_array_equal(ours["y"], x * np.float32(2))
    assert steps.policies() == {"k": "keep"}


def test_the_last_frames_of_a_stream(steps):
    """Old frames without the first, and the new one: a convolution's past."""
    step = model(
        [real("x"), real("past"),
         helper.make_node("Slice", ["past_real", "from", "to", "axis"],
                          ["kept_real"]),
         helper.make_node("Concat", ["kept_real", "x_real"],
                          ["past_out_real"], axis=1), coded("past_out"),
         helper.make_node("ReduceMax", ["past_out_real"], ["most_real"],
                          axes=[1], keepdims=0), coded("most")],
        [tensor("x", [1, 1, 24], TensorProto.INT8),
         tensor("past", [1, 3, 24], TensorProto.INT8)],
        [tensor("past_out", [1, 3, 24], TensorProto.INT8),
         tensor("most", [1, 24], TensorProto.INT8)],
        [*GRID, ("from", [1]), ("to", [3]), ("axis", [1])])
    x = codes(1, 1, 24)
    ours = steps.run(step, {"x": x}, "--state", "past_out=past")
    padded = np.concatenate([np.full((2, 1, 24), ZERO), x[:, 0]])
    windows = np.lib.stride_tricks.sliding_window_view(padded, 3, axis=0)
    np.testing.assert_array_equal(ours["most"], windows.max(axis=-1))


def test_a_state_of_the_callers(steps):
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"]),
                  helper.make_node("Neg", ["s"], ["y"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("s_out", [4]), tensor("y", [4])])
    x, s = floats(4), floats(4, seed=2)
    ours = steps.run(step, {"x": x, "s": s}, "--state", "s_out=s:input")
    np.testing.assert_array_equal(ours["y"][0], -s[0])


def test_a_quantized_lstm(steps):
    """The network of tests/models/stream.py, whose h and c stay codes."""
    steps.run(stream.make(), {"x": stream.frames()[:STEPS]}, "--state",
              "proposed")
    assert steps.policies() == {"h_in": "flip", "c_in": "flip"}


def test_traces_show_one_call(tally, tmp_path):
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])], [tensor("s_out", [4])])
    onnx.save(step, tmp_path / "step.onnx")
    subprocess.run([tally, "compile", tmp_path / "step.onnx", "--target",
                    "edge", "--state", "s_out=s", "--keep-output", "s_out",
                    "-o", tmp_path / "step.elf"], check=True)
    for option in ["--trace"], ["--trace-json", tmp_path / "t.json"]:
        done = subprocess.run([tally, "run", tmp_path / "step.elf", "--random",
                               "1", "--steps", "3", *option], text=True,
                              capture_output=True, check=False)
        assert done.returncode != 0
        assert "shows one call, not --steps [CLI-3]" in done.stderr
