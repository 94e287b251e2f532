"""Fan-outs and joins on few synchronization registers, and waits left out.

A tensor with hundreds of readers, and a node with dozens of operands, made by
engines of every kind: whatever the number of registers, the program is proved
and gives the evaluator's bits; fewer registers only cost cycles, which the
table at the end of a run shows (pytest -s). Of the waits of real networks, the
checker misses each one that is left out, or says that it was not needed.
"""

import json
import os
import pathlib

import numpy as np
import onnx
import pytest
from conftest import need, sample
from machine_files import cut_machine
from test_accelerator import Graph, check, tally_run

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = pathlib.Path(os.environ.get("TALLY_MODELS", ROOT / "build/models"))
# As shipped, and with fewer registers: counters on edge and tiny, flags on
# wide.
FILES = [("tiny", 1), ("tiny", 2), ("edge", 8), ("edge", 1), ("edge", 2),
         ("edge", 3), ("wide", 4), ("wide", 16), ("wide", 2), ("wide", 1)]


def reader(g, value, width, number):
    """One of the readers of `value`, on another engine each: a product, a
    table, a sum with a constant."""
    kind = number % 3
    if kind == 0:
        return g.node("Gemm", [value, g.weight([width, width], 0)], keep=False,
                      transB=1)
    if kind == 1:
        return g.node("LeakyRelu", [value], keep=False, alpha=number / 1024)
    other = g.quantized_constant(g.codes((1, width), np.int8))
    return g.node("Add", [value, other], keep=False)


class Fan(Graph):
    def quantized_constant(self, codes):
        return self.node("DequantizeLinear", [
            self.constant(codes), self.constant(np.float32(0.03)),
            self.constant(np.int8(0))], keep=False)


def fan_out(readers, width=8):
    """One tensor, `readers` of it, all their results as one output."""
    g = Fan(readers)
    x = g.quantized(g.floats(1, width), np.int8, 0.05)
    results = []
    for number in range(readers):
        y = reader(g, x, width, number)
        results.append(g.quantized(y, np.int8, 0.0625))
    g.result(g.node("Concat", results, keep=False, axis=0))
    return g


def join(operands, width=8):
    """So many tensors, each made by another engine than the one before, joined
    by one node."""
    g = Fan(operands)
    inputs = [g.quantized(g.floats(1, width), np.int8, 0.05) for _ in range(4)]
    parts = []
    for number in range(operands):
        y = reader(g, inputs[number % 4], width, number)
        parts.append(g.quantized(y, np.int8, 0.0625))
    joined = g.again(g.node("Concat", parts, keep=False, axis=1))
    y = g.node("MatMul", [joined, g.weight([operands * width, 4], 1)],
               keep=False)
    g.result(g.quantized(y, np.int8, 0.5))
    return g


def saved(g, folder):
    path = folder / "net.onnx"
    onnx.save(g.model(), path)
    np.savez(folder / "inputs.npz", **g.feeds)
    return path


@pytest.fixture(scope="module")
def prices():
    """Cycles by family, machine and registers, printed at the end."""
    cycles = {}
    yield cycles
    for family in sorted({key[0] for key in cycles}):
        print(f"\n{family}")
        for (name, machine, registers), count in cycles.items():
            if name == family:
                print(f"  {machine:5} {registers:3} registers"
                      f" {count:9} cycles")


@pytest.mark.parametrize("machine,registers", sample(FILES, 3))
@pytest.mark.parametrize("family", [
    ("fan-out to 8", fan_out, 8), ("fan-out to 512", fan_out, 512),
    ("join of 64", join, 64)], ids=lambda family: family[0])
def test_few_registers_cost_only_time(tally, tmp_path, prices, family, machine,
                                      registers):
    name, make, size = family
    g = make(size)
    path = saved(g, tmp_path)
    file = cut_machine(tmp_path, machine, registers=registers)
    given = ["--input", tmp_path / "inputs.npz"]
    check(tally, tmp_path, path, file, *given)
    report = json.loads(tally_run(tally, "run", tmp_path / "net.elf", *given,
                                  "--machine", file, "--json"))
    prices[name, machine, registers] = report["simulation"]["cycles"]


def needless_waits(tally, program, most):
    said = tally_run(tally, "check", program, "--try-waits", most, "--json")
    waits = json.loads(said)["waits"]
    assert waits["count"] > 0
    assert waits["tried"] == min(most, waits["count"])
    return waits["needless"]


@pytest.mark.parametrize("machine", ["edge", "tiny", "wide"])
def test_digits_needs_each_wait(tally, tmp_path, machine):
    program = tmp_path / "digits.elf"
    tally_run(tally, "compile", ROOT / "models/digits/digits-int8.onnx",
              "--dim", "N=2", "--target", machine, "-o", program)
    assert needless_waits(tally, program, 100000) == []


@pytest.mark.parametrize("name", ["ocr-orient-u8", "mobilenetv2-u8",
                                  "resnet50-u8"])
def test_networks_need_nearly_each_wait(tally, tmp_path, name):
    path = MODELS / f"{name}.onnx"
    need(path)
    program = tmp_path / "net.elf"
    tally_run(tally, "compile", path, "--target", "edge", "-o", program)
    # Storages that share bytes are told apart as wholes, which costs a wait
    # here and there that the bytes themselves would not need.
    assert len(needless_waits(tally, program, 300)) <= 300 * 2 // 100
