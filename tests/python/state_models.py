"""What the tests of states share: small models of one step, and who runs them.

Each model is a step in ONNX; a test carries the state by hand, every value in an
array of its own.
"""

import json
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from artifact_stream import run_stream

STEPS = 50


def tensor(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, constants=(), opset=17):
    graph = helper.make_graph(nodes, "step", inputs, outputs, [
        numpy_helper.from_array(np.asarray(array), name)
        for name, array in constants])
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.checker.check_model(made)
    return made


def frames(*shape, seed=1, steps=STEPS):
    generator = np.random.default_rng(seed)
    return generator.standard_normal((steps, *shape)).astype(np.float32)


def codes(*shape, seed=1, steps=STEPS):
    generator = np.random.default_rng(seed)
    return generator.integers(-128, 128, (steps, *shape), np.int8)


def cost(state):
    return state["policy"], state["written_bytes"], state["copied_bytes"]


class StateRunner:
    """The command, and a folder for what it reads and writes."""

    def __init__(self, tally, folder, loads):
        self.tally, self.folder, self.loads = tally, folder, loads
        #: The stream of the last artifact that `steps` ran.
        self.stream = None

    def command(self, *arguments):
        done = subprocess.run([self.tally, *arguments], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def save(self, step):
        onnx.save(step, self.folder / "step.onnx")
        return self.folder / "step.onnx"

    def run(self, step, inputs, *options, target="cpu", count=None):
        """Outputs of `tally run --steps`, stacked, by name."""
        path, data = self.save(step), self.folder / "inputs.npz"
        np.savez(data, **inputs)
        if count is None:
            count = len(next(iter(inputs.values()))) if inputs else STEPS
        folder = self.folder / target
        self.command("run", path, "--steps", str(count), "--target", target,
                     "--output-dir", folder, "--input", data, *options)
        return {p.stem: np.load(p) for p in folder.iterdir()}

    def steps(self, step, inputs, *options):
        """The same by the evaluator, by compiled code, and by an artifact whose
        memory is full of noise before each call; all give the same bits."""
        found = self.run(step, inputs, *options)
        judged = self.run(step, inputs, *options, target="eval")
        self.compare(found, judged)
        if self.loads:
            self.compare(self.run_artifact(step, inputs, *options), judged)
        return found

    @staticmethod
    def compare(found, judged):
        assert found.keys() == judged.keys()
        for name, array in found.items():
            np.testing.assert_array_equal(array, judged[name], strict=True)

    def compile(self, step, *options, name="step"):
        """What an artifact for this processor says of itself."""
        return json.loads(self.command(
            "compile", self.save(step), "--json", "--cpu", "native", "-o",
            self.folder / f"{name}.so", *options))["interface"]

    def run_artifact(self, step, inputs, *options, watch=None):
        name = f"step{len(list(self.folder.glob('step*.so')))}"
        about = self.compile(step, *options, "--no-self-test", name=name)
        states = {s["tensor"]["name"] for s in about["states"]}
        count = len(next(iter(inputs.values()))) if inputs else STEPS
        shapes = {t["name"]: t["shape"] for t in about["inputs"]}
        moving = {n: a if list(a.shape) != shapes[n]
                  else np.broadcast_to(a, (count, *a.shape))
                  for n, a in inputs.items() if n in shapes}
        if not moving:
            moving = {"": np.zeros(count)}
        given = {n: a for n, a in inputs.items() if n in states}
        for value in about["states"]:  # may have the step as first index
            shape, n = value["tensor"]["shape"], value["tensor"]["name"]
            if n in given and list(given[n].shape) != shape:
                given[n] = given[n][0]
        found, self.stream = run_stream(self.folder / f"{name}.so", name,
                                        moving, given, watch)
        return found

    def places(self, step, *options):
        """What each state costs, by its name."""
        return {state["tensor"]["name"]: state
                for state in self.compile(step, *options)["states"]}

    def fails(self, step, *options, command=("run", "--random", "1")):
        """What is refused, and the exit status."""
        done = subprocess.run(
            [self.tally, command[0], self.save(step), *command[1:], *options],
            text=True, capture_output=True, check=False)
        assert done.returncode != 0, done.stdout
        return done.stderr, done.returncode


# --- steps that several tests use -----------------------------------------


def accumulator(*more):
    return model([helper.make_node("Add", ["s", "x"], ["s_out"]), *more],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("s_out", [4])])


