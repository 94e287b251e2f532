"""What the Python tests share: the command under test and how to run it."""

import functools
import itertools
import json
import os
import pathlib
import subprocess
import zlib

import numpy as np
import onnx
import pytest

from state_models import StateRunner

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIERS = ["x86-64", "avx2", "avxvnni", "avx512vnni", "amx"]


LONG = os.environ.get("TALLY_LONG_TESTS") == "1"


def sample(values, count):
    """All of `values` in a long run (`make test-long`), else `count` of them from
    all over."""
    values = list(values)
    if LONG:
        return values
    return [values[i * len(values) // count] for i in range(count)]


def in_turn(values, others):
    """Pairs: in a long run all, else each of `values` with one of `others`, which
    take turns."""
    if LONG:
        return list(itertools.product(values, others))
    return list(zip(values, itertools.cycle(others)))


def build_dir():
    return pathlib.Path(os.environ.get("TALLY_BUILD_DIR", ROOT / "build/dev"))


def lacks(reason):
    """Something that can be fetched or installed is absent: a failure where
    CI=true, else skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def need(path):
    """Needs a fetched model."""
    if not path.exists():
        lacks(f"{path.name} is not there: run `make models`")


@pytest.fixture(scope="session")
def tally():
    command = build_dir() / "bin" / "tally"
    if not command.exists():
        pytest.fail(f"{command} is missing: build first")
    return command


@functools.cache
def tiers_of_host(tally):
    """The instruction sets of this processor that the command has code for."""
    done = subprocess.run([str(tally), "version", "--json"], text=True,
                          capture_output=True, check=True)
    return json.loads(done.stdout)["host_tiers"]


@pytest.fixture
def host_tiers(tally):
    return tiers_of_host(tally)


def on_tier(tally, tier):
    """Options for code of an instruction set, emulated where the processor lacks
    it."""
    emulated = [] if tier in tiers_of_host(tally) else ["--emulate"]
    return ["--tiers", tier, *emulated]


def tiers_for(tally, name):
    """Instruction sets for the test of a name: those of the processor and, of the
    others, which AVX2 emulates, in a usual run one that the name decides."""
    own = tiers_of_host(tally)
    others = [tier for tier in TIERS if tier not in own and "avx2" in own]
    if LONG or not others:
        return own + others
    return own + [others[zlib.crc32(name.encode()) % len(others)]]


def pytest_generate_tests(metafunc):
    if "tier" in metafunc.fixturenames:
        command = build_dir() / "bin" / "tally"
        metafunc.parametrize("tier", tiers_for(command, metafunc.function.__name__)
                             if command.exists() else TIERS)


class Runner:
    """Runs one model on given inputs and returns its outputs by name."""

    def __init__(self, command, folder):
        self.command = command
        self.folder = folder

    def run(self, model, inputs, *options):
        path = self.folder / "model.onnx"
        onnx.save(model, path)
        arguments = [str(self.command), "run", str(path),
                     "--output-dir", str(self.folder)]
        if inputs:
            np.savez(self.folder / "inputs.npz", **inputs)
            arguments += ["--input", str(self.folder / "inputs.npz")]
        done = subprocess.run(arguments + list(options), text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return {value.name: np.load(self.folder / f"{value.name}.npy")
                for value in model.graph.output}


@pytest.fixture
def runner(tally, tmp_path):
    return Runner(tally, tmp_path)


@pytest.fixture
def state_runner(tally, tmp_path):
    # A library that a sanitized tally compiles is an ordinary one.
    return StateRunner(tally, tmp_path, loads=True)


@pytest.fixture
def steps(state_runner):
    """Runs a model for many steps; returns the outputs, stacked."""
    return state_runner.steps


@pytest.fixture
def places(state_runner):
    """Compiles a model; returns what each state costs, by its name."""
    return state_runner.places
