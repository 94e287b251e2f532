#!/usr/bin/env python3
"""Measure what measured schedules win on this processor.

usage: tune.py [--tally FILE] [--models FOLDER] [--networks NAME,...]
               [--seconds N] [--turns N] [--cache FILE] [--update PAGE]

Compiles each network for this machine's best instruction set twice, with guessed
schedules and with those that `--tune` finds, and runs both libraries in turn with
`tally bench`, `--turns` times. Times are the least and the median of the medians.
Prints a Markdown table, or puts it between the marks in PAGE
(docs/performance.md).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import page
from cpu import inputs_of, names, processor, shapes

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- by bench/tune.py -->\n"
END = "<!-- end of bench/tune.py -->\n"
HEAD = ["network", "products", "other than guessed", "guessed", "measured",
        "gain", "search"]


def told(command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def compiled(tally, model, output, *options):
    return told([tally, "compile", model, *shapes(inputs_of(model)), "--cpu",
                 "native", "--no-self-test", "-o", output, "--json", *options])


def compare(tally, libraries, inputs, turns):
    """Seconds of each library, one for each turn: least and median."""
    times = [[] for _ in libraries]
    for _ in range(turns):
        for library, seconds in zip(libraries, times):
            shown = told([tally, "bench", library, "--input", inputs, "--runs",
                          "5", "--json"])["seconds"]
            seconds.append((shown["minimum"], shown["median"]))
    return [(min(least for least, _ in seconds),
             statistics.median(middle for _, middle in seconds))
            for seconds in times]


def row(tally, model, arguments, folder):
    plain, tuned = folder / "plain.so", folder / "tuned.so"
    compiled(tally, model, plain)
    start = time.monotonic()
    products = {(one["tier"], one["product"]): one for one in compiled(
        tally, model, tuned, f"--tune={arguments.seconds}", "--tune-cache",
        arguments.cache)["schedules"]}
    search = time.monotonic() - start
    others = sum(one["schedule"] != one["cheapest"]
                 for one in products.values())
    before, after = compare(tally, [plain, tuned], inputs_of(model),
                            arguments.turns)
    shown = [f"{1e3 * least:.2f} ms ({1e3 * middle:.2f})"
             for least, middle in (before, after)]
    return [model.stem, str(len(products)), str(others), *shown,
            f"{before[0] / after[0]:.3f}", f"{search:.0f} s"]


def table(arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        arguments.cache = arguments.cache or folder / "schedules.json"
        rows = [row(arguments.tally, arguments.models / f"{network}.onnx",
                    arguments, folder) for network in arguments.networks]
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{processor()}, one thread.\n\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", type=pathlib.Path,
                        default=ROOT / "build/dev/bin/tally")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT / "build/models")
    parser.add_argument("--networks", type=names,
                        default="resnet50-u8,mobilenetv2-u8,bert-layer-u8")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--update", type=pathlib.Path)
    arguments = parser.parse_args()
    page.show(table(arguments), arguments.update, BEGIN, END)


if __name__ == "__main__":
    main()
