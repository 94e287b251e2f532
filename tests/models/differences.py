#!/usr/bin/env python3
"""Tabulate what differs from onnxruntime in quantized models, and why.

    differences.py MODEL.onnx ... [--tally build/dev/bin/tally]

Runs `tally diff --ref onnxruntime` on each model that has codes, without and
with onnxruntime's graph optimizations, on the inputs that lie beside it, and
prints one Markdown row each: how many codes differ in all tensors that both
sides have, the share whose rule was found by computing them again, how many
each rule explains, and what the command took.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import compare

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ("| model | onnxruntime | codes compared | differ | explained | rules "
          "| s | MiB |\n|---|---|---|---|---|---|---|---|")

Found = collections.namedtuple("Found", "report seconds mebibytes")


def options_of(path):
    """What binds the open dimensions; variants have none."""
    entry = compare.table_entry(path)
    return entry.get("options", []) if path.stem == entry.get("name") else []


def inputs_of(path):
    own = path.with_name(path.stem + ".inputs.npz")
    shared = path.with_name(path.stem.rsplit("-", 1)[0] + ".inputs.npz")
    return own if own.exists() else shared


def diff(tally, path, *options):
    """The command's JSON, and the time and memory of all its processes."""
    command = [str(tally), "diff", str(path), *options_of(path), "--json",
               "--ref", "onnxruntime", "--input", str(inputs_of(path)),
               *options]
    environment = {**os.environ, "TALLY_PYTHON": sys.executable}
    with tempfile.TemporaryFile("w+") as output:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=output, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}\nstatus {process.returncode}")
        output.seek(0)
        return Found(json.load(output), seconds, usage.ru_maxrss / 1024)


def share(report):
    """Of the codes that differ, those that a rule explains; 1 without any."""
    differ = report["codes_different"]
    return 1 - report["unexplained"] / differ if differ else 1.0


def row(path, level, found):
    report = found.report
    rules = ", ".join(f"{name} {count:,}"
                      for name, count in report["rules"].items())
    # Rounded down: 100 % is said of all and not of nearly all.
    percent = int(share(report) * 1e5) / 1e3
    return (f"| {path.stem} | {level} | {report['codes_compared']:,} "
            f"| {report['codes_different']:,} | {percent:.3f} % "
            f"| {rules or '-'} | {found.seconds:.1f} "
            f"| {found.mebibytes:,.0f} |")


def is_quantized(tally, path):
    done = subprocess.run([str(tally), "inspect", str(path), "--json"],
                          text=True, capture_output=True, check=True)
    return json.loads(done.stdout)["quantization"]["style"] != "float"


def rows(tally, paths):
    """The rows of the quantized ones of some models."""
    for path in filter(lambda path: is_quantized(tally, path), paths):
        for level, options in (("plain", []),
                               ("optimized", ["--ref-optimized"])):
            yield row(path, level, diff(tally, path, *options))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--tally", default=ROOT / "build/dev/bin/tally")
    options = parser.parse_args()
    print(HEADER)
    for line in rows(options.tally, options.models):
        print(line, flush=True)


if __name__ == "__main__":
    main()
