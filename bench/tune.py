#!/usr/bin/env python3
"""Measure what measured schedules win on this processor.

usage: tune.py [--tally FILE] [--models FOLDER] [--seconds N] [--turns N]
               [--cache FILE] [--update PAGE] [NAME | gemm:M,K,N ...]

NAME and layers are those of cpu_layers.py. Compiles each for this machine's best
instruction set twice, with guessed schedules and with those that `--tune` finds,
and runs both libraries in turn with `tally bench`, `--turns` times. Times are the
least; the gain is the median of the turns and the middle half. What is in the cache
is not measured again: so a search can be made before, and what it found be compared
when the machine is quiet. Prints a Markdown table, or puts it between the marks in
PAGE (docs/performance.md).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import onnx

import page
from cpu import inputs_of, processor, shapes
from cpu_layers import single_layer

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- by bench/tune.py -->\n"
END = "<!-- end of bench/tune.py -->\n"
HEAD = ["network or layer", "products", "other than guessed", "guessed",
        "measured", "gain"]


def told(command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def compiled(tally, model, output, *options):
    return told([tally, "compile", model, "--cpu", "native", "--no-self-test",
                 "-o", output, "--json", *options])


def compare(tally, libraries, data, turns):
    """The least seconds of each library, and the gain in each turn."""
    times = [[told([tally, "bench", library, *data, "--runs", "5", "--json"])
              ["seconds"]["minimum"] for library in libraries]
             for _ in range(turns)]
    least = [min(seconds) for seconds in zip(*times)]
    return least, [before / after for before, after in times]


def row(arguments, name, folder):
    model, binding, data = arguments.models / f"{name}.onnx", [], []
    if ":" in name:
        model = folder / "layer.onnx"
        onnx.save(single_layer(name)[0], model)
    else:
        binding, data = shapes(inputs_of(model)), ["--input", inputs_of(model)]
    plain, tuned = folder / "plain.so", folder / "tuned.so"
    tally = arguments.tally
    compiled(tally, model, plain, *binding)
    schedules = compiled(tally, model, tuned, *binding,
                         f"--tune={arguments.seconds}", "--tune-cache",
                         arguments.cache)["schedules"]
    products = {(one["tier"], one["product"]): one for one in schedules}
    others = sum(one["schedule"] != one["cheapest"]
                 for one in products.values())
    found = [name, str(len(products)), str(others)]
    if not others:
        return [*found, "", "", "same code"]
    least, gains = compare(tally, [plain, tuned], data, arguments.turns)
    low, middle, high = statistics.quantiles(gains, n=4)
    return [*found, *(f"{1e3 * seconds:.2f} ms" for seconds in least),
            f"{middle:.3f} ({low:.3f} to {high:.3f})"]


def table(arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        arguments.cache = arguments.cache or folder / "schedules.json"
        rows = [row(arguments, name, folder) for name in arguments.names]
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{processor()}, one thread.\n\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", type=pathlib.Path,
                        default=ROOT / "build/dev/bin/tally")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT / "build/models")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--update", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        default=["resnet50-u8", "mobilenetv2-u8",
                                 "bert-layer-u8", "gemm:1024,1024,1024"])
    arguments = parser.parse_args()
    page.show(table(arguments), arguments.update, BEGIN, END)


if __name__ == "__main__":
    main()