def running_sum(x, start=0):
    total, sums = np.full(x.shape[1:], start, np.float32), []
    for frame in x:
        total = total + frame
        sums.append(total)
    return np.stack(sums)


def convolution_over(name, channels, length):
    kernel = np.random.default_rng(6).integers(-3, 4, (2, channels, length))
    return (helper.make_node("Conv", [name, "K"], ["y"], name="conv"),
            ("K", kernel.astype(np.float32)))


def window_step(channels, entering=1, length=3):
    """new = concat(old[k:], x); the layer reads new."""
    conv, kernel = convolution_over("new", channels, length)
    step = model([helper.make_node("Slice", ["old", "k", "n", "two"], ["kept"]),
                  helper.make_node("Concat", ["kept", "x"], ["new"], axis=2),
                  conv],
                 [tensor("x", [1, channels, entering]),
                  tensor("old", [1, channels, length])],
                 [tensor("y", [1, 2, 1]), tensor("new", [1, channels, length])],
                 [kernel, ("k", np.array([entering])), ("n", np.array([length])),
                  ("two", np.array([2]))])
    return step, kernel[1], ["--state", "new=old"]


def newest_window_step(channels, entering=1, length=3):
    """new = concat(x, old[:-k]); the layer reads new."""
    conv, kernel = convolution_over("new", channels, length)
    step = model([helper.make_node("Slice", ["old", "zero", "n", "two"],
                                   ["kept"]),
                  helper.make_node("Concat", ["x", "kept"], ["new"], axis=2),
                  conv],
                 [tensor("x", [1, channels, entering]),
                  tensor("old", [1, channels, length])],
                 [tensor("y", [1, 2, 1]), tensor("new", [1, channels, length])],
                 [kernel, ("zero", np.array([0])),
                  ("n", np.array([length - entering])),
                  ("two", np.array([2]))])
    return step, kernel[1], ["--state", "new=old"]


def newest_context_step(channels, entering=1, length=3):
    """all = concat(x, old), which the layer reads; new = all[:-k]."""
    conv, kernel = convolution_over("all", channels, length)
    kept = length - entering
    step = model([helper.make_node("Concat", ["x", "old"], ["all"], axis=2),
                  helper.make_node("Slice", ["all", "zero", "n", "two"],
                                   ["new"]),
                  conv],
                 [tensor("x", [1, channels, entering]),
                  tensor("old", [1, channels, kept])],
                 [tensor("y", [1, 2, 1]), tensor("new", [1, channels, kept])],
                 [kernel, ("zero", np.array([0])), ("n", np.array([kept])),
                  ("two", np.array([2]))])
    return step, kernel[1], ["--state", "new=old"]


def context_step(channels, entering=1, length=3):
    """all = concat(old, x), which the layer reads; new = all[k:]."""
    conv, kernel = convolution_over("all", channels, length)
    step = model([helper.make_node("Concat", ["old", "x"], ["all"], axis=2),
                  helper.make_node("Slice", ["all", "k", "n", "two"], ["new"]),
                  conv],
                 [tensor("x", [1, channels, entering]),
                  tensor("old", [1, channels, length - entering])],
                 [tensor("y", [1, 2, 1]),
                  tensor("new", [1, channels, length - entering])],
                 [kernel, ("k", np.array([entering])), ("n", np.array([length])),
                  ("two", np.array([2]))])
    return step, kernel[1], ["--state", "new=old"]
