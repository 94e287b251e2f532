#!/usr/bin/env python3
"""Measure networks on accelerators: what compiling takes, and what runs take.

usage: accelerator.py [--tally FILE] [--models FOLDER] [--networks NAME,...]
                      [--machines NAME,...] [--large NODES,...] [--update PAGE]

Compiles each network for each shipped machine, with the checker's proof, and
simulates the program on made-up data; likewise large graphs, unless there are
none. Prints two Markdown tables, or puts them
between the marks in PAGE (docs/performance.md). Seconds are processor time of
one core, memory is the compiler's peak; cycles, bytes and shares are the
simulator's and the same on every host.

A row's last column says what limits the run: the queue that is busy most, and
how much of that it loses to others that use the same memory.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import page

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- by bench/accelerator.py -->\n"
END = "<!-- end -->\n"


def measured(command):
    """Output, errors, status, processor seconds and peak KiB of a command."""
    with tempfile.TemporaryFile("w+") as out, \
            tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return (out.read(), err.read(), child.returncode,
                usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


class Program:
    """One network compiled for one machine, or why it is not."""

    def __init__(self, tally, model, machine, folder):
        self.file = folder / "net.elf"
        out, err, status, self.seconds, peak = measured(
            [tally, "compile", model, "--target", machine, "--json", "-o",
             self.file])
        self.peak = peak / 1024
        self.instructions = json.loads(out)["instructions"] if not status else 0
        self.refusal = err.rpartition("[")[2].partition("]")[0]

    def run(self, tally):
        out, err, status, _, _ = measured(
            [tally, "run", self.file, "--random", "3", "--json"])
        if status:
            sys.exit(err)
        return json.loads(out)["simulation"]


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def run_row(program, counters):
    cycles, queues = counters["cycles"], counters["queues"]
    moved = sum(memory["read"] + memory["written"]
                for memory in counters["memories"]
                if memory["name"] not in ("sram", "accumulators"))
    busiest = max(queues, key=lambda queue: queue["busy"])
    limit = f"{busiest['name']} {share(busiest['busy'], cycles)}"
    if busiest["slowed"] * 100 > busiest["busy"]:
        limit += f", {share(busiest['slowed'], busiest['busy'])} of that slowed"
    return [f"{cycles:,}",
            share(sum(q["macs"] for q in queues),
                  sum(q["peak_macs"] for q in queues)),
            f"{moved / 2**20:.1f} MiB", f"{moved / cycles:.1f}",
            f"{program.instructions * 4 / 1024:.1f} KiB",
            f"{program.seconds:.1f} s", limit]


def network_table(tally, models, networks, machines, folder):
    rows = [["network", "machine", "cycles", "array", "traffic", "bytes/cycle",
             "text", "compile", "limited by"]]
    for name in networks:
        for machine in machines:
            program = Program(tally, models / f"{name}.onnx", machine, folder)
            if program.instructions:
                row = run_row(program, program.run(tally))
            else:
                row = [f"refused: {program.refusal}"] + [""] * 6
            rows.append([name, machine, *row])
    return rows


def scale_table(tally, sizes, machines, folder):
    rows = [["nodes", "machine", "instructions", "compile", "peak memory"]]
    for nodes in map(int, sizes):
        model = folder / "large.onnx"
        subprocess.run([sys.executable, ROOT / "bench/large_graph.py",
                        str(nodes), model], check=True, capture_output=True)
        for machine in machines:
            program = Program(tally, model, machine, folder)
            size = (f"{program.instructions:,}" if program.instructions else
                    f"refused: {program.refusal}")
            rows.append([f"{nodes:,}", machine, size,
                         f"{program.seconds:.1f} s",
                         f"{program.peak:.0f} MiB"])
    return rows


def markdown(rows):
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def names(text):
    return [name for name in text.split(",") if name]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", type=pathlib.Path,
                        default=ROOT / "build/dev/bin/tally")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT / "build/models")
    parser.add_argument("--networks", type=names,
                        default="resnet50-s8,mobilenetv2-u8,ocr-orient-s8")
    parser.add_argument("--machines", type=names, default="edge,tiny,wide")
    parser.add_argument("--large", type=names, default="20000,100000")
    parser.add_argument("--update", type=pathlib.Path)
    arguments = parser.parse_args()
    machines = arguments.machines
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = (markdown(network_table(arguments.tally, arguments.models,
                                       arguments.networks, machines,
                                       folder)) + "\n" +
                markdown(scale_table(arguments.tally, arguments.large,
                                     machines, folder)))
    page.show(text, arguments.update, BEGIN, END)


if __name__ == "__main__":
    main()
