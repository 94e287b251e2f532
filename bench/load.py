#!/usr/bin/env python3
"""Measure how long a compiled library takes to load, and its memory.

usage: load.py [--build FOLDER] [--models FOLDER] [--networks NAME,...]
               [--rounds N] [--update PAGE]

Compiles each network for this machine, then loads the library through libtally
in a process of its own, some times: tally_program_load and tally_context_create
(ready), the first run, and the runs after it. Prints the medians as a Markdown
table, or puts it between the marks in PAGE (docs/performance.md). Memory is the
process's peak beyond what it had before the load, beside what it cannot do
without: constants and arena. The library's pages are in the system's cache, as
those of a library that was just written are.
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import cpu
import page

BEGIN = "<!-- by bench/load.py -->\n"
END = "<!-- end of bench/load.py -->\n"
NETWORKS = "resnet50-u8,resnet50-s8,mobilenetv2-u8,bert-layer-u8,magika-u8"
HEAD = ["network", "constants", "arena", "ready", "first run", "steady run",
        "peak beyond constants and arena"]
WARM_RUNS = 20


def resident(key):
    """Bytes of this process: VmRSS now, or VmHWM, the most so far."""
    with open("/proc/self/status", encoding="utf-8") as lines:
        return next(int(line.split()[1]) << 10 for line in lines
                    if line.startswith(key))


def forget_peak():
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")


def element_bytes(kind):
    digits = "".join(filter(str.isdigit, kind))
    return int(digits) // 8 if digits else 1


def buffers(tensors):
    """Zeros for each tensor, and their addresses."""
    sizes = []
    for tensor in tensors:
        count = element_bytes(tensor["type"])
        for size in tensor["shape"]:
            count *= size
        sizes.append(count)
    memory = [ctypes.create_string_buffer(size) for size in sizes]
    return memory, (ctypes.c_void_p * len(memory))(
        *[ctypes.addressof(block) for block in memory])


def watch(libtally, model):
    """Loads and runs once, in this process; what it took, as JSON."""
    library = ctypes.CDLL(libtally)
    library.tally_interface_json.restype = ctypes.c_char_p
    about = json.loads(pathlib.Path(model).with_suffix(".json").read_text())
    kept, inputs = buffers(about["inputs"])
    kept_too, outputs = buffers(about["outputs"])
    for block in kept + kept_too:
        ctypes.memset(block, 0, len(block))  # theirs, not the library's
    program, context = ctypes.c_void_p(), ctypes.c_void_p()

    def must(status):
        if status:
            sys.exit(f"status {status}")

    def run():
        begin = time.perf_counter()
        must(library.tally_run(context, inputs, outputs, None))
        return time.perf_counter() - begin

    before = resident("VmRSS")
    forget_peak()
    begin = time.perf_counter()
    must(library.tally_program_load(os.fsencode(model), ctypes.byref(program),
                                    None))
    must(library.tally_context_create(program, ctypes.byref(context), None))
    ready = time.perf_counter() - begin
    first = run()
    steady = min(run() for _ in range(WARM_RUNS))
    print(json.dumps({"ready": ready, "first": first, "steady": steady,
                      "peak": resident("VmHWM") - before}))


def tool(arguments, *words):
    done = subprocess.run([arguments.build / "bin/tally", *words], text=True,
                          stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def compile_network(arguments, name, folder):
    """The library, with what it tells about itself beside it."""
    model = arguments.models / f"{name}.onnx"
    tier = json.loads(tool(arguments, "version", "--json"))["host_tiers"][-1]
    library = folder / f"{name}.so"
    tool(arguments, "compile", model, *cpu.shapes(cpu.inputs_of(model)),
         "--tiers", tier, "--no-self-test", "-o", library)
    about = json.loads(
        tool(arguments, "inspect", library, "--json"))["interface"]
    library.with_suffix(".json").write_text(json.dumps(about))
    return library, about


def measure(arguments, name, folder):
    library, about = compile_network(arguments, name, folder)
    libtally = arguments.build / "lib/libtally.so"
    told = []
    for _ in range(arguments.rounds):
        done = subprocess.run(
            [sys.executable, __file__, "--watch", libtally, library],
            text=True, stdout=subprocess.PIPE, check=True)
        told.append(json.loads(done.stdout))
    middle = {key: statistics.median(one[key] for one in told)
              for key in told[0]}
    needed = about["constant_bytes"] + about["arena_bytes"]
    return [name, f"{about['constant_bytes'] / 1e6:.1f} MB",
            f"{about['arena_bytes'] / 1e6:.1f} MB",
            *(f"{middle[key] * 1e3:.2f} ms"
              for key in ("ready", "first", "steady")),
            f"{(middle['peak'] - needed) / 1e6:.1f} MB"]


def table(arguments):
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(arguments, name, pathlib.Path(folder))
                for name in arguments.networks]
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return (f"{cpu.processor()}, one tier, medians of {arguments.rounds} "
            f"processes; steady is the least of {WARM_RUNS} runs.\n\n{text}")


def main():
    if sys.argv[1:2] == ["--watch"]:
        watch(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path,
                        default=cpu.ROOT / "build/dev")
    parser.add_argument("--models", type=pathlib.Path,
                        default=cpu.ROOT / "build/models")
    parser.add_argument("--networks", type=cpu.names, default=NETWORKS)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--update", type=pathlib.Path)
    arguments = parser.parse_args()
    page.show(table(arguments), arguments.update, BEGIN, END)


if __name__ == "__main__":
    main()
