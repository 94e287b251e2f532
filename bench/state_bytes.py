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
from onnx import TensorProto

import page

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))
from state_models import StateRunner  # noqa: E402
from state_streams import streams  # noqa: E402

BEGIN = "<!-- by bench/state_bytes.py -->\n"
END = "<!-- end of bench/state_bytes.py -->\n"
STEPS = 20


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
        yield [title, name, bytes_, state["policy"], new[name],
               places[name] if isinstance(places, dict) else places,
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
