"""Chains of floats behind products, pools and alone, in lanes, on every tier.

What stands between two tensors of codes is computed in fp32: a slope or a
factor for each channel, a bias for each row or column, another tensor. The
other operands broadcast in every way, so that lanes find an element of theirs
beside each of their own, one for all of them, or neither. Channels and columns
leave every kind of rest in the last vector. The compiled code gives the
evaluator's bits.
"""

import numpy as np
import pytest
from conftest import sample
from node_batch import NodeBatch
from test_vector_kernels import check, dequantized, floats, quantized

CHANNELS = [1, 5, 10, 15, 16, 17, 32, 33, 40, 64, 70]


def between(batch, real, widest=4.0):
    """The real's codes, made real again."""
    kind = batch.pick(np.int8, np.uint8)
    scale, zero = np.float32(widest / 128), batch.codes((), kind)
    codes = quantized(batch, real, scale, zero, keep=False)
    return dequantized(batch, codes, scale, zero)


def end(batch, real):
    quantized(batch, real, 4.0 / 128, batch.codes((), np.uint8))


def weights(batch, *shape):
    """Codes of weights whose sums with activations below 4 stay near 4."""
    terms = int(np.prod(shape)) // shape[0]
    return dequantized(batch, batch.constant(batch.codes(shape, np.int8)),
                       0.02 / terms ** 0.5, np.int8(0))


def image(batch, channels, size):
    kind = batch.pick(np.int8, np.uint8)
    codes = batch.input(batch.codes([1, channels, *size], kind))
    return dequantized(batch, codes, 4.0 / 128, batch.codes((), kind))


def convolution(batch, real, channels, outputs, **attributes):
    weight = weights(batch, outputs, channels, 3, 3)
    real = batch.node("Conv", [real, weight], keep=False, pads=[1] * 4,
                      **attributes)
    return between(batch, real)


def slopes(batch, channels):
    shape = [channels, 1, 1]
    return batch.constant(batch.rng.uniform(-0.5, 1, shape).astype("f4"))


