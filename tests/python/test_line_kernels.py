"""Softmax, normalizations and reductions along lines, on every tier.

Lines are worked on in groups, sixteen elements at a time; counts and lengths
leave every kind of rest. A softmax goes one way where no number of a group is
far below its line's largest and another where some are. The compiled code gives
the evaluator's bits.
"""

import subprocess

import numpy as np
import onnx
import pytest
from conftest import in_turn, sample
from kernel_batch import check, dequantized, floats, quantized
from node_batch import NodeBatch

LENGTHS = sample([1, 2, 15, 16, 17, 31, 64, 81, 100, 145], 4)


def spread_lines(batch, count, length, below):
    """Lines of which some elements are `below` under the others."""
    lines = floats(batch, count, length)
    lines[batch.rng.random(lines.shape) < 0.3] -= np.float32(below)
    return lines


def softmaxes(batch, line, axis):
    """To floats, to codes, and the logarithm."""
    batch.node("Softmax", [line], axis=axis)
    quantized(batch, batch.node("Softmax", [line], axis=axis, keep=False),
              1 / 256, np.uint8(0))
    batch.node("LogSoftmax", [line], axis=axis)


@pytest.mark.parametrize("length", LENGTHS)
def test_softmax_near_and_far(tally, tmp_path, length):
    """20 below is moderate; 60 leaves shares that are no product; the others
    have exponentials that are denormal and 0."""
    batch = NodeBatch(length)
    for count, below in [(1, 20), (5, 20), (8, 60), (3, 95), (9, 1e4)]:
        lines = spread_lines(batch, count, length, below)
        softmaxes(batch, batch.input(lines), -1)
    # One line in a group that goes the other way.
    lines = floats(batch, 11, length)
    lines[4, length // 2] -= 70
    softmaxes(batch, batch.input(lines), -1)
    check(tally, batch, tmp_path)


def test_code_of_the_baseline_is_small(tally, tmp_path):
    """Which has no fused multiply-add: some 60 instructions for four lanes. A
    softmax needs one about ten times for each 16 elements in work; written out
    everywhere, one kernel of lines of 31 had 115 KB."""
    batch = NodeBatch(1)
    batch.node("Softmax", [batch.input(floats(batch, 5, 31))], axis=-1)
    onnx.save(batch.model(), tmp_path / "net.onnx")
    subprocess.run(
        [str(tally), "compile", str(tmp_path / "net.onnx"), "--tiers", "x86-64",
         "--no-self-test", "--emit", "obj", "-o", str(tmp_path / "net.o")],
        check=True, capture_output=True)
    assert (tmp_path / "net.o").stat().st_size < 50_000


def test_softmax_of_special_numbers(tally, tmp_path):
    batch = NodeBatch(1)
    inf, nan = np.inf, np.nan
    for row in ([0.0, -0.0, 0.0], [-inf, 0, 3], [-inf] * 3, [inf, 0, 1],
                [nan, 0, 1], [0, 1, nan], [-inf, nan, 0], [3e38, -3e38, 0],
                [-50, 0, 0], [np.nextafter(np.float32(-50), -60), 0, 0]):
        lines = floats(batch, 6, 20)
        lines[3, :3] = row
        softmaxes(batch, batch.input(lines), -1)
        softmaxes(batch, batch.input(np.array([row], "f4")), -1)
    check(tally, batch, tmp_path)


def test_softmax_across(tally, tmp_path):
    """Elements of a line that are no neighbours."""
    batch = NodeBatch(2)
    for shape, axis in [([7, 5], 0), ([3, 20, 6], 1), ([2, 33, 3, 5], 1)]:
        softmaxes(batch, batch.input(floats(batch, *shape)), axis)
        codes = batch.input(batch.codes(shape, np.uint8))
        softmaxes(batch, dequantized(batch, codes, 0.07, np.uint8(9)), axis)
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16])
def test_softmax_of_codes(tally, tmp_path, kind):
    """Grids that are known to be moderate, and wider ones."""
    batch = NodeBatch(3)
    for length, scale in in_turn((5, 32, 77, 128), (0.05, 0.19, 0.2, 1.5)):
        codes = batch.input(batch.codes([6, length], kind))
        softmaxes(batch, dequantized(batch, codes, scale, kind(3)), -1)
    check(tally, batch, tmp_path)


def test_softmax_of_a_long_line(tally, tmp_path):
    """A sum beyond 2^20: shares are divisions."""
    batch = NodeBatch(4)
    line = batch.input(floats(batch, 1, 2**20 + 3) * 0.01)
    batch.node("Softmax", [line], axis=-1)
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("length", LENGTHS)
def test_row_normalizations(tally, tmp_path, length):
    batch = NodeBatch(length)
    scale, bias = floats(batch, length), floats(batch, length)
    for count in (1, 3, 4, 9):
        values = floats(batch, count, length) * 3 + 1
        codes = dequantized(
            batch, batch.input(batch.codes([count, length], np.int8)), 0.1,
            np.int8(5))
        for line in (batch.input(values), codes):
            constants = [batch.constant(scale), batch.constant(bias)]
            batch.node("LayerNormalization", [line, *constants], axis=1)
            normal = batch.node("LayerNormalization", [line, *constants],
                                axis=1, keep=False)
            quantized(batch, normal, 0.03, np.uint8(120))
            batch.node("LayerNormalization", [line, constants[0]], outputs=3,
                       axis=1)
    check(tally, batch, tmp_path)


def test_rms_instance_and_group_normalizations(tally, tmp_path):
    batch = NodeBatch(5, opset=23)
    for images, channels, size in [(1, 6, 5), (2, 12, 33), (3, 4, 64)]:
        image = batch.input(floats(batch, images, channels, size))
        entries = [batch.constant(floats(batch, channels)) for _ in range(2)]
        batch.node("InstanceNormalization", [image, *entries])
        batch.node("GroupNormalization", [image, *entries], num_groups=2)
        batch.node("RMSNormalization", [
            image, batch.constant(floats(batch, size))], axis=-1)
        # A scale for each channel of rows of several.
        batch.node("LayerNormalization", [
            image, batch.constant(floats(batch, channels, 1))], axis=1)
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("length", LENGTHS)
def test_reductions_of_rows(tally, tmp_path, length):
    batch = NodeBatch(length)
    for count in (1, 5, 8):
        lines = floats(batch, count, length) + 1
        for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin",
                   "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum",
                   "ReduceProd", "ReduceLogSumExp"):
            operand = np.abs(lines) if op == "ReduceLogSum" else lines
            batch.node(op, [batch.input(operand),
                            batch.constant(np.array([1], np.int64))],
                       keepdims=0)
    check(tally, batch, tmp_path)


def test_extremes_of_special_numbers(tally, tmp_path):
    batch = NodeBatch(6)
    lines = floats(batch, 5, 21)
    lines[1, 20], lines[2, 3], lines[3, 7], lines[4] = (
        np.nan, np.inf, -np.inf, -0.0)
    axes = batch.constant(np.array([1], np.int64))
    for op in ("ReduceMax", "ReduceMin", "ReduceSum", "ReduceL1"):
        batch.node(op, [batch.input(lines), axes])
    check(tally, batch, tmp_path)
