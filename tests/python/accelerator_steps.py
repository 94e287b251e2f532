"""Models of one step, run for many on an accelerator.

Each step runs as a program that the checker has accepted, every access audited,
and once more from its file. Results are compared bit for bit with the
evaluator's, which keeps every value in a tensor of its own; what a call writes
is compared with what the program and `tally explain` say of it.
"""

import json
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from onnx import helper

from state_models import (STEPS, codes, frames as floats, model,  # noqa: F401
                          tensor)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCALE, ZERO = np.float32(0.05), np.int8(-17)
GRID = [("scale", SCALE), ("zero", ZERO)]


def real(name):
    return helper.make_node("DequantizeLinear", [name, "scale", "zero"],
                            [name + "_real"])


def coded(name):
    return helper.make_node("QuantizeLinear", [name + "_real", "scale",
                                               "zero"], [name])


class Steps:
    """A model of one step, run for many on an accelerator."""

    def __init__(self, tally, folder):
        self.tally, self.folder = tally, folder

    def started(self, *arguments):
        return subprocess.run([self.tally, *arguments], text=True,
                              capture_output=True, check=False)

    def command(self, *arguments):
        done = self.started(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def arrays(self, name):
        return {p.stem: np.load(p) for p in (self.folder / name).iterdir()}

    def run(self, step, inputs, *options, machine="edge"):
        """Outputs by name, stacked; equal on the simulator, from the program's
        file, and in the evaluator."""
        path, data = self.folder / "step.onnx", self.folder / "inputs.npz"
        self.program = self.folder / "step.elf"
        onnx.save(step, path)
        np.savez(data, **inputs)
        count = str(len(next(iter(inputs.values()))))
        common = ["--steps", count, "--input", data]
        self.command("compile", path, *options, "--target", machine, "-o",
                     self.program)
        self.report = json.loads(self.command(
            "run", self.program, "--json", "--audit", "--output-dir",
            self.folder / "file", *common))
        for target in machine, "eval":
            self.command("run", path, *options, "--target", target,
                         "--output-dir", self.folder / target, *common)
        found = self.arrays(machine)
        for other in "file", "eval":
            others = self.arrays(other)
            assert found.keys() == others.keys()
            for name, array in found.items():
                np.testing.assert_array_equal(array, others[name],
                                              strict=True)
        self.check_bytes()
        self.check_explained(path, options, machine)
        return found

    def note(self):
        """The program's description of itself, from its file."""
        data = self.program.read_bytes()
        begin = data.index(b'{"arena-alignment"')
        return json.JSONDecoder().raw_decode(data[begin:].decode(
            errors="ignore"))[0]

    def check_bytes(self):
        """Each call writes each new value and each output once, of states as
        many bytes as the program says, and no old value beside a new one."""
        self.about = self.note()
        written = {space["name"]: space["written"]
                   for space in self.report["simulation"]["memories"]}
        states = {state["name"]: state for state in self.about["states"]}
        for buffer in self.about["buffers"]:
            title, wanted = buffer["name"], buffer["bytes"]
            if buffer["use"] == "new-state":
                title += " (new)"
            if buffer["use"] in ("input", "old-state"):
                wanted = 0
            elif buffer["use"] != "output":
                wanted = states[buffer["name"]]["written"]
                if states[buffer["name"]]["policy"] not in ("ring", "append"):
                    assert wanted == buffer["bytes"]
            assert written[title] == wanted, title

    def check_explained(self, path, options, machine):
        """`tally explain` says of each state what the program does."""
        told = json.loads(self.command("explain", path, *options, "--target",
                                       machine, "--only", "state", "--json"))
        text = json.dumps(told)
        for state in self.about["states"]:
            writes = f"; a call writes {state['written']}"
            assert writes in text, (writes, text)

    def policies(self):
        return {state["name"]: state["policy"]
                for state in self.about["states"]}

    def written(self):
        return {state["name"]: state["written"]
                for state in self.about["states"]}

    def copied(self):
        return {state["name"]: state["copied"]
                for state in self.about["states"]}

    def reason(self, name):
        return next(state["reason"] for state in self.about["states"]
                    if state["name"] == name)


@pytest.fixture
def steps(tally, tmp_path):
    return Steps(tally, tmp_path)
