"""The voice activity detector with its trained weights, in codes from the
microphone to the chance of speech (`tests/models/vad.py`): frame by frame over a
minute of talk, h of 8 and c of 16 bits as states."""

import json
import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from conftest import need
from test_models import MODELS, ROOT

sys.path.insert(0, str(ROOT / "tests/models"))
import vad  # noqa: E402

STATES = ["--state", "proposed"]
EXACT, ON_EDGE = 300, 60  # frames from the first on, with talk and silence


@pytest.fixture(scope="module")
def model():
    path = MODELS / "silero-vad-s8.onnx"
    need(path)
    return path


@pytest.fixture(scope="module")
def talk(model):
    return np.load(MODELS / "silero-vad-s8.frames.npy")


def command(tally, *arguments):
    done = subprocess.run([tally, *arguments], text=True, capture_output=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def heard(tally, folder, file, talk, *options):
    """The chance of speech in each frame, run one after the other."""
    folder.mkdir()
    np.save(folder / "talk.npy", talk)
    command(tally, "run", file, "--steps", str(len(talk)), "--input",
            f"x={folder / 'talk.npy'}", "--output-dir", folder, *options)
    return np.load(folder / "y.npy")


def heard_in_floats(talk):
    """By the detector itself, which onnxruntime runs; it mirrors the end of a
    frame on its own."""
    path = MODELS / "silero-vad.onnx"
    need(path)
    session = onnxruntime.InferenceSession(
        str(path), providers=["CPUExecutionProvider"])
    state, chances = np.zeros((2, 1, 128), np.float32), []
    for frame in talk[:, 0, :, :-vad.MIRRORED]:
        chance, state = session.run(None, {
            "input": frame, "state": state, "sr": np.array(16000)})
        chances.append(chance)
    return np.stack(chances)


def test_a_minute_of_talk(tally, model, talk, tmp_path):
    """97 of 100 frames are judged as by the network in floats. The evaluator's
    codes are the same; it takes the first frames only, being slower."""
    ours = heard(tally, tmp_path / "cpu", model, talk, "--target", "cpu",
                 *STATES)
    theirs = heard_in_floats(talk)
    assert ((ours > 0.5) == (theirs > 0.5)).mean() > 0.97
    assert np.abs(ours - theirs).mean() < 0.04
    np.testing.assert_array_equal(
        ours[:EXACT], heard(tally, tmp_path / "eval", model, talk[:EXACT],
                            "--target", "eval", *STATES), strict=True)


def test_an_accelerator_hears_the_same(tally, model, talk, tmp_path):
    part = talk[:ON_EDGE]
    program = tmp_path / "detector.elf"
    command(tally, "compile", model, "--target", "edge", *STATES, "-o",
            program)
    ours = heard(tally, tmp_path / "edge", program, part)
    np.testing.assert_array_equal(
        ours, heard(tally, tmp_path / "eval", model, part, "--target", "eval",
                    *STATES), strict=True)
    assert ours.min() < 0.1 and ours.max() > 0.9


@pytest.mark.parametrize("target", [["--cpu", "native"],
                                    ["--target", "edge"]])
def test_no_byte_of_its_states_is_copied(tally, model, tmp_path, target):
    """More copies than 0 would be an error. A call writes h of 128 bytes and c of
    2 * 128, each once."""
    report = json.loads(command(
        tally, "compile", model, "--json", *STATES, "-o", tmp_path / "detector",
        "--max-state-copies=0", *target))
    states = report.get("interface", report)["states"]
    assert [(state["policy"], state["written_bytes"], state["copied_bytes"])
            for state in states] == [("in place", 128, 0), ("in place", 256, 0)]
