"""What the Python tests share: the command under test and how to run it."""

import os
import pathlib
import subprocess

import numpy as np
import onnx
import pytest

from state_models import StateRunner

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build_dir():
    return pathlib.Path(os.environ.get("TALLY_BUILD_DIR", ROOT / "build/dev"))


def need(path):
    """Skips where a fetched model is absent; fails where CI=true."""
    if path.exists():
        return
    reason = f"{path.name} is not there: run `make models`"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def tally():
    command = build_dir() / "bin" / "tally"
    if not command.exists():
        pytest.fail(f"{command} is missing: build first")
    return command


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
