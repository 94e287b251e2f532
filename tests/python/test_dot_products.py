"""Convolutions and matrix products of bytes, of many shapes, on every tier.

Each graph holds quantized layers whose sizes leave every kind of rest: fewer
channels or taps than a word, fewer pixels or columns than a vector, rows and
vectors that no tile divides. The compiled code gives the evaluator's bits.
"""

import subprocess

import numpy as np
import onnx
import pytest
from conftest import on_tier
from node_batch import NodeBatch


def check(tally, tier, batch, folder, nodes=True):
    """Compares all nodes, which then are not fused, or the outputs."""
    path, feeds = folder / "batch.onnx", folder / "inputs.npz"
    onnx.save(batch.model(), path)
    np.savez(feeds, **batch.feeds)
    done = subprocess.run(
        [str(tally), "run", str(path), "--input", str(feeds), "--target",
         "cpu", *on_tier(tally, tier), "--compare-with", "eval",
         *(["--all-nodes"] if nodes else [])],
        text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


def quantized(batch, op, data, weight, axis, terms, bias=True, **attributes):
    """One layer on codes; its result fills most of its range."""
    def grid(dtype, count=None):
        return batch.scale(count), batch.codes((), dtype)

    def dequantized(source, scale, zero, **more):
        return batch.node("DequantizeLinear", [
            source, batch.constant(scale), batch.constant(zero)], keep=False,
            **more)

    channels = weight.shape[axis]
    scale, zero = grid(data.dtype)
    scales = batch.scale() * batch.rng.uniform(0.5, 1, channels).astype("f4")
    units = batch.codes(channels, np.int32, 20000)
    operands = [
        dequantized(batch.input(data), scale, zero),
        dequantized(batch.constant(weight), scales,
                    np.zeros(channels, weight.dtype), axis=axis)]
    if bias:
        operands.append(dequantized(batch.constant(units), scale * scales,
                                    np.zeros(channels, np.int32), axis=0))
    result = batch.node(op, operands, keep=False, **attributes)
    kind = batch.pick(np.int8, np.uint8)
    widest = scale * scales.max() * 128 * 40 * terms ** 0.5
    batch.node("QuantizeLinear", [
        result, batch.constant(np.float32(widest / 128)),
        batch.constant(batch.codes((), kind))])


def convolution(batch, rank):
    group = batch.pick(1, 1, 1, 2, 3, 9)
    channels = batch.pick(1, 2, 3, 4, 5, 8, 11)
    outputs = group * batch.pick(1, 2, 5, 7, 13, 26)
    kernel = [batch.pick(1, 2, 3, 5, 6) for _ in range(rank)]
    strides, dilations = batch.sizes(1, 4, rank), batch.sizes(1, 3, rank)
    pads = batch.sizes(0, 3, 2 * rank)
    size = [d * (k - 1) + 1 + extra for d, k, extra in zip(
        dilations, kernel, batch.sizes(0, 25, rank))]
    data = batch.codes([batch.pick(1, 2), group * channels, *size],
                       batch.pick(np.int8, np.uint8))
    weight = batch.codes([outputs, channels, *kernel], np.int8)
    quantized(batch, "Conv", data, weight, 0, weight[0].size,
              bias=batch.pick(True, False), group=group, strides=strides,
              dilations=dilations, pads=pads)


@pytest.mark.parametrize("seed", range(3))
def test_convolutions(tally, tier, tmp_path, seed):
    batch = NodeBatch(seed)
    for _ in range(12):
        convolution(batch, 2)
    for _ in range(4):
        convolution(batch, 1)
    check(tally, tier, batch, tmp_path)


def test_pointwise_convolutions(tally, tier, tmp_path):
    batch = NodeBatch(7)
    for channels, size, outputs in [(64, 7, 33), (6, 14, 8), (33, 5, 100)]:
        data = batch.codes([1, channels, size, size],
                           batch.pick(np.int8, np.uint8))
        weight = batch.codes([outputs, channels, 1, 1], np.int8)
        quantized(batch, "Conv", data, weight, 0, channels)
    check(tally, tier, batch, tmp_path)


def test_large_images(tally, tier, tmp_path):
    """More pixels than are summed at once, in bands that do not divide them."""
    batch = NodeBatch(19)
    for channels, size, kernel, group in [
            (3, (67, 97), 3, 1), (6, (71, 70), 1, 1), (2, (83, 61), 3, 2)]:
        data = batch.codes([1, channels, *size], batch.pick(np.int8, np.uint8))
        weight = batch.codes([4, channels // group, kernel, kernel], np.int8)
        quantized(batch, "Conv", data, weight, 0, weight[0].size, group=group,
                  pads=[kernel // 2] * 4)
    check(tally, tier, batch, tmp_path)


def test_matrix_products(tally, tier, tmp_path):
    batch = NodeBatch(11)
    for rows in (1, 2, 7, 25):
        for terms, columns in [(1, 1), (3, 17), (8, 16), (30, 70), (65, 130)]:
            data = batch.codes([rows, terms], batch.pick(np.int8, np.uint8))
            weight = batch.codes([terms, columns], np.int8)
            quantized(batch, "MatMul", data, weight, 1, terms, bias=False)
            quantized(batch, "Gemm", data, weight, 1, terms)
            quantized(batch, "Gemm", data, weight.T.copy(), 0, terms, transB=1)
            quantized(batch, "Gemm", data.T.copy(), weight, 1, terms, transA=1)
    check(tally, tier, batch, tmp_path)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_tiles_of_every_height_and_width(tally, tier, tmp_path, dtype):
    """Rows that sixteen does not divide, and rows whose last blocks overlap;
    terms in pieces that overlap, and in parts between which sums wait."""
    batch = NodeBatch(23)
    for rows, terms, columns in [
            (15, 64, 64), (16, 65, 80), (17, 70, 33), (31, 128, 48),
            (33, 200, 31), (49, 61, 65), (50, 63, 16), (100, 193, 40),
            (225, 36, 32), (161, 5, 7), (40, 1153, 36), (21, 2500, 100),
            (3, 1300, 150), (1, 4096, 70), (600, 34, 17)]:
        data = batch.codes([rows, terms], dtype)
        weight = batch.codes([terms, columns], np.int8)
        quantized(batch, "Gemm", data, weight, 1, terms)
    check(tally, tier, batch, tmp_path)


def test_products_of_more_than_one_panel(tally, tier, tmp_path):
    """Columns whose steps are more than a part of the cache, in panels that do
    not divide them, and rows in more than one strip."""
    batch = NodeBatch(29)
    for rows, terms, columns in [(70, 700, 1700), (700, 600, 90)]:
        data = batch.codes([rows, terms], batch.pick(np.int8, np.uint8))
        weight = batch.codes([terms, columns], np.int8)
        quantized(batch, "Gemm", data, weight, 1, terms)
    check(tally, tier, batch, tmp_path)


def test_convolutions_of_many_terms(tally, tier, tmp_path):
    """Terms in several pieces, and of each row of the kernel 64, 48, 40, 36 or
    20 bytes at a time; pixels in several groups, and output channels in several
    blocks, whose last vectors are a half or a quarter full."""
    batch = NodeBatch(41)
    for channels, size, outputs in [(64, 12, 70), (48, 9, 24), (40, 13, 8),
                                    (12, 16, 137), (20, 5, 4)]:
        data = batch.codes([1, channels, size, size],
                           batch.pick(np.int8, np.uint8))
        weight = batch.codes([outputs, channels, 3, 3], np.int8)
        quantized(batch, "Conv", data, weight, 0, weight[0].size, pads=[1] * 4)
    check(tally, tier, batch, tmp_path)


def attention(batch, heads, rows, terms, columns, transposed):
    """A product of two inputs for each head, requantized."""
    def dequantized(shape):
        kind = batch.pick(np.int8, np.uint8)
        return batch.node("DequantizeLinear", [
            batch.input(batch.codes(shape, kind)),
            batch.constant(batch.scale()), batch.constant(batch.codes((), kind))],
            keep=False)

    a = dequantized([heads, rows, terms])
    b = dequantized([heads, columns, terms] if transposed
                    else [heads, terms, columns])
    if transposed:
        b = batch.node("Transpose", [b], keep=False, perm=[0, 2, 1])
    kind = batch.pick(np.int8, np.uint8)
    batch.node("QuantizeLinear", [
        batch.node("MatMul", [a, b], keep=False),
        batch.constant(batch.scale() * np.float32(terms)),
        batch.constant(batch.codes((), kind))])


def test_products_of_two_inputs(tally, tier, tmp_path):
    batch = NodeBatch(31)
    for _ in range(2):
        for sizes in [(3, 20, 64, 33), (2, 1, 7, 5), (2, 17, 66, 16),
                      (1, 40, 130, 48), (4, 5, 12, 100), (2, 33, 3, 31)]:
            attention(batch, *sizes, transposed=True)
            attention(batch, *sizes, transposed=False)
    check(tally, tier, batch, tmp_path)


def test_integer_products_with_zero_points(tally, tier, tmp_path):
    """One zero point, none, or one for each row or column; of constants and of
    inputs; the right operand constant or not."""
    batch = NodeBatch(37)
    for rows, terms, columns in [(20, 64, 33), (1, 7, 5), (17, 66, 16),
                                 (3, 130, 100), (40, 4, 48)]:
        for keeps in (batch.constant, batch.input):
            for zeros in (0, 1, 2, 3):
                kinds = [batch.pick(np.int8, np.uint8) for _ in range(2)]
                operands = [batch.input(batch.codes([rows, terms], kinds[0])),
                            keeps(batch.codes([terms, columns], kinds[1]))]
                where = batch.pick(batch.constant, batch.input)
                if zeros:
                    operands.append(where(batch.codes((), kinds[0])))
                if zeros > 1:
                    operands.append(where(batch.codes(
                        () if zeros == 2 else columns, kinds[1])))
                batch.node("MatMulInteger", operands)
    check(tally, tier, batch, tmp_path)


def test_batches_share_the_weights(tally, tier, tmp_path):
    batch = NodeBatch(13)
    data = batch.codes([3, 2, 5, 19], np.int8)
    quantized(batch, "MatMul", data, batch.codes([19, 21], np.int8), 1, 19,
              bias=False)
    check(tally, tier, batch, tmp_path)


def test_sums_that_leave_32_bits_on_the_way(tally, tier, tmp_path):
    """100000 * 255 * -128 does not fit, 100000 * 127 * -128 does."""
    batch, terms = NodeBatch(17), 100000
    for code in (-128, 127):
        data = np.full([2, terms], 255, np.uint8)
        weight = np.full([terms, 3], code, np.int8)
        operands = [batch.node("DequantizeLinear", [
            source, batch.constant(np.float32(0.01)), batch.constant(zero)],
            keep=False) for source, zero in [
                (batch.input(data), np.uint8(128)),
                (batch.constant(weight), np.int8(0))]]
        product = batch.node("MatMul", operands, keep=False)
        batch.node("QuantizeLinear", [
            product, batch.constant(np.float32(1400)),
            batch.constant(np.int8(0))])
    check(tally, tier, batch, tmp_path)
