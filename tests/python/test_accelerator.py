"""Programs for accelerators give the evaluator's bits.

Each graph is compiled for a machine, which also proves it (the checker judges
every program before it is written), simulated with audit, and compared with the
evaluator on the same inputs: small graphs of quantized operators in random
sizes, and a whole network.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from conftest import LONG, in_turn, need
from node_batch import NodeBatch

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = pathlib.Path(os.environ.get("TALLY_MODELS", ROOT / "build/models"))
MACHINES = ("edge", "tiny", "wide")


def tally_run(tally, *arguments, status=0):
    done = subprocess.run([str(tally), *map(str, arguments)], text=True,
                          capture_output=True, check=False)
    assert done.returncode == status, done.stdout[-1000:] + done.stderr[-2000:]
    return done.stdout + done.stderr


def check(tally, folder, model, machine, *inputs):
    program = folder / "net.elf"
    tally_run(tally, "compile", model, "--target", machine, "-o", program)
    tally_run(tally, "run", program, "--machine", machine, "--audit", *inputs,
              "--output-dir", folder / "npu")
    tally_run(tally, "run", model, "--target", "eval", *inputs, "--output-dir",
              folder / "eval")
    wanted = sorted((folder / "eval").iterdir())
    assert wanted
    for path in wanted:
        found = np.load(folder / "npu" / path.name)
        expected = np.load(path)
        assert found.tobytes() == expected.tobytes(), path.name


class Graph(NodeBatch):
    """Quantized operators between a float input and float outputs."""

    def quantized(self, value, dtype, scale=None):
        scale = np.float32(scale or self.rng.uniform(0.01, 0.1))
        zero = self.codes((), dtype, 40) if dtype == np.int8 else np.uint8(
            self.rng.integers(90, 160))
        self.grid = [self.constant(scale),
                     self.constant(np.array(zero, dtype))]
        return self.again(value)

    def again(self, value):
        """Quantized on the last grid."""
        grid = self.grid
        codes = self.node("QuantizeLinear", [value, *grid], keep=False)
        return self.node("DequantizeLinear", [codes, *grid], keep=False)

    def weight(self, shape, axis):
        scales = np.float32(self.rng.uniform(0.002, 0.02, shape[axis]))
        return self.node("DequantizeLinear", [
            self.constant(self.codes(shape, np.int8)), self.constant(scales),
            self.constant(np.zeros(shape[axis], np.int8))], keep=False,
            axis=axis)

    def floats(self, *shape):
        return self.input(self.rng.normal(0, 2, shape).astype(np.float32))

    def result(self, value):
        self.node("Identity", [value])


def convolution(g, dtype):
    batch, groups, size = g.pick(1, 2), g.pick(1, 1, 2, 3), g.pick(1, 3)
    inner, outer = (int(n) * groups for n in g.rng.integers(1, 40, 2))
    high, wide = g.sizes(5, 14, 2)
    x = g.quantized(g.floats(batch, inner, high, wide), dtype)
    w = g.weight([outer, inner // groups, size, size], 0)
    stride, pad = g.pick(1, 2), g.pick(0, 1)
    y = g.node("Conv", [x, w], keep=False, group=groups, strides=[stride] * 2,
               pads=[pad, pad, 0, pad])
    if g.pick(True, False):
        y = g.node("Relu", [y], keep=False)
    g.result(g.quantized(y, dtype))


def depthwise_and_residual(g, dtype):
    channels, (high, wide) = g.sizes(3, 90, 1)[0], g.sizes(4, 9, 2)
    x = g.quantized(g.floats(1, channels, high, wide), dtype)
    y = g.node("Conv", [x, g.weight([channels, 1, 3, 3], 0)], keep=False,
               group=channels, pads=[1] * 4)
    y = g.quantized(y, dtype)
    y = g.node("Conv", [y, g.weight([channels, channels, 1, 1], 0)],
               keep=False)
    y = g.quantized(y, dtype)
    total = [x, y] if g.pick(True, False) else [y, x]
    g.result(g.quantized(g.node("Add", total, keep=False), dtype))


def gemm_and_activation(g, dtype):
    rows, inner, outer = g.sizes(1, 90, 3)
    x = g.quantized(g.floats(rows, inner), dtype)
    bias = g.constant(g.rng.normal(0, 1, outer).astype(np.float32))
    y = g.node("Gemm", [x, g.weight([outer, inner], 0), bias], keep=False,
               transB=1)
    y = g.quantized(y, dtype)
    y = g.node(g.pick("Sigmoid", "Tanh", "HardSwish", "LeakyRelu"), [y],
               keep=False)
    g.result(g.quantized(y, dtype, 0.0078125))


def pool_prelu_and_mean(g, dtype):
    channels, (high, wide) = g.sizes(2, 70, 1)[0], g.sizes(4, 12, 2)
    x = g.quantized(g.floats(1, channels, high, wide), dtype)
    slope = g.constant(
        g.rng.uniform(-0.5, 0.5, [channels, 1, 1]).astype(np.float32))
    grid = g.rng.uniform(0.02, 0.1)
    y = g.quantized(g.node("PRelu", [x, slope], keep=False), dtype, grid)
    y = g.node("MaxPool", [y], keep=False, kernel_shape=[3, 2],
               strides=[2, 1], pads=[1, 0, 1, 1])
    y = g.again(y)
    g.result(y)
    g.result(g.quantized(g.node("GlobalAveragePool", [y], keep=False), dtype))


def gate(g, dtype):
    # The product of a tensor and one number for each channel, either way round.
    channels, (high, wide) = g.sizes(2, 40, 1)[0], g.sizes(2, 9, 2)
    x = g.quantized(g.floats(1, channels, high, wide), dtype)
    y = g.quantized(g.node("Conv", [x, g.weight([channels, channels, 1, 1], 0)],
                           keep=False), dtype)
    factor = g.quantized(g.floats(1, channels, 1, 1), dtype)
    pair = [y, factor] if g.pick(True, False) else [factor, y]
    g.result(g.quantized(g.node("Mul", pair, keep=False), dtype))


def product_of_two(g, dtype):
    batch, rows, inner, outer = g.sizes(1, 30, 4)
    lead = [1, batch] if g.pick(True, False) else [batch]
    a = g.quantized(g.floats(*lead, rows, inner), dtype)
    b = g.quantized(g.floats(*lead, inner, outer), np.int8)
    y = g.quantized(g.node("MatMul", [a, b], keep=False), dtype, 0.5)
    y = g.node("Relu", [y], keep=False)
    g.result(g.again(y))


def softmax(g, dtype):
    x = g.quantized(g.floats(*g.sizes(1, 20, 3)), dtype)
    g.result(g.node("Softmax", [x], keep=False, axis=g.pick(1, 2)))


def movements(g, dtype):
    a, b, c = g.sizes(2, 9, 3)
    x = g.quantized(g.floats(1, a, b, c), dtype)
    y = g.node("Transpose", [x], keep=False, perm=[0, 2, 3, 1])
    y = g.node("Reshape", [y, g.constant(np.array([b, c * a]))], keep=False)
    other = g.quantized(g.floats(1, c * a), dtype)
    kind = g.pick("Add", "Mul", "Sub")
    g.result(g.quantized(g.node(kind, [y, other], keep=False), dtype))


@pytest.mark.parametrize("make, machine", in_turn(
    [convolution, depthwise_and_residual, gate, gemm_and_activation,
     pool_prelu_and_mean, product_of_two, softmax, movements],
    [*MACHINES, "cramped"]))
def test_small_graphs_equal_the_evaluator(tally, tmp_path, make, machine):
    refused = 0
    if machine == "cramped":
        machine = cramped(tmp_path)
    for seed in range(6):
        g = Graph(seed, opset=21)
        make(g, (np.int8, np.uint8)[seed % 2])
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = folder / "net.onnx"
        onnx.save(g.model(), path)
        np.savez(folder / "inputs.npz", **g.feeds)
        try:
            check(tally, folder, path, machine, "--input",
                  folder / "inputs.npz")
        except AssertionError as failure:
            # The shares of a cramped SRAM may be too small for what has to be
            # there together.
            if not ("cramped" in str(machine) and
                    "no plan can end below" in str(failure)):
                raise
            refused += 1
    assert refused <= 2


def cramped(folder):
    """A machine whose SRAM holds few of the tensors whole."""
    text = (ROOT / "machines/tiny.yaml").read_text()
    path = folder / "cramped.yaml"
    path.write_text(text.replace("name: tiny", "name: cramped").replace(
        "bytes: 65536", "bytes: 20480"))
    return path


@pytest.mark.parametrize("name", [
    f"{name}-{kind}" for name, kind in in_turn((
        "ocr-detect", "ocr-orient", "ocr-recognize", "magika", "mtcnn-propose",
        "mtcnn-refine", "mtcnn-output", "mobilenetv2", "resnet50",
        "bert-layer"), ("u8", "s8"))])
def test_networks_equal_the_evaluator(tally, name):
    path = MODELS / f"{name}.onnx"
    need(path)
    # Memory for all tensors of these two at once takes most of a minute to plan.
    alone = name[:-3] in ("ocr-detect", "ocr-recognize") and not LONG
    said = tally_run(tally, "run", path, "--target", "edge", "--random", "3",
                     "--compare-with", "eval", "--json",
                     *([] if alone else ["--all-nodes"]))
    run = json.loads(said)
    assert run["equal"]
    if not alone:
        assert run["nodes"]["compared"] > 5
        assert run["nodes"]["different"] == 0


# Tensors larger than SRAM: 64 KiB on tiny, of which a part is for tensors.


def large_codes(g, dtype):
    x = g.quantized(g.floats(1, 24, 40, 50), dtype)
    y = g.quantized(g.node("Sigmoid", [x], keep=False), dtype)
    g.result(g.quantized(g.node("Mul", [x, y], keep=False), dtype))


def large_floats(g, _):
    x = g.floats(3, 70, 110)
    row = g.constant(g.rng.normal(0, 1, (110,)).astype(np.float32))
    y = g.node("Add", [x, row], keep=False)
    y = g.node("Erf", [y], keep=False)
    g.result(g.node("Mul", [y, x], keep=False))


def large_constant_and_views(g, _):
    x = g.floats(4, 70, 110)
    plane = g.constant(g.rng.normal(0, 1, (70, 110)).astype(np.float32))
    y = g.node("Add", [x, plane], keep=False)
    y = g.node("Transpose", [y], keep=False, perm=[1, 0, 2])
    y = g.node("Reshape", [y, g.constant(np.array([-1, 110]))], keep=False)
    g.result(g.node("Abs", [y], keep=False))


def large_slopes_between_convolutions(g, dtype):
    channels = 64
    x = g.quantized(g.floats(1, channels, 40, 40), dtype)
    y = g.node("Conv", [x, g.weight([channels, channels, 1, 1], 0)],
               keep=False)
    y = g.quantized(y, dtype)
    slope = g.constant(
        g.rng.uniform(-0.5, 0.5, [channels, 1, 1]).astype(np.float32))
    y = g.quantized(g.node("PRelu", [y, slope], keep=False), dtype)
    y = g.node("Conv", [y, g.weight([channels, 1, 3, 3], 0)], keep=False,
               group=channels, pads=[1] * 4)
    g.result(g.quantized(y, dtype))


def large_pools_and_means(g, dtype):
    x = g.quantized(g.floats(2, 24, 44, 50), dtype)
    y = g.node("MaxPool", [x], keep=False, kernel_shape=[3, 2],
               strides=[2, 1], pads=[1, 0, 1, 1])
    y = g.again(y)
    g.result(y)
    g.result(g.quantized(g.node("GlobalAveragePool", [y], keep=False), dtype))
    axes = g.constant(np.array([2]))
    g.result(g.quantized(g.node("ReduceMean", [y, axes], keep=False,
                                keepdims=0), dtype))


def large_softmax(g, _):
    g.result(g.node("Softmax", [g.floats(6, 40, 120)], keep=False,
                    axis=g.pick(0, 1, 2)))


def large_gemm(g, dtype):
    x = g.quantized(g.floats(300, 200), dtype)
    bias = g.constant(g.rng.normal(0, 1, 190).astype(np.float32))
    y = g.node("Gemm", [x, g.weight([190, 200], 0), bias], keep=False,
               transB=1)
    g.result(g.quantized(y, dtype))


def large_product_of_two(g, dtype):
    a = g.quantized(g.floats(3, 150, 130), dtype)
    b = g.quantized(g.floats(3, 130, 250), np.int8)
    y = g.node("MatMul", [a, b], keep=False)
    y = g.quantized(y, dtype, 0.5)
    g.result(g.node("Relu", [y], keep=False))


def large_attention(g, dtype):
    # Heads side by side, as views of both operands.
    a = g.quantized(g.floats(1, 150, 4, 40), dtype)
    b = g.quantized(g.floats(1, 150, 4, 40), np.int8)
    a = g.node("Transpose", [a], keep=False, perm=[0, 2, 1, 3])
    b = g.node("Transpose", [b], keep=False, perm=[0, 2, 3, 1])
    y = g.quantized(g.node("MatMul", [a, b], keep=False), dtype, 0.5)
    g.result(g.node("Softmax", [y], keep=False, axis=3))


def large_rows(g, dtype):
    # One row alone is larger than a band.
    x = g.quantized(g.floats(1, 16, 3, 900), dtype)
    y = g.node("Conv", [x, g.weight([32, 16, 3, 5], 0)], keep=False,
               pads=[1, 2, 1, 2], strides=[1, 2])
    g.result(g.quantized(y, dtype))


def large_gelu(g, dtype):
    # Floats between codes of one tensor: one table.
    x = g.quantized(g.floats(1, 60, 300), dtype)
    y = g.node("Div", [x, g.constant(np.float32(1.41))], keep=False)
    y = g.node("Erf", [y], keep=False)
    y = g.node("Add", [y, g.constant(np.float32(1))], keep=False)
    y = g.node("Mul", [x, y], keep=False)
    y = g.node("Mul", [y, g.constant(np.float32([[[0.5]]]))], keep=False)
    g.result(g.quantized(y, dtype))


def large_float_chain(g, dtype):
    # One chain with a result in its middle, operands that broadcast, and lines
    # that stay whole.
    x = g.quantized(g.floats(1, 60, 300), dtype)
    z = g.quantized(g.floats(1, 1, 300), dtype)
    y = g.node("Div", [x, g.constant(np.float32(1.41))], keep=False)
    y = g.node("Add", [y, z], keep=False)
    g.result(y)
    w = g.node("Softmax", [y], keep=False, axis=2)
    w = g.node("Mul", [w, y], keep=False)
    g.result(g.quantized(w, dtype))


def wide_block(g, dtype, batch, stride, size):
    """Wider by 1x1, depthwise, narrower by 1x1; the input added if it fits."""
    x = g.quantized(g.floats(batch, 16, 40, 37), dtype)
    y = g.node("Conv", [x, g.weight([64, 16, 1, 1], 0)], keep=False)
    y = g.quantized(y, dtype)
    pad = size // 2
    y = g.node("Conv", [y, g.weight([64, 1, size, size], 0)], keep=False,
               group=64, pads=[pad] * 4, strides=[stride] * 2)
    y = g.quantized(y, dtype)
    y = g.quantized(g.node("Conv", [y, g.weight([16, 64, 1, 1], 0)],
                           keep=False), dtype)
    if stride == 1:
        y = g.quantized(g.node("Add", [y, x], keep=False), dtype)
    g.result(y)


def large_block_with_residual(g, dtype):
    wide_block(g, dtype, 1, 1, 3)


def large_block_of_step_two(g, dtype):
    wide_block(g, dtype, 2, 2, 5)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("make", [
    large_block_with_residual, large_block_of_step_two, large_gelu,
    large_float_chain, large_codes, large_floats, large_constant_and_views,
    large_slopes_between_convolutions, large_pools_and_means, large_softmax,
    large_gemm, large_product_of_two, large_attention, large_rows])
def test_tensors_larger_than_sram(tally, tmp_path, make, dtype):
    g = Graph(1, opset=21)
    make(g, dtype)
    onnx.save(g.model(), tmp_path / "net.onnx")
    np.savez(tmp_path / "inputs.npz", **g.feeds)
    check(tally, tmp_path, tmp_path / "net.onnx", "tiny", "--input",
          tmp_path / "inputs.npz")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(("make", "batch"), [
    (large_block_with_residual, 1), (large_block_of_step_two, 2)])
def test_what_is_between_convolutions_stays_in_sram(tally, tmp_path, make,
                                                    batch, dtype):
    # Weights have room, tensors have not.
    text = (ROOT / "machines/edge.yaml").read_text()
    machine = tmp_path / "narrow.yaml"
    machine.write_text(text.replace("name: edge", "name: narrow").replace(
        "bytes: 1048576", "bytes: 131072"))
    g = Graph(1, opset=21)
    make(g, dtype)
    onnx.save(g.model(), tmp_path / "net.onnx")
    np.savez(tmp_path / "inputs.npz", **g.feeds)
    check(tally, tmp_path, tmp_path / "net.onnx", machine, "--input",
          tmp_path / "inputs.npz")
    said = json.loads(tally_run(
        tally, "run", tmp_path / "net.elf", "--machine", machine, "--json",
        "--input", tmp_path / "inputs.npz"))
    arena = sum(space["read"] + space["written"]
                for space in said["simulation"]["memories"]
                if space["name"] == "arena")
    assert arena < batch * 64 * 40 * 37  # bytes of the wide tensor, once


def test_a_line_that_does_not_fit_is_refused(tally, tmp_path):
    g = Graph(1)
    g.result(g.node("Softmax", [g.floats(1, 600000)], keep=False, axis=1))
    path = tmp_path / "large.onnx"
    onnx.save(g.model(), path)
    said = tally_run(tally, "compile", path, "--target", "edge", "-o",
                     tmp_path / "large.elf", status=4)
    assert "beyond the capacity (capacity 1048576)" in said
    assert "2400000" in said  # bytes of the line
    assert not (tmp_path / "large.elf").exists()


def test_a_tensor_without_elements_is_refused(tally, tmp_path):
    g = Graph(1)
    g.result(g.quantized(g.floats(0, 4), np.int8))
    path = tmp_path / "empty.onnx"
    onnx.save(g.model(), path)
    said = tally_run(tally, "compile", path, "--target", "edge", "-o",
                     tmp_path / "empty.elf", status=4)
    assert ("'edge' cannot take the network's inputs and outputs: a tensor "
            "without elements [NPU-10]") in said
    assert not (tmp_path / "empty.elf").exists()


def test_bands_are_loops(tally, tmp_path):
    # A convolution of 128 rows runs in bands of a few: more commands are issued
    # than the text has, and the results are the evaluator's.
    g = Graph(1)
    x = g.quantized(g.floats(1, 8, 128, 64), np.int8)
    y = g.node("Conv", [x, g.weight([32, 8, 3, 3], 0)], keep=False,
               pads=[1] * 4)
    g.result(g.quantized(y, np.int8))
    onnx.save(g.model(), tmp_path / "net.onnx")
    check(tally, tmp_path, tmp_path / "net.onnx", "edge", "--random", "3")
    program = tmp_path / "net.elf"
    text = tally_run(tally, "disasm", program).partition("\n.text\n")[2]
    counters = json.loads(tally_run(tally, "run", program, "--random", "3",
                                    "--json"))["simulation"]
    issued = sum(queue["commands"] for queue in counters["queues"])
    assert "  bne " in text
    assert text.count("  go ") < issued
