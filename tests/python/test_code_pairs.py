"""Sums of two codes, for each of the 65,536 pairs, and slopes between codes.

Grids whose scales have simple ratios have ties, which are rounded to even; others
come near to them only. The compiled code gives the evaluator's bits.
"""

import re
import subprocess

import numpy as np
import pytest
from kernel_batch import check, dequantized, quantized
from node_batch import NodeBatch

# Scales of both operands and of the result.
SCALES = [(0.5, 0.25, 0.5), (0.0625, 0.0625, 0.125), (0.1, 0.05, 0.1),
          (0.480434, 0.413137, 0.826274), (0.03, 0.07, 0.05),
          (1e-4, 3.0, 0.02), (2.0**-40, 2.0**-39, 2.0**-39), (7, 1e-3, 1e-3)]


@pytest.mark.parametrize("op", ["Add", "Sub"])
@pytest.mark.parametrize("left", [np.int8, np.uint8])
@pytest.mark.parametrize("right", [np.int8, np.uint8])
def test_sums_of_all_pairs(tally, tmp_path, op, left, right):
    batch = NodeBatch(1)
    every = np.arange(256, dtype=np.uint8)
    a = np.repeat(every, 256).view(left).reshape(1, 16, 64, 64)
    b = np.tile(every, 256).view(right).reshape(1, 16, 64, 64)
    a, b = batch.input(a), batch.input(b)
    for x, y, z in SCALES:
        kind = batch.pick(np.int8, np.uint8)
        real = batch.node(op, [dequantized(batch, a, x, batch.codes((), left)),
                               dequantized(batch, b, y,
                                           batch.codes((), right))], keep=False)
        quantized(batch, real, z, batch.codes((), kind))
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("target", ["x86-64", "avx2", "avx512vnni"])
def test_sums_of_one_size_share_a_kernel(tally, tmp_path, target):
    """Scales and zero points are in tables. These scales are few powers of two,
    so that fp32 is exact, with a fused product or without."""
    batch = NodeBatch(2)
    a, b = (batch.input(batch.codes([1, 8, 4, 4], np.int8)) for _ in range(2))
    for x, y, zero in [(0.5, 0.25, -3), (0.375, 0.125, 5), (0.25, 0.75, 0)]:
        real = batch.node("Add", [dequantized(batch, a, x, np.int8(zero)),
                                  dequantized(batch, b, y, np.int8(-zero))],
                          keep=False)
        quantized(batch, real, 1.0, np.int8(4))
    check(tally, batch, tmp_path)
    code = tmp_path / "sums.o"
    subprocess.run([str(tally), "compile", str(tmp_path / "batch.onnx"),
                    "--tiers", target, "--emit", "obj", "--no-self-test",
                    "-o", str(code)], capture_output=True, check=True)
    names = subprocess.run(["nm", str(code)], text=True, capture_output=True,
                           check=True).stdout.split()
    suffix = target.replace("-", "_")
    kernels = [n for n in names if re.search(rf"_k[0-9]+_{suffix}$", n)]
    assert len(kernels) == 1, kernels


def slopes_between_codes(kind, scale, result, slopes):
    """All codes pass a convolution unchanged, then a slope for each channel,
    whose Quantize stands behind a pool."""
    batch = NodeBatch(3)
    channels, zero = len(slopes), kind(np.iinfo(kind).max // 3)
    codes = np.tile(np.arange(256, dtype=np.uint8).view(kind), channels)
    real = dequantized(batch, batch.input(codes.reshape(1, channels, 16, 16)),
                       scale, zero)
    weight = np.eye(channels, dtype=np.int8).reshape(channels, channels, 1, 1)
    weight = dequantized(batch, batch.constant(weight), 1.0, np.int8(0))
    real = batch.node("Conv", [real, weight], keep=False)
    real = dequantized(batch, quantized(batch, real, scale, zero, keep=False),
                       scale, zero)
    slope = np.array(slopes, np.float32).reshape(channels, 1, 1)
    real = batch.node("PRelu", [real, batch.constant(slope)], keep=False)
    real = batch.node("MaxPool", [real], keep=False, kernel_shape=[1, 1])
    quantized(batch, real, result, kind(5))
    return batch


@pytest.mark.parametrize("kind,channels", [
    (np.int8, 5), (np.int8, 33), (np.uint8, 16)])
@pytest.mark.parametrize("scale,result", [(0.0544, 0.0331), (5 / 64, 6 / 64),
                                          (0.25, 0.125)])
def test_slopes_between_codes(tally, tmp_path, kind, channels, scale, result):
    slopes = np.random.default_rng(channels).uniform(-0.5, 1.5, channels)
    slopes[:3] = 0, 0.5, -1
    batch = slopes_between_codes(kind, scale, result, slopes)
    check(tally, batch, tmp_path)
    library = tmp_path / "batch.so"
    subprocess.run([str(tally), "compile", str(tmp_path / "batch.onnx"),
                    "--no-self-test", "-o", str(library)],
                   capture_output=True, check=True)
    done = subprocess.run([str(tally), "inspect", str(library)], text=True,
                          capture_output=True, check=True)
    assert "conv+dequantize+prelu+quantize" in done.stdout


@pytest.mark.parametrize("shape,kernel", [
    ([24, 24], [2, 2]), ([24, 1], [2, 2]), ([3, 1], [3, 5]), ([3, 1], [5, 4]),
    ([17, 1], [1, 4]), ([16, 40], [1, 2])])
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_transposed_convolutions(tally, tmp_path, shape, kernel, kind):
    """Strides as wide as the kernel; one output channel, and several, whose
    results are codes, looked up or real."""
    batch = NodeBatch(sum(shape) + sum(kernel))
    inputs, outputs = shape
    codes = batch.input(batch.codes([2, inputs, 5, 19], kind))
    real = dequantized(batch, codes, 0.05, batch.codes((), kind))
    weight = dequantized(batch, batch.constant(
        batch.codes([inputs, outputs, *kernel], np.int8)), 0.01, np.int8(0))
    for grouped in (False, True):
        if grouped:  # channels last between two convolutions
            eye = np.eye(inputs, dtype=np.int8).reshape(inputs, inputs, 1, 1)
            eye = dequantized(batch, batch.constant(eye), 1.0, np.int8(0))
            real = batch.node("Conv", [real, eye], keep=False)
            zero = batch.codes((), kind)
            real = dequantized(batch, quantized(batch, real, 0.05, zero,
                                                keep=False), 0.05, zero)
        y = batch.node("ConvTranspose", [real, weight], keep=False,
                       strides=kernel)
        zero = batch.codes((), kind)
        y = dequantized(batch, quantized(batch, y, 0.1, zero, keep=grouped),
                        0.1, zero)
        y = batch.node("Sigmoid", [y], keep=False)
        zero = batch.codes((), kind)
        y = quantized(batch, y, 1 / 255, zero)
        batch.node("DequantizeLinear", [
            y, batch.constant(np.float32(1 / 255)), batch.constant(zero)])
    check(tally, batch, tmp_path)
