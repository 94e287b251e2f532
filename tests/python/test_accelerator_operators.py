"""Every operator that accelerators run, each against the evaluator.

A batch of single nodes becomes one graph, which is compiled (and so proved by
the checker), simulated with audit, and compared with the evaluator bit for bit;
only the payload of a NaN is free.
"""

import subprocess

import numpy as np
import onnx
import pytest
from conftest import in_turn
from machine_files import cut_machine
from operator_batches import FAMILIES, OPSETS, Codes


def call(tally, *arguments):
    done = subprocess.run([str(tally), *map(str, arguments)], text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return done.stdout


def assert_same(found, expected, name):
    assert found.dtype == expected.dtype and found.shape == expected.shape, name
    if found.dtype.kind == "f":
        both = np.isnan(found) & np.isnan(expected)
        found, expected = (np.where(both, 0, x) for x in (found, expected))
    assert found.tobytes() == expected.tobytes(), name


def with_producers(nodes, wanted):
    """`wanted` and the nodes that they read from, in order."""
    kept = list(wanted)
    for node in reversed(nodes):
        read = {name for k in kept for name in k.input}
        if node not in kept and read & set(node.output):
            kept.append(node)
    return [node for node in nodes if node in kept]


def parts(batch, size=10):
    """The batch's model in parts: a program has few inputs and outputs."""
    whole = batch.model()
    results = [n for n in batch.nodes if set(n.output) & set(batch.outputs)]
    for first in range(0, len(results), size):
        model = onnx.ModelProto()
        model.CopyFrom(whole)
        graph = model.graph
        del graph.node[:], graph.input[:], graph.output[:]
        wanted = results[first:first + size]
        graph.node.extend(with_producers(batch.nodes, wanted))
        read = {name for node in graph.node for name in node.input}
        made = {name for node in wanted for name in node.output}
        graph.input.extend(i for i in whole.graph.input if i.name in read)
        graph.output.extend(o for o in whole.graph.output if o.name in made)
        yield model


def check(tally, folder, batch, machine="edge"):
    """One batch on one machine; its outputs equal the evaluator's."""
    for number, model in enumerate(parts(batch)):
        check_model(tally, folder / str(number), model, batch.feeds, machine)


def check_model(tally, folder, model, feeds, machine):
    folder.mkdir()
    path = folder / "nodes.onnx"
    onnx.save(model, path)
    feeds = {i.name: feeds[i.name] for i in model.graph.input}
    np.savez(folder / "inputs.npz", **feeds)
    given = ["--input", folder / "inputs.npz"] if feeds else []
    call(tally, "compile", path, "--target", machine, "-o",
         folder / "nodes.elf")
    call(tally, "run", folder / "nodes.elf", "--machine", machine, "--audit",
         *given, "--output-dir", folder / "npu")
    call(tally, "run", path, "--target", "eval", *given, "--output-dir",
         folder / "eval")
    wanted = sorted((folder / "eval").iterdir())
    assert len(wanted) == len(model.graph.output)
    for path in wanted:
        node = next(n.op_type for n in model.graph.node
                    if path.stem in n.output)
        assert_same(np.load(folder / "npu" / path.name), np.load(path), node)

@pytest.mark.parametrize("family, machine", in_turn(
    FAMILIES, ["edge", "tiny", "wide", "small"]))
def test_operators_equal_the_evaluator(tally, tmp_path, family, machine):
    if machine == "small":  # most tensors are larger: they run piece by piece
        machine = cut_machine(tmp_path, "tiny", sram=16384)
    batch = Codes(len(family), opset=OPSETS.get(family, 21))
    FAMILIES[family](batch)
    check(tally, tmp_path, batch, machine)
