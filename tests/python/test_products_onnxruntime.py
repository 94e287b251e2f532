"""Products under --numerics=onnxruntime: onnxruntime's own bits.

Random shapes, scales and zero points, on the evaluator and as native code.
Result scales are chosen so that codes fill their range without saturating
everywhere. Weights of u8 x s8 products stay within +-63, since that runtime
saturates pair sums to 16 bits on processors without VNNI.
"""

import numpy as np
import pytest
from onnx import TensorProto

from node_batch import NodeBatch, assert_equal, outputs_of_onnxruntime

PAIRS = ((np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8))


def check(batch, runner):
    ours = runner.run(batch.model(), batch.feeds, "--numerics", "onnxruntime",
                      "--compare-with", "eval")
    assert_equal(batch, ours, outputs_of_onnxruntime(batch))


def weights(batch, shape, left, right):
    limit = 63 if (left, right) == (np.uint8, np.int8) else None
    return batch.codes(shape, right, limit)


def result_scale(batch, a, b, terms):
    spread = a * np.mean(b) * np.sqrt(terms) * 128 * 64
    return np.float32(spread / batch.rng.uniform(20, 200))


def grid(batch, dtype, count=None):
    zero = batch.codes(count or (), dtype)
    return batch.scale(count), zero


@pytest.mark.parametrize("seed", range(3))
def test_qlinearconv(seed, runner):
    batch = NodeBatch(seed)
    for _ in range(20):
        x_type, w_type = batch.pick(*PAIRS)
        rank = int(batch.rng.integers(1, 4))
        group, channels, outputs = batch.sizes(1, 5, 3)
        kernel, dilations = batch.sizes(1, 4, rank), batch.sizes(1, 3, rank)
        strides = batch.sizes(1, 3, rank)
        spatial = [(k - 1) * d + int(batch.rng.integers(1, 9))
                   for k, d in zip(kernel, dilations)]
        pads = [int(batch.rng.integers(k)) for k in kernel * 2]
        rows = group * outputs
        per_channel = batch.pick(rows, None)
        x_scale, x_zero = grid(batch, x_type)
        w_scale = batch.scale(per_channel)
        # That runtime wants one zero point for all channels.
        w_zero = np.full(per_channel or (), batch.codes((), w_type), w_type)
        terms = channels * int(np.prod(kernel))
        y_scale = result_scale(batch, x_scale, w_scale, terms)
        inputs = [
            batch.input(batch.codes([2, group * channels] + spatial, x_type)),
            batch.constant(x_scale), batch.constant(x_zero),
            batch.constant(
                weights(batch, [rows, channels] + kernel, x_type, w_type)),
            batch.constant(w_scale), batch.constant(w_zero),
            batch.constant(y_scale), batch.constant(batch.codes((), x_type))]
        if batch.pick(True, False):
            bias = batch.rng.integers(-20000, 20000, rows)
            inputs.append(batch.constant(bias.astype(np.int32)))
        batch.node("QLinearConv", inputs, group=group, strides=strides,
                   dilations=dilations, pads=pads, kernel_shape=kernel)
    check(batch, runner)


@pytest.mark.parametrize("seed", range(3))
def test_qlinearmatmul(seed, runner):
    batch = NodeBatch(seed)
    for _ in range(20):
        a_type, b_type = batch.pick(*PAIRS)
        m, k, n = batch.sizes(1, 20, 3)
        lead = batch.pick([], batch.sizes(1, 4, 1))
        a_scale, a_zero = grid(batch, a_type)
        b_scale, b_zero = grid(batch, b_type, batch.pick(n, None))
        y_scale = result_scale(batch, a_scale, b_scale, k)
        batch.node("QLinearMatMul", [
            batch.input(batch.codes(lead + [m, k], a_type)),
            batch.constant(a_scale), batch.constant(a_zero),
            batch.constant(weights(batch, [k, n], a_type, b_type)),
            batch.constant(b_scale), batch.constant(b_zero),
            batch.constant(y_scale), batch.constant(batch.codes((), a_type))])
    check(batch, runner)


