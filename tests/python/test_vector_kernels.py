"""Kernels of floats, lines, tables and movements, on every tier.

Shapes leave every kind of rest: rows and columns that no tile divides, lines
that end inside of a vector, transposes with edges of less than a block. The
compiled code gives the evaluator's bits.
"""

import subprocess

import numpy as np
import onnx
import pytest
from kernel_batch import check, dequantized, floats, quantized
from node_batch import NodeBatch


def explained(tally, folder):
    done = subprocess.run([str(tally), "explain", str(folder / "batch.onnx")],
                          text=True, capture_output=True, check=True)
    return done.stdout


@pytest.mark.parametrize("rows", [1, 2, 5, 6, 13])
def test_float_products(tally, tmp_path, rows):
    batch = NodeBatch(rows)
    for terms, columns in [(1, 1), (3, 17), (33, 64), (20, 131), (7, 112)]:
        left = batch.input(floats(batch, rows, terms))
        for right in (batch.constant, batch.input):
            batch.node("MatMul", [left, right(floats(batch, terms, columns))])
            batch.node("Gemm", [left, right(floats(batch, columns, terms)),
                                batch.constant(floats(batch, columns))],
                       transB=1, alpha=0.5)
        turned = batch.input(floats(batch, terms, rows))
        batch.node("Gemm", [turned, batch.input(floats(batch, terms, columns))],
                   transA=1)
    check(tally, batch, tmp_path, "--all-nodes")


def test_batches_of_float_products(tally, tmp_path):
    """Scores and mixtures of an attention: the right side is packed anew."""
    batch = NodeBatch(3)
    query = batch.input(floats(batch, 2, 3, 21, 18))
    key = batch.input(floats(batch, 2, 3, 37, 18))
    value = batch.input(floats(batch, 2, 3, 37, 18))
    turned = batch.node("Transpose", [key], perm=[0, 1, 3, 2], keep=False)
    scores = batch.node("MatMul", [query, turned])
    chances = batch.node("Softmax", [scores], axis=-1)
    batch.node("MatMul", [chances, value])
    check(tally, batch, tmp_path)


def test_specials_in_float_products(tally, tmp_path):
    batch = NodeBatch(4)
    left, right = floats(batch, 7, 19), floats(batch, 19, 70)
    left[1, 3], left[2, 4], right[5, 66] = np.nan, np.inf, -0.0
    right[7] = 0
    batch.node("MatMul", [batch.input(left), batch.constant(right)])
    batch.node("MatMul", [batch.input(left * 0), batch.input(right)])
    check(tally, batch, tmp_path)


def test_float_convolutions(tally, tmp_path):
    batch = NodeBatch(5)
    for channels, outputs, size, kernel, group in [
            (3, 7, 9, 3, 1), (4, 8, 12, 1, 2), (6, 6, 5, 3, 6)]:
        batch.node("Conv", [
            batch.input(floats(batch, 2, channels, size, size)),
            batch.constant(floats(batch, outputs, channels // group, kernel,
                                  kernel)),
            batch.constant(floats(batch, outputs))],
            group=group, pads=[kernel // 2] * 4)
    check(tally, batch, tmp_path, "--all-nodes")


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.float32,
                                  np.int64])
def test_transposes(tally, tmp_path, kind):
    batch = NodeBatch(6)
    for shape, order in [
            ([16, 16], [1, 0]), ([33, 47], [1, 0]), ([5, 70], [1, 0]),
            ([3, 18, 40], [0, 2, 1]), ([20, 3, 17], [2, 1, 0]),
            ([2, 19, 3, 35], [0, 2, 3, 1]), ([2, 17, 3, 35], [3, 0, 2, 1]),
            ([2, 19, 3, 32], [0, 2, 1, 3])]:
        data = batch.rng.integers(-100 if kind != np.uint8 else 0, 100, shape)
        batch.node("Transpose", [batch.input(data.astype(kind))], perm=order)
    check(tally, batch, tmp_path)


# --- codes -----------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16])
def test_lines_of_codes(tally, tmp_path, kind):
    """Softmax and normalizations from codes to codes and to floats."""
    batch = NodeBatch(7)
    for shape in ([3, 5], [7, 16], [2, 3, 100], [1, 70]):
        real = dequantized(batch, batch.input(batch.codes(shape, kind)), 0.07,
                           kind(3))
        for op, inputs, more in [
                ("Softmax", [], {"axis": -1}),
                ("Softmax", [], {"axis": 0}),
                ("LogSoftmax", [], {"axis": -1}),
                ("LayerNormalization",
                 [floats(batch, shape[-1]), floats(batch, shape[-1])],
                 {"axis": -1})]:
            line = batch.node(op, [real, *map(batch.constant, inputs)],
                              keep=False, **more)
            quantized(batch, line, 0.03, np.uint8(100))
        batch.node("Softmax", [real], axis=-1)
    check(tally, batch, tmp_path)


def test_lines_between_reshapes(tally, tmp_path):
    batch = NodeBatch(8)
    real = dequantized(batch, batch.input(batch.codes([4, 33], np.int8)), 0.1,
                       np.int8(-7))
    shape = batch.constant(np.array([2, 66], np.int64))
    real = batch.node("Reshape", [real, shape], keep=False)
    quantized(batch, batch.node("Softmax", [real], axis=1, keep=False), 0.004,
              np.int8(-128))
    check(tally, batch, tmp_path)


