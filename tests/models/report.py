#!/usr/bin/env python3
"""Write docs/models.md: what the test networks are and how they come out.

    report.py --tally build/dev/bin/tally [--models build/models] [--output F]

For each network: the compiled form against the evaluator (every output and
every quantized tensor that exists in the compiled form, as bits), what the
artifact needs, the agreement with onnxruntime, optimized and not, and which
rules explain where its codes are others (differences.py).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import compare
import differences

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

INTRO = """# Test networks

Made by `tests/models/report.py`; the networks themselves are fetched or made
by `make models` (tests/models/README.md says where each comes from). Names
ending in -s8 and -u8 are static-QDQ forms with signed and unsigned
activations and per-channel weights.

## Compiled against the evaluator

The compiled code runs on the same inputs as the exact evaluator, which runs
the graph as imported. "tensors equal" counts the quantized tensors that exist
in the compiled form and are equal bit for bit, of those compared; outputs are
compared as bits too, floats included. Sizes are in KiB. Compile time is one
run on a shared two-core machine, all three tiers, with the self-test's
evaluation: a rough figure.

| model | multiply-adds (M) | outputs | tensors equal | arena | constants \
| compile s |
|---|---|---|---|---|---|---|
"""

AGREEMENT = """
## Agreement with onnxruntime

onnxruntime's kernels round differently from IDEAL, and its graph optimizer
changes integers: "plain" rows are with its optimizations off. On floats the
largest absolute difference is given, on codes the largest difference in steps
of the output's scale.

"""


DIFFERENCES = """
## What differs from onnxruntime, and why

`tally diff --ref onnxruntime` compares every tensor that both have, and finds
for each code that differs the rule that gives onnxruntime's code from
onnxruntime's own operands ([differences](reference/differences.md)). "plain" is
with its graph optimizations off; "optimized" is the graph that its optimizer
makes when nothing is shown. Time and memory are the command's, onnxruntime and
compilation included, on a shared two-core machine: rough figures.

"""


def call(*command):
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def row(tally, path, folder):
    bind = differences.options_of(path)
    began = time.monotonic()
    made = call(tally, "compile", path, *bind, "--json", "-o",
                folder / "model.so")["interface"]
    seconds = time.monotonic() - began
    run = call(tally, "run", path, *bind, "--input",
               differences.inputs_of(path),
               "--compare-with", "eval", "--all-nodes", "--json")
    nodes = run["nodes"]
    macs = sum(stage["macs"] for stage in made["stages"]) / 1e6
    return (f"| {path.stem} | {macs:,.1f} "
            f"| {'equal' if run['equal'] else 'DIFFERENT'} "
            f"| {nodes['compared'] - nodes['different']} of "
            f"{nodes['compared']} | {made['arena_bytes'] / 1024:,.0f} "
            f"| {made['constant_bytes'] / 1024:,.0f} | {seconds:.1f} |\n")


def agreement(tally, paths, *options):
    done = subprocess.run(
        [sys.executable, HERE / "compare.py", *paths, "--tally", tally,
         *options], text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tally", default=ROOT / "build/dev/bin/tally")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT / "build/models")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "docs/models.md")
    options = parser.parse_args()
    paths = sorted(options.models.glob("*.onnx"))
    text = INTRO
    with tempfile.TemporaryDirectory() as name:
        for path in paths:
            print(path.stem, file=sys.stderr)
            text += row(str(options.tally), path, pathlib.Path(name))
    text += AGREEMENT + agreement(options.tally, paths) + "\n"
    text += "Plain:\n\n" + agreement(options.tally, paths, "--plain")
    text += DIFFERENCES + differences.HEADER + "\n"
    for line in differences.rows(options.tally, paths):
        print(line, file=sys.stderr)
        text += line + "\n"
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
