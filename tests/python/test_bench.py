"""`tally bench --against onnxruntime`: that both run, and what is told of it.

No time is judged: that belongs to bench/cpu.py.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

from decoder_steps import Decoder
from state_models import accumulator, model, tensor

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "models/digits/digits-int8.onnx"


def bench(tally, model, *options, status=0):
    done = subprocess.run(
        [str(tally), "bench", str(model), "--runs", "3", "--json",
         *map(str, options)], text=True, capture_output=True, check=False,
        env={**os.environ, "TALLY_PYTHON": sys.executable})
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr if status else json.loads(done.stdout)


def is_spread(value):
    return (0 < value["minimum"] <= value["lower_quartile"] <=
            value["median"] <= value["upper_quartile"])


def test_both_run(tally):
    told = bench(tally, DIGITS, "--dim", "N=2", "--random", 3,
                 "--against", "onnxruntime")
    other = told["against"]
    assert other["name"] == f"onnxruntime {onnxruntime.__version__}"
    assert is_spread(other["seconds"]) and is_spread(other["ratio"])
    assert is_spread(told["seconds"])


def test_both_run_on_given_inputs(tally):
    images = ROOT / "models/digits/test-images.npy"
    count = len(np.load(images))
    told = bench(tally, DIGITS, "--dim", f"N={count}", "--input",
                 f"image={images}", "--against", "onnxruntime", "--per-layer")
    assert is_spread(told["against"]["ratio"])
    assert told["layers"]
    assert sum(l["macs"] for l in told["layers"]) == told["macs"]


def test_what_the_runtime_refuses_is_told(tally, tmp_path):
    # int16 Relu is an operator of ONNX that the runtime has no kernel for.
    value = [helper.make_tensor_value_info(n, TensorProto.INT16, [4])
             for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], "act")],
                              "net", value[:1], value[1:])
    path = tmp_path / "net.onnx"
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), path)
    said = bench(tally, path, "--against", "onnxruntime", status=4)
    assert "onnxruntime refuses the model: " in said
    assert "[BENCH-3]" in said


def test_states_are_not_the_runtimes(tally, tmp_path):
    onnx.save(accumulator(), tmp_path / "step.onnx")
    said = bench(tally, tmp_path / "step.onnx", "--state", "s_out=s",
                 "--against", "onnxruntime", status=2)
    assert "[BENCH-4]" in said


def test_a_full_cache_begins_again(tally, tmp_path):
    """A sample is many calls, more than the cache has rows."""
    decoder = Decoder(1)
    onnx.save(decoder.make(), tmp_path / "step.onnx")
    for options in [], ["--per-layer"]:
        told = bench(tally, tmp_path / "step.onnx", *decoder.options(4),
                     *options, "--max-state-copies", 0)
        assert is_spread(told["seconds"])


def test_copies_of_states_are_refused(tally, tmp_path):
    step = model([helper.make_node("Identity", ["x"], ["s_out"]),
                  helper.make_node("Add", ["s", "x"], ["y"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("y", [4]), tensor("s_out", [4])])
    onnx.save(step, tmp_path / "step.onnx")
    for options in [], ["--per-layer"]:
        text = bench(tally, tmp_path / "step.onnx", "--state", "s_out=s",
                     "--max-state-copies", 0, *options, status=4)
        assert "a call copies the state, and no more than 0 may be" in text
        assert "[STATE-10]" in text