def test_statistics_of_a_line_are_results(tally, tmp_path):
    batch = NodeBatch(9)
    real = dequantized(batch, batch.input(batch.codes([5, 40], np.uint8)), 0.1,
                       np.uint8(90))
    line = batch.node("LayerNormalization", [
        real, batch.constant(floats(batch, 40))], outputs=3, axis=1)[0]
    quantized(batch, line, 0.05, np.int8(0))
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("outputs", [1, 7, 16, 24, 40])
def test_transposed_convolutions_of_codes(tally, tmp_path, outputs):
    """A stride as large as the kernel: each output pixel has one tap."""
    batch = NodeBatch(outputs)
    for kind, channels, size, kernel in [
            (np.uint8, 5, [7, 9], [2, 2]), (np.int8, 24, [6, 5], [2, 2]),
            (np.uint8, 64, [3, 4], [3, 1]), (np.int8, 3, [11], [4])]:
        real = dequantized(
            batch, batch.input(batch.codes([2, channels, *size], kind)), 0.1,
            kind(5))
        weight = dequantized(batch, batch.constant(batch.codes(
            [channels, outputs, *kernel], np.int8)), 0.02, np.int8(0))
        bias = batch.constant(floats(batch, outputs))
        result = batch.node("ConvTranspose", [real, weight, bias], keep=False,
                            strides=kernel)
        quantized(batch, result, 0.7, np.uint8(120))
    check(tally, batch, tmp_path)


def gelu(batch, x):
    y = batch.node("Div", [x, batch.constant(np.float32(2 ** 0.5))],
                   keep=False)
    y = batch.node("Erf", [y], keep=False)
    y = batch.node("Add", [y, batch.constant(np.float32(1))], keep=False)
    y = batch.node("Mul", [x, y], keep=False)
    return batch.node("Mul", [y, batch.constant(np.float32(0.5))], keep=False)


def hard_swish_on_codes(batch, codes, zero):
    """As quantizers write it: every value in between is codes."""
    def constant(value):
        return dequantized(batch, batch.constant(np.uint8(255)), value / 255,
                           np.uint8(0))

    def rounded(op, *operands, scale=0.05):
        value = batch.node(op, operands, keep=False)
        return dequantized(
            batch, quantized(batch, value, scale, zero, keep=False), scale,
            zero)
    x = dequantized(batch, codes, 0.05, zero)
    y = rounded("Add", x, constant(3.0))
    y = rounded("Clip", y, batch.constant(np.float32(0)),
                batch.constant(np.float32(6)), scale=6 / 255)
    y = rounded("Mul", x, y, scale=0.3)
    y = batch.node("Div", [y, batch.constant(np.float32(6))], keep=False)
    return batch.node("Mul", [y, constant(1.1)], keep=False)


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_activations_become_tables(tally, tmp_path, kind):
    batch, zero = NodeBatch(10), kind(17)
    for count in (1, 31, 64, 300):
        codes = batch.input(batch.codes([count], kind))
        real = dequantized(batch, codes, 0.05, zero)
        quantized(batch, gelu(batch, real), 0.04, np.uint8(9))
        codes = batch.input(batch.codes([count], kind))
        quantized(batch, hard_swish_on_codes(batch, codes, zero), 0.05, zero)
    check(tally, batch, tmp_path)
    # Four sizes of two activations, each one table.
    assert "FUSE-17 done (8)" in explained(tally, tmp_path)
    check(tally, batch, tmp_path, "--numerics", "onnxruntime")


def one_hots(batch, indices, depth):
    """As an operator, and as a comparison with numbers that count up."""
    yield batch.node("OneHot", [
        batch.input(indices), batch.constant(np.array([depth])),
        batch.constant(np.array([0.0, 1.0], "f4"))], keep=False)
    wanted = batch.constant(np.arange(depth, dtype=indices.dtype) + 2)
    equal = batch.node("Equal", [
        batch.input(indices[..., None]), wanted], keep=False)
    yield batch.node("Cast", [equal], keep=False, to=onnx.TensorProto.FLOAT)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_rows_of_one_hots_are_looked_up(tally, tmp_path, kind):
    """Indices that name an element, count from the end, or name none."""
    batch, depth = NodeBatch(11), 6
    ends = np.iinfo(kind)
    indices = np.array([[0, 5, 6, 7, -1, -6, -7, 8], [
        2, ends.max, ends.min, 3, 1, ends.max - 1, ends.min + 1, 4]], kind)
    for row in one_hots(batch, indices, depth):
        matrix = batch.constant(floats(batch, depth, 5))
        line = batch.node("MatMul", [row, matrix], keep=False)
        bias = batch.constant(floats(batch, 5))
        batch.node("Tanh", [batch.node("Add", [line, bias], keep=False)])
    for row in one_hots(batch, indices, depth):
        codes = dequantized(batch, quantized(
            batch, row, 1 / 255, np.uint8(3), keep=False), 1 / 255, np.uint8(3))
        matrix = dequantized(batch, batch.constant(
            batch.codes([depth, 5], np.int8)), 0.01, np.int8(0))
        line = batch.node("MatMul", [codes, matrix], keep=False)
        quantized(batch, line, 0.02, np.uint8(128))
    check(tally, batch, tmp_path)
    assert "FUSE-19 done (4)" in explained(tally, tmp_path)
    check(tally, batch, tmp_path, "--numerics", "onnxruntime")
