"""Recurrent networks step by step: one call a step, the state kept by Tally.

For LSTM, GRU and RNN in random shapes: N steps on one context, N runs with the
state carried by hand, and one run over the whole sequence give the same bits.
For the voice activity detector: a minute of talk, frame by frame, as
onnxruntime hears it with the state carried by hand. For a quantized LSTM: codes
that stay codes from step to step.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import need
from onnx import helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = pathlib.Path(os.environ.get("TALLY_MODELS", ROOT / "build/models"))
sys.path.insert(0, str(ROOT / "tests/models"))
import fetch  # noqa: E402
import samples  # noqa: E402
import stream  # noqa: E402

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


class Recurrent:
    """A node with weights, as a model of any number of steps."""

    def __init__(self, op, seed):
        self.op, self.rng = op, np.random.default_rng(seed)
        self.batch, self.inputs, self.hidden = (
            int(n) for n in self.rng.integers(1, [4, 7, 9]))
        self.states = ["h", "c"] if op == "LSTM" else ["h"]
        rows = GATES[op] * self.hidden
        self.weights = {"W": self.floats(1, rows, self.inputs),
                        "R": self.floats(1, rows, self.hidden),
                        "B": self.floats(1, 2 * rows)}

    def floats(self, *shape):
        return (self.rng.normal(size=shape) * 0.5).astype(np.float32)

    def model(self, steps):
        def tensor(name, *shape):
            return helper.make_tensor_value_info(
                name, onnx.TensorProto.FLOAT, shape)

        node = helper.make_node(
            self.op, ["X", "W", "R", "B", "", *self.states],
            ["Y", *(s + "_out" for s in self.states)],
            hidden_size=self.hidden)
        state = (1, self.batch, self.hidden)
        graph = helper.make_graph(
            [node], "g", [tensor("X", steps, self.batch, self.inputs),
                          *(tensor(s, *state) for s in self.states)],
            [tensor("Y", steps, 1, self.batch, self.hidden),
             *(tensor(s + "_out", *state) for s in self.states)],
            [numpy_helper.from_array(a, n) for n, a in self.weights.items()])
        return helper.make_model(graph, ir_version=8, opset_imports=[
            helper.make_opsetid("", 14)])

    def start(self):
        return {s: self.floats(1, self.batch, self.hidden)
                for s in self.states}

    def state_options(self, folder, start):
        for name, array in start.items():
            np.save(folder / f"{name}.npy", array)
            yield from ("--state", f"{name}_out={name}:@{folder}/{name}.npy")


@pytest.mark.parametrize("target", ["cpu", "eval"])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("op", GATES)
def test_steps_by_tally_by_hand_and_at_once(op, seed, target, runner,
                                            tmp_path):
    cell, count = Recurrent(op, seed), 6
    x, start = cell.floats(count, cell.batch, cell.inputs), cell.start()
    whole = runner.run(cell.model(count), {"X": x, **start}, "--target",
                       target)
    state, by_hand = start, []
    for frame in x:
        ours = runner.run(cell.model(1), {"X": frame[None], **state},
                          "--target", target)
        by_hand.append(ours["Y"][0])
        state = {s: ours[s + "_out"] for s in cell.states}
    np.testing.assert_array_equal(np.stack(by_hand), whole["Y"], strict=True)
    for name, value in state.items():
        np.testing.assert_array_equal(value, whole[name + "_out"], strict=True)
    step = cell.model(1)
    del step.graph.output[1:]
    step.graph.output.extend(cell.model(1).graph.output[1:])
    options = ["--target", target, "--steps", str(count), "--keep-output",
               ",".join(s + "_out" for s in cell.states)]
    ours = runner.run(step, {"X": x[:, None]}, *options,
                      *cell.state_options(tmp_path, start))
    np.testing.assert_array_equal(ours["Y"][:, 0], whole["Y"], strict=True)
    for name in cell.states:
        np.testing.assert_array_equal(ours[name + "_out"][-1],
                                      whole[name + "_out"], strict=True)


# --- the voice activity detector -------------------------------------------


DETECTOR = ["--bind", "sr=16000", "--shape", "input=1x576", "--shape",
            "state=2x1x128", "--state", "stateN=state"]


@pytest.fixture(scope="module")
def detector():
    path = MODELS / "silero-vad.onnx"
    need(path)
    return path


@pytest.fixture(scope="module")
def talk():
    return samples.frames(samples.recording(
        fetch.Archives(MODELS / "archives")))


def heard_by_onnxruntime(path, talk):
    session = onnxruntime.InferenceSession(
        str(path), providers=["CPUExecutionProvider"])
    state, heard = np.zeros((2, 1, 128), np.float32), []
    for frame in talk:
        chance, state = session.run(None, {
            "input": frame, "state": state, "sr": np.array(16000)})
        heard.append(chance)
    return np.stack(heard)


def hear(tally, path, talk, folder, target):
    np.save(folder / "talk.npy", talk)
    done = subprocess.run(
        [tally, "run", path, "--target", target, "--steps", str(len(talk)),
         "--input", f"input={folder / 'talk.npy'}", "--output-dir",
         folder / target, *DETECTOR], text=True, capture_output=True,
        check=False)
    assert done.returncode == 0, done.stderr
    return np.load(folder / target / "output.npy")


def test_a_minute_of_talk(tally, detector, talk, tmp_path):
    """1,875 frames: rounding differs in each, and the state remembers it."""
    ours = hear(tally, detector, talk, tmp_path, "cpu")
    theirs = heard_by_onnxruntime(detector, talk)
    assert (theirs > 0.5).mean() == pytest.approx(0.774, abs=0.01)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-4)
    assert ((ours > 0.5) == (theirs > 0.5)).all()


def test_no_byte_of_the_detectors_state_is_copied(tally, detector, tmp_path):
    """The concatenation of h and c writes where h and c were: both have been
    read by then."""
    done = subprocess.run(
        [tally, "compile", detector, "-o", tmp_path / "detector.so", "--json",
         *DETECTOR], text=True, capture_output=True, check=True)
    (state,) = json.loads(done.stdout)["interface"]["states"]
    assert state["tensor"]["name"] == "state"
    assert state["policy"] == "in place" and state["copied_bytes"] == 0


def test_the_evaluator_hears_the_same(tally, detector, talk, tmp_path):
    part = talk[300:340]
    np.testing.assert_array_equal(
        hear(tally, detector, part, tmp_path, "cpu"),
        hear(tally, detector, part, tmp_path, "eval"), strict=True)


FORMS = {  # file of the package -> options
    "silero_vad": DETECTOR[:6],
    "silero_vad_16k_op15": ["--bind", "sr=16000", "--dim", "batch=1", "--dim",
                            "sequence=576"],
    "silero_vad_half": ["--dim", "batch=1", "--dim", "sequence=576"],
    "silero_vad_op18_ifless": ["--bind", "sr=16000", "--dim", "batch=1",
                               "--dim", "sequence=576"],
    "silero_vad_openvino_16k": [],
    "silero_vad_16k_sequence": ["--dim", "sequence_length=32"],
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_the_detector(form, detector, talk, runner):
    """One call each: nested Ifs or none, LSTM or its parts, one frame or 32."""
    data = fetch.Archives(MODELS / "archives").read(
        "silero-vad", f"silero_vad-6.2.3/src/silero_vad/data/{form}.onnx")
    session = onnxruntime.InferenceSession(
        data, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(5)
    known = {"input": talk[300:332, 0] if "sequence" in form else talk[300],
             "sr": np.array(16000),
             "state": rng.normal(size=(2, 1, 128)).astype(np.float32),
             "h": rng.normal(size=(1, 1, 128)).astype(np.float32),
             "c": rng.normal(size=(1, 1, 128)).astype(np.float32)}
    feeds = {i.name: known[i.name] for i in session.get_inputs()}
    theirs = session.run(None, feeds)
    feeds.pop("sr", None)
    ours = runner.run(onnx.load_from_string(data), feeds, "--compare-with",
                      "eval", *FORMS[form])
    for output, value in zip(session.get_outputs(), theirs):
        np.testing.assert_allclose(ours[output.name], value, rtol=0,
                                   atol=2e-5)


# --- a quantized LSTM ------------------------------------------------------


def test_a_quantized_lstm_keeps_codes(tally, tmp_path):
    """400 frames: the CPU and the evaluator give the same codes, and int8 gates
    with an int16 cell stay close to the same network in floats: results of up
    to 5 are within 0.3 of it, and rank the classes alike in most frames."""
    stream.write(tmp_path)
    results = {}
    for target in "cpu", "eval":
        done = subprocess.run(
            [tally, "run", tmp_path / "stream-lstm.onnx", "--target", target,
             "--state", "proposed", "--steps", str(stream.FRAMES), "--input",
             f"x={tmp_path / 'stream-lstm.frames.npy'}", "--output-dir",
             tmp_path / target], text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        results[target] = np.load(tmp_path / target / "y.npy")
    np.testing.assert_array_equal(results["cpu"], results["eval"], strict=True)
    wanted = stream.float_results()
    assert np.abs(wanted).max() > 4
    np.testing.assert_allclose(results["cpu"], wanted, rtol=0, atol=0.3)
    same = results["cpu"].argmax(-1) == wanted.argmax(-1)
    assert same.mean() > 0.95


def test_an_accelerator_runs_a_step_of_it(tally, tmp_path):
    stream.write(tmp_path)
    model, data = (tmp_path / f"stream-lstm.{e}" for e in ("onnx",
                                                           "inputs.npz"))
    program = tmp_path / "step.elf"
    for command in (["compile", model, "--target", "edge", "-o", program],
                    ["run", program, "--input", data, "--output-dir",
                     tmp_path / "edge"],
                    ["run", model, "--target", "eval", "--input", data,
                     "--output-dir", tmp_path / "eval"]):
        done = subprocess.run([tally, *command], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    for name in "y", "h_out", "c_out":
        np.testing.assert_array_equal(
            np.load(tmp_path / f"edge/{name}.npy"),
            np.load(tmp_path / f"eval/{name}.npy"), strict=True)
