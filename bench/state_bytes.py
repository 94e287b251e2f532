#!/usr/bin/env python3
"""Count the bytes of states that a call of compiled code writes and copies.

usage: state_bytes.py [--tally FILE] [--update PAGE]

Compiles streaming models of tests/python and prints a Markdown table, or puts it
between the marks in PAGE (docs/performance.md). "new" is what a call cannot
leave: of a value that is made anew all of it, of a history the frames that
enter, of a cache its new rows. "written" is what the compiler says that the call
stores into the state, "seen" what an artifact changed in a slot full of noise,
the most of 20 calls; both are of the state alone. Outputs that are the same
value are stored once more each, by the same kernel: "places" counts them all.
No figure depends on the machine. The exit status is 1 when more is written than
is new, or anything is copied.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper

import page

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tests/models")]
from decoder_steps import Decoder  # noqa: E402
from state_models import (StateRunner, context_step, model, tensor,  # noqa: E402
                          window_step)
from test_state_scenarios import (recurrence_of_codes,  # noqa: E402
                                  recurrent_step)
import stream  # noqa: E402

BEGIN = "<!-- by bench/state_bytes.py -->\n"
END = "<!-- end of bench/state_bytes.py -->\n"
STEPS = 20


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
    """Title -> (model, options, new bytes by state, places)."""
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
           {"h": 64, "c": 64}, 2)
    yield ("LSTM of codes, a step a call", stream.make(),
           ["--state", "proposed"], {"h_in": 64, "c_in": 128}, 1)
    step, _, options = window_step(8, 1, 5)
    yield "convolution, window of 5 frames", step, options, {"old": 32}, 1
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


def inputs_of(step, about, random):
    kinds = {TensorProto.INT8: np.int8, TensorProto.FLOAT: np.float32}
    wanted = {t["name"]: t["shape"] for t in about["inputs"]}
    return {value.name: (random.standard_normal(
        (STEPS, *wanted[value.name])) * 40).astype(
            kinds[value.type.tensor_type.elem_type])
            for value in step.graph.input if value.name in wanted}


def rows_of(runner, title, step, options, new, places):
    about = runner.compile(step, *options)
    seen = dict.fromkeys(new, 0)
    inputs = inputs_of(step, about, np.random.default_rng(0))

    def watch(stream):
        for name, count in stream.written.items():
            seen[name] = max(seen[name], count)

    runner.run_artifact(step, inputs, *options, watch=watch)
    for state in about["states"]:
        name = state["tensor"]["name"]
        bytes_ = (int(np.prod(state["tensor"]["shape"], dtype=np.int64))
                  * np.dtype(state["tensor"]["type"]).itemsize)
        yield [title, name, bytes_, state["policy"], new[name], places,
               state["written_bytes"], seen[name], state["copied_bytes"]]
        title = ""


def table(rows):
    heads = ["stream", "state", "bytes", "policy", "new", "places", "written",
             "seen", "copied"]
    text = "| " + " | ".join(heads) + " |\n" + "| --- | --- | ---: | --- "
    text += "| ---: " * 5 + "|\n"
    for row in rows:
        text += "| " + " | ".join(f"{c:,}" if isinstance(c, int) else c
                                  for c in row) + " |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", default=ROOT / "build/dev/bin/tally")
    parser.add_argument("--update", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = []
    for stream_of in streams():
        with tempfile.TemporaryDirectory() as folder:
            runner = StateRunner(arguments.tally, pathlib.Path(folder), True)
            rows += rows_of(runner, *stream_of)
    page.show(table(rows), arguments.update, BEGIN, END)
    wasted = [row for row in rows if row[6] > row[4] or row[8]]
    if wasted:
        sys.exit(f"more than what is new: {wasted}")


if __name__ == "__main__":
    main()
