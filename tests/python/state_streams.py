"""Streaming models, one for each way in which states live and change."""

import pathlib
import sys

import numpy as np
from onnx import helper

from decoder_steps import Decoder
from state_models import (context_step, model, newest_window_step, tensor,
                          window_step)
from test_state_scenarios import recurrence_of_codes, recurrent_step

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
import stream  # noqa: E402


def elementwise(*nodes, states, outputs=()):
    names = ["x", *states]
    return model([helper.make_node(*node) for node in nodes],
                 [tensor(name, [64]) for name in names],
                 [tensor(name, [64]) for name in
                  [*(s + "_out" for s in states), *outputs]])


def pairs(*states):
    return [o for s in states for o in ("--state", f"{s}_out={s}")]


def keep(*names):
    return ["--keep-output", ",".join(names)]


def streams():
    """Title, model, options, new bytes by state, and places: of all states, or by
    state."""
    add = ("Add", ["s", "x"], ["s_out"])
    total = elementwise(add, states="s")
    yield "sum", total, pairs("s") + keep("s_out"), {"s": 256}, 2
    yield ("sum; the old one is an output",
           elementwise(add, ("Identity", ["s"], ["old"]), states="s",
                       outputs=["old"]), pairs("s"), {"s": 256}, 1)
    yield ("exchange", elementwise(("Identity", ["b"], ["a_out"]),
                                   ("Identity", ["a"], ["b_out"]),
                                   ("Add", ["a", "x"], ["y"]), states="ab",
                                   outputs="y"),
           pairs("a", "b"), {"a": 0, "b": 0}, 1)
    yield ("one value, two states, an output",
           elementwise(("Add", ["a", "x"], ["a_out"]),
                       ("Identity", ["a_out"], ["b_out"]), states="ab"),
           pairs("a", "b") + keep("a_out"), {"a": 256, "b": 256}, 3)
    recurrence, _ = recurrence_of_codes(np.random.default_rng(4))
    yield ("h' = W h + U x, int8", recurrence, pairs("h") + keep("h_out"),
           {"h": 16}, 2)
    lstm = recurrent_step("LSTM", 16, batch=1, inputs=8, hidden=16)[0]
    yield ("LSTM, 16 steps a call", lstm, pairs("h", "c") + keep("h_out"),
           {"h": 64, "c": 64}, {"h": 3, "c": 1})
    yield ("LSTM of codes, a step a call", stream.make(),
           ["--state", "proposed"], {"h_in": 64, "c_in": 128}, 1)
    step, _, options = window_step(8, 1, 5)
    yield "convolution, window of 5 frames", step, options, {"old": 32}, 1
    step, _, options = newest_window_step(8, 1, 5)
    yield "the same, newest frame first", step, options, {"old": 32}, 1
    step, _, options = context_step(8, 1, 5)
    yield "convolution, context of 4 frames", step, options, {"old": 32}, 1
    caches = {"past.key": 32, "past.value": 32, "past.key.rows": 8}
    codes = {**caches, "past.key": 8, "past.value": 8}
    for title, form, rows, how, new in [
            ("cache of 128 rows, append", {}, 128, "append", caches),
            ("cache of the last 32 rows, slide", {}, 32, "slide", caches),
            ("cache of 128 rows of codes, append",
             {"quantized": True, "stored_codes": True}, 128, "append", codes)]:
        decoder = Decoder(1, **form)
        yield title, decoder.make(), decoder.options(rows, how), new, 1