@pytest.mark.parametrize("channels", CHANNELS)
def test_slopes_behind_convolutions(tally, tmp_path, channels):
    batch = NodeBatch(channels)
    real = image(batch, 3, [7, 6])
    for inputs in (3, channels):
        real = convolution(batch, real, inputs, channels)
        real = batch.node("PRelu", [real, slopes(batch, channels)], keep=False)
        real = between(batch, real)
        # A pool in between leaves floats between the slopes and their codes.
        real = batch.node("PRelu", [real, slopes(batch, channels)], keep=False)
        real = batch.node("MaxPool", [real], keep=False, kernel_shape=[2, 2])
        real = between(batch, real)
    end(batch, convolution(batch, real, channels, 4))
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("ratio", [5, 7, 13])
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16])
def test_slopes_of_all_codes(tally, tmp_path, ratio, kind):
    """5 / 6 of a step has a factor in fp32 that meets every tie; 7 / 6 has none
    and stays a table."""
    batch = NodeBatch(ratio)
    ends = np.iinfo(kind)
    codes = np.linspace(ends.min, ends.max, 3 * 256).round().astype(kind)
    batch.rng.shuffle(codes)
    for shape in ([1, 3, 16, 16], [2, 24, 4, 4]):
        real = dequantized(batch, batch.input(codes.reshape(shape)),
                           ratio / 64, kind(ends.max // 3))
        values = np.resize([0.5, -0.25, 0.1, 0.0, 6 / 7], [shape[1], 1, 1])
        slope = batch.constant(values.astype("f4"))
        real = batch.node("PRelu", [real, slope], keep=False)
        quantized(batch, real, 6 / 64, kind(ends.max // 2))
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("channels", [1, 12, 40])
def test_batch_normalization(tally, tmp_path, channels):
    """Between a convolution and codes, alone, and of one dimension."""
    batch = NodeBatch(channels)

    def normalized(real, count, keep):
        four = [batch.constant(floats(batch, count)) for _ in range(3)]
        four.append(batch.constant(np.abs(floats(batch, count)) + 0.5))
        return batch.node("BatchNormalization", [real, *four], keep=keep)
    real = convolution(batch, image(batch, 3, [9, 8]), 3, channels)
    real = batch.node("Relu", [normalized(real, channels, False)], keep=False)
    end(batch, convolution(batch, between(batch, real), channels, 5))
    normalized(batch.input(floats(batch, 2, channels, 5, 7)), channels, True)
    normalized(batch.input(floats(batch, 2, channels)), channels, True)
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("rows", sample([17, 18, 96, 97, 200], 2))
def test_products_of_many_terms(tally, tmp_path, rows):
    """Terms in pieces and rows in groups, with and without rests."""
    batch = NodeBatch(rows)
    for terms, columns in [(127, 16), (128, 64), (129, 33), (200, 130)]:
        left = batch.input(floats(batch, rows, terms))
        sums = batch.node("MatMul", [left, batch.constant(
            floats(batch, terms, columns))], keep=False)
        batch.node("Sigmoid", [sums])
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("channels", [10, 16, 33])
def test_transposed_convolutions_and_pools(tally, tmp_path, channels):
    """Both between convolutions, which are stored channels last."""
    batch = NodeBatch(50 + channels)
    real = convolution(batch, image(batch, 3, [6, 5]), 3, channels)
    real = batch.node("MaxPool", [real], keep=False, kernel_shape=[2, 2])
    real = batch.node("PRelu", [between(batch, real), slopes(batch, channels)],
                      keep=False)
    real = between(batch, real)
    weight = dequantized(
        batch, batch.constant(batch.codes([channels, channels, 2, 2],
                                          np.int8)), 0.005, np.int8(0))
    real = between(batch, batch.node("ConvTranspose", [real, weight],
                                     keep=False, strides=[2, 2]))
    real = batch.node("PRelu", [real, slopes(batch, channels)], keep=False)
    real = batch.node("Add", [real, slopes(batch, channels)], keep=False)
    end(batch, convolution(batch, between(batch, real), channels, 4))
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("shape", [[1, 7, 1, 1], [5, 6], [1, 5, 6], [7, 1, 6],
                                   [6], [1], [1, 7, 5, 6], [1, 1, 5, 1]])
def test_operands_of_every_shape(tally, tmp_path, shape):
    """Behind a convolution, in either order, and in a kernel of their own."""
    batch = NodeBatch(sum(shape))
    real = convolution(batch, image(batch, 3, [5, 6]), 3, 7)
    other = batch.constant(floats(batch, *shape))
    left = batch.node("Mul", [real, other], keep=False)
    end(batch, convolution(batch, between(batch, left), 7, 20))
    batch.node("Sub", [other, real])
    plain = batch.input(floats(batch, 2, 7, 5, 6))
    batch.node("Div", [plain, other])
    batch.node("Erf", [batch.node("Add", [plain, other], keep=False)])
    check(tally, batch, tmp_path)


@pytest.mark.parametrize("columns", [1, 7, 16, 30, 64, 81, 200])
def test_products(tally, tmp_path, columns):
    """Of codes and of floats; a bias by column and a factor by row follow."""
    batch = NodeBatch(columns)
    codes = dequantized(batch, batch.input(batch.codes([3, 9], np.int8)), 0.03,
                        np.int8(4))
    left = {"codes": codes, "floats": batch.input(floats(batch, 3, 9))}
    right = {"codes": weights(batch, 9, columns),
             "floats": batch.constant(floats(batch, 9, columns))}
    for kind in ("codes", "floats"):
        real = batch.node("MatMul", [left[kind], right[kind]], keep=False)
        if kind == "codes":
            real = between(batch, real)
        real = batch.node("Add", [real, batch.constant(floats(batch, columns))],
                          keep=False)
        real = batch.node("Mul", [batch.constant(floats(batch, 3, 1)), real],
                          keep=False)
        real = batch.node("Tanh", [real], keep=False)
        end(batch, batch.node("Mul", [real, batch.input(
            floats(batch, 3, columns))], keep=False))
    check(tally, batch, tmp_path)


def test_integer_products(tally, tmp_path):
    """Scales that are known when run turn sums into floats."""
    batch = NodeBatch(77)
    for columns in (5, 16, 70):
        left = batch.input(batch.codes([4, 12], np.uint8))
        right = batch.constant(batch.codes([12, columns], np.int8))
        sums = batch.node("MatMulInteger", [
            left, right, batch.input(np.uint8(100))], keep=False)
        real = batch.node("Cast", [sums], keep=False, to=1)
        real = batch.node("Mul", [real, batch.input(
            floats(batch, columns))], keep=False)
        batch.node("Add", [real, batch.constant(floats(batch, columns))])
    check(tally, batch, tmp_path)


def test_reshapes_between(tally, tmp_path):
    """Rows of other lengths behind a reshape: lanes of one row lie in two."""
    batch = NodeBatch(78)
    for shape in ([10, 6], [5, 12], [60], [2, 30]):
        plain = batch.input(floats(batch, 4, 15))
        real = batch.node("Relu", [plain], keep=False)
        real = batch.node("Reshape", [real, batch.constant(np.array(shape))],
                          keep=False)
        batch.node("Mul", [real, batch.constant(floats(batch, shape[-1]))])
    for shape in ([40, 48], [120, 16], [10, 192]):
        plain = batch.input(floats(batch, 20, 96))
        real = batch.node("Exp", [plain], keep=False)
        real = batch.node("Reshape", [real, batch.constant(np.array(shape))],
                          keep=False)
        batch.node("Mul", [real, batch.constant(floats(batch, shape[-1]))])
    check(tally, batch, tmp_path)


def test_conditions_and_half_precision(tally, tmp_path):
    batch = NodeBatch(79)
    for count in (5, 16, 40, 129):
        a, b = (batch.input(floats(batch, 3, count)) for _ in range(2))
        less = batch.node("Less", [a, b], keep=False)
        batch.node("Where", [less, a, batch.constant(np.float32(-1e4))])
        half = batch.input(floats(batch, 3, count).astype("f2"))
        scaled = batch.node("Mul", [half, batch.constant(
            floats(batch, count).astype("f2"))], keep=False)
        batch.node("Sqrt", [batch.node("Abs", [scaled], keep=False)])
        batch.node("Pow", [batch.node("Abs", [a], keep=False), b])
    check(tally, batch, tmp_path)
