#!/usr/bin/env python3
"""Measure networks on this processor, beside onnxruntime.

usage: cpu.py [--tally FILE] [--models FOLDER] [--networks NAME,...]
              [--threads N,...] [--runs N] [--update PAGE]

Runs `tally bench --against onnxruntime` on each network, in turn with the other
on as many threads (1 and 2), on the inputs that lie beside it. Prints a Markdown
table, or puts it between the marks of this processor's tier in PAGE
(docs/performance.md). The interpreter that runs this must have the packages
onnxruntime and numpy. A network whose shapes are open is bound to its inputs'.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy

import page

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = "bench/cpu.py, tier "
NETWORKS = ",".join(
    f"{name}-{kind}" for name in (
        "resnet50", "mobilenetv2", "bert-layer", "magika", "minilm",
        "mtcnn-propose", "mtcnn-refine", "mtcnn-output", "ocr-detect",
        "ocr-orient", "ocr-recognize")
    for kind in ("u8", "s8"))
HEAD = ["network", "threads", "GMAC", "time", "GOP/s", "of peak", "of floor",
        "onnxruntime", "its time by ours", "one thread's by ours"]


def inputs_of(model):
    """The data beside a model; that of its float original serves as well."""
    own = model.with_suffix(".inputs.npz")
    name = model.stem.removesuffix("-u8").removesuffix("-s8")
    return own if own.exists() else model.with_name(f"{name}.inputs.npz")


def shapes(inputs):
    """Options that bind every input to the shape of its data."""
    with numpy.load(inputs) as arrays:
        return [word for name in arrays.files for word in
                ("--shape", f"{name}={'x'.join(map(str, arrays[name].shape))}")]


def measure(tally, model, runs, threads):
    inputs = inputs_of(model)
    done = subprocess.run(
        [tally, "bench", model, "--json", "--runs", str(runs), "--threads",
         str(threads), "--against", "onnxruntime", "--input", inputs, *shapes(inputs)],
        text=True, stdout=subprocess.PIPE, check=False,
        env={**os.environ, "TALLY_PYTHON": sys.executable})
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def spread(values, unit, scale=1):
    middle, low, high = (scale * values[key] for key in
                         ("median", "lower_quartile", "upper_quartile"))
    return f"{middle:.2f}{unit} ({low:.2f} to {high:.2f})"


def row(name, told):
    least = told["seconds"]["minimum"]
    alone = told.get("alone")
    return [name, str(told["threads"]), f"{told['macs'] / 1e9:.3f}",
            spread(told["seconds"], " ms", 1e3),
            f"{2 * told['macs'] / least / 1e9:.1f}",
            f"{100 * told['seconds_of_products'] / least:.1f} %",
            f"{100 * told['seconds_of_floor'] / least:.1f} %",
            spread(told["against"]["seconds"], " ms", 1e3),
            spread(told["against"]["ratio"], ""),
            spread(alone["ratio"], "") if alone else ""]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.partition(":")[2].strip() for line in lines
                     if line.startswith("model name")), "unknown processor")


def table(tally, models, networks, runs, threads):
    """The tier, and the text."""
    rows, told = [], {}
    for name in networks:
        for count in threads:
            told = measure(tally, models / f"{name}.onnx", runs, count)
            rows.append(row(name, told))
    core = told["core"]
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    text = (f"{processor()}, tier {told['tier']}, {runs} samples; "
            f"{told['against']['name']}; a core's peak in the last row: "
            f"{2 * core['integer_macs_per_second'] / 1e9:.0f} GOP/s of bytes, "
            f"{2 * core['float_macs_per_second'] / 1e9:.0f} of floats. Load of "
            f"the machine: {os.getloadavg()[0]:.1f}.\n\n{text}")
    return told["tier"], text


def names(text):
    return [name for name in text.split(",") if name]


def numbers(text):
    return [int(number) for number in names(text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", type=pathlib.Path,
                        default=ROOT / "build/dev/bin/tally")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT / "build/models")
    parser.add_argument("--networks", type=names, default=NETWORKS)
    parser.add_argument("--threads", type=numbers, default="1,2")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--update", type=pathlib.Path)
    arguments = parser.parse_args()
    tier, text = table(arguments.tally, arguments.models, arguments.networks,
                       arguments.runs, arguments.threads)
    page.show(text, arguments.update, f"<!-- by {MARK}{tier} -->\n",
              f"<!-- end of {MARK}{tier} -->\n")


if __name__ == "__main__":
    main()
