#!/usr/bin/env python3
"""Write docs/accelerator-networks.md: the test networks on accelerators.

    accelerators.py --tally build/dev/bin/tally [--models build/models]
                    [--machine edge ...] [--only REGEX] [--outputs-only]
                    [--output F]

Each network is compiled for each machine, which also proves its program, and
simulated with every tensor that the compiled form keeps as an output; all are
compared with the evaluator as bits. What is refused stands there with its
reason. --outputs-only leaves out the tensors inside, whose programs take most
of the time.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import differences

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINES = ("edge", "tiny", "wide")

INTRO = """# Test networks on accelerators

Made by `tests/models/accelerators.py` on the networks of [models](models.md).
Each is compiled for a machine, proved by the independent checker, and simulated
with audit on the network's own inputs. "tensors equal" counts the named tensors
that exist in the compiled form and are the evaluator's bit for bit, of those
compared (- where only outputs were); outputs are compared as bits, too. Cycles
are those of the program with the network's own outputs alone. What a machine
cannot run is refused with the node and the reason; networks whose products are
of floats are among them, since the matrix engine multiplies codes.

| network | machine | outputs | tensors equal | cycles |
|---|---|---|---|---|
"""


def call(*command):
    return subprocess.run([str(word) for word in command], text=True,
                          capture_output=True, check=False)


def reason(stderr):
    """The first error without its file."""
    text = stderr.strip().splitlines()[0]
    return re.sub(r"^error: (\S+: )?", "", text).split("]")[0] + "]"


def arguments_of(path):
    """Options that bind open dimensions, and those that give inputs."""
    if path.stem.startswith("digits"):
        return ["--dim", "N=4"], ["--random", "7"]
    return differences.options_of(path), ["--input",
                                          differences.inputs_of(path)]


def cycles(tally, path, bind, inputs, machine, folder):
    program = folder / "network.elf"
    made = call(tally, "compile", path, *bind, "--target", machine, "-o",
                program)
    if made.returncode:
        return None, reason(made.stderr)
    run = call(tally, "run", program, *inputs, "--json")
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(run.stdout)["simulation"]["cycles"], None


def row(tally, path, machine, folder, inner):
    bind, inputs = arguments_of(path)
    count, refused = cycles(tally, path, bind, inputs, machine, folder)
    if refused:
        return f"| {path.stem} | {machine} | refused: {refused} | | |\n"
    done = call(tally, "run", path, *bind, "--target", machine, *inputs,
                "--compare-with", "eval", "--json", *["--all-nodes"] * inner)
    if done.returncode not in (0, 1):
        sys.exit(f"{path.stem}: {done.stderr}")
    run = json.loads(done.stdout)
    nodes = run.get("nodes")
    tensors = "-" if not nodes else (
        f"{nodes['compared'] - nodes['different']} of {nodes['compared']}")
    return (f"| {path.stem} | {machine} "
            f"| {'equal' if run['equal'] else 'DIFFERENT'} "
            f"| {tensors} | {count:,} |\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tally", default=ROOT / "build/dev/bin/tally")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT / "build/models")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "docs/accelerator-networks.md")
    parser.add_argument("--only", default="")
    parser.add_argument("--outputs-only", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=ROOT / "build/accelerators")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    text = INTRO
    paths = sorted((ROOT / "models/digits").glob("*.onnx"))
    paths += sorted(options.models.glob("*.onnx"))
    paths = [path for path in paths if re.search(options.only, path.stem)]
    for path in paths:
        for machine in options.machine or MACHINES:
            line = row(options.tally, path, machine, options.folder,
                       not options.outputs_only)
            print(line, end="", file=sys.stderr, flush=True)
            text += line
    options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