@pytest.mark.parametrize("seed", range(3))
def test_qgemm(seed, runner):
    batch = NodeBatch(seed)
    for _ in range(20):
        a_type, b_type = batch.pick(*PAIRS)
        m, k, n = batch.sizes(1, 20, 3)
        trans_a, trans_b = batch.sizes(0, 2, 2)
        a_scale, a_zero = grid(batch, a_type)
        b_scale, b_zero = grid(batch, b_type, batch.pick(n, None))
        inputs = [
            batch.input(batch.codes([k, m] if trans_a else [m, k], a_type)),
            batch.constant(a_scale), batch.constant(a_zero),
            batch.constant(weights(batch, [n, k] if trans_b else [k, n],
                                   a_type, b_type)),
            batch.constant(b_scale), batch.constant(b_zero)]
        c = batch.rng.integers(-20000, 20000, batch.pick([n], [1, n]))
        inputs.append(batch.pick(batch.constant(c.astype(np.int32)), ""))
        if batch.pick(True, False):  # else the result is float
            y_scale = result_scale(batch, a_scale, b_scale, k)
            inputs += [batch.constant(y_scale),
                       batch.constant(batch.codes((), a_type))]
        batch.node("QGemm", inputs, domain="com.microsoft", transA=trans_a,
                   transB=trans_b, alpha=float(batch.pick(1, 0.7, 1.9)))
    check(batch, runner)


def test_integer_products(runner):
    batch = NodeBatch(0)
    for _ in range(20):
        a_type, b_type = batch.pick(*PAIRS[:2])
        m, k, n = batch.sizes(1, 20, 3)
        inputs = [batch.input(batch.codes([m, k], a_type)),
                  batch.input(weights(batch, [k, n], a_type, b_type)),
                  batch.input(batch.codes((), a_type)),
                  batch.input(batch.codes(batch.pick([], [n]), b_type))]
        batch.node("MatMulInteger", inputs[:batch.pick(2, 3, 4)])
        group = int(batch.rng.integers(1, 3))
        batch.node("ConvInteger", [
            batch.input(batch.codes([2, group * 3, 9, 7], np.uint8)),
            batch.input(batch.codes([group * 2, 3, 3, 2], np.uint8)),
            batch.input(batch.codes((), np.uint8)),
            batch.input(batch.codes((), np.uint8))],
            group=group, pads=[1, 0, 1, 1], strides=[2, 1])
    check(batch, runner)


def test_computed_scales(runner):
    batch = NodeBatch(0)
    for i in range(20):
        spread = np.exp(batch.rng.uniform(-5, 5))
        x = batch.rng.normal(0, spread, batch.sizes(1, 20, 2))
        special = (np.zeros_like, np.abs, lambda v: -np.abs(v))
        x = (special[i](x) if i < len(special) else x).astype(np.float32)
        batch.node("DynamicQuantizeLinear", [batch.input(x)], outputs=3)
    for _ in range(20):
        shape, axis = batch.sizes(2, 9, 3), int(batch.rng.integers(3))
        dtype = batch.pick(np.int8, np.uint8, np.int16, np.uint16)
        scale, zero = grid(batch, dtype, batch.pick(shape[axis], None))
        scale, zero = batch.input(scale), batch.input(zero)
        x = batch.input(batch.rng.normal(0, 5, shape).astype(np.float32))
        batch.node("QuantizeLinear", [x, scale, zero], axis=axis)
        batch.node("DequantizeLinear", [
            batch.input(batch.codes(shape, dtype)), scale, zero], axis=axis)
        blocks = list(shape)
        blocks[axis] = -(-shape[axis] // 2)
        scale = batch.input(np.exp(
            batch.rng.uniform(-5, 0, blocks)).astype(np.float32))
        zero = batch.input(batch.codes(blocks, dtype))
        batch.node("QuantizeLinear", [x, scale, zero], axis=axis, block_size=2)
        batch.node("DequantizeLinear", [
            batch.input(batch.codes(shape, dtype)), scale, zero],
            axis=axis, block_size=2)
    check(batch, runner)


def test_four_bit_weights(runner):
    batch = NodeBatch(0)
    for low, kind in ((-8, TensorProto.INT4), (0, TensorProto.UINT4)):
        weights = batch.rng.integers(low, low + 16, [5, 3])
        zero = batch.rng.integers(low, low + 16, 3)
        batch.node("DequantizeLinear", [
            batch.constant(weights, kind), batch.constant(batch.scale(3)),
            batch.constant(zero, kind)], axis=1)
        batch.node("DequantizeLinear", [
            batch.constant(weights, kind), batch.constant(batch.scale())])
    check(batch, runner)
