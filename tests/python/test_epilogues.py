"""What follows a product in one kernel: every kind of stage, in lanes.

Products of few and of many terms (whose requantizations have a form in fp32 or
none), with columns that leave every kind of rest in the last vector, followed by
stages on codes. The compiled code gives the evaluator's bits on every tier.
"""

import numpy as np
import pytest
from node_batch import NodeBatch
from test_dot_products import check

COLUMNS = [1, 2, 9, 15, 16, 17, 31, 33, 48, 49, 64, 65, 81, 130]


class Layers:
    """Quantized layers of a batch, each on codes and giving codes."""

    def __init__(self, batch):
        self.batch = batch

    def dequantized(self, codes, scale, zero, **more):
        batch = self.batch
        return batch.node("DequantizeLinear", [
            codes, batch.constant(np.float32(scale)), batch.constant(zero)],
            keep=False, **more)

    def requantized(self, real, widest, keep=False):
        """The real's codes, whose grid reaches `widest`, made real again."""
        batch = self.batch
        kind = batch.pick(np.int8, np.uint8)
        scale, zero = np.float32(widest / 128), batch.codes((), kind)
        codes = batch.node("QuantizeLinear", [
            real, batch.constant(scale), batch.constant(zero)], keep=keep)
        return None if keep else self.dequantized(codes, scale, zero)

    def operand(self, shape, widest):
        """Another tensor of codes, as reals."""
        batch = self.batch
        kind = batch.pick(np.int8, np.uint8)
        codes = batch.input(batch.codes(shape, kind))
        return self.dequantized(codes, widest / 128, batch.codes((), kind))

    def product(self, rows, terms, columns):
        """A product as reals, and about how large they are."""
        batch = self.batch
        scale = batch.scale()
        kind = batch.pick(np.int8, np.uint8)
        left = self.dequantized(batch.input(batch.codes([rows, terms], kind)),
                                scale, batch.codes((), kind))
        scales = batch.scale() * batch.rng.uniform(0.5, 1, columns)
        right = self.dequantized(
            batch.constant(batch.codes([terms, columns], np.int8)),
            scales.astype("f4"), np.zeros(columns, np.int8), axis=1)
        real = batch.node("MatMul", [left, right], keep=False)
        return real, scale * scales.max() * 128 * 40 * terms ** 0.5

    def stage(self, op, real, shape, widest):
        batch = self.batch
        if op in ("Add", "Sub", "Mul", "Max", "Min"):
            other = widest if op != "Mul" else 1.0
            pair = [real, self.operand(shape, other)]
            if op in ("Add", "Mul", "Max") and batch.pick(True, False):
                pair.reverse()
            return batch.node(op, pair, keep=False)
        more = {"alpha": 0.3} if op == "LeakyRelu" else {}
        return batch.node(op, [real], keep=False, **more)


STAGES = ["Relu", "LeakyRelu", "Abs", "Add", "Sub", "Mul", "Max", "Min"]


@pytest.mark.parametrize("terms", [5, 600])
def test_stages_behind_products(tally, tier, tmp_path, terms):  # noqa: F811
    batch = NodeBatch(terms)
    layers = Layers(batch)
    for op in STAGES:
        for columns in batch.rng.choice(COLUMNS, 5, replace=False).tolist():
            rows = batch.pick(1, 3)
            real, widest = layers.product(rows, terms, columns)
            real = layers.requantized(real, widest)
            real = layers.stage(op, real, [rows, columns], widest)
            layers.requantized(real, widest, keep=True)
    check(tally, tier, batch, tmp_path, nodes=False)


def test_chains_behind_products(tally, tier, tmp_path):  # noqa: F811
    """A sum, a clamp and a table behind each other; the first of the three that
    takes no lanes hands the rest over one by one."""
    batch = NodeBatch(41)
    layers = Layers(batch)
    for columns in COLUMNS:
        real, widest = layers.product(2, 40, columns)
        for op in batch.rng.permutation(["Add", "Relu", "LeakyRelu", "Mul"]):
            real = layers.requantized(real, widest)
            real = layers.stage(str(op), real, [2, columns], widest)
        layers.requantized(real, widest, keep=True)
    check(tally, tier, batch, tmp_path, nodes=False)


def test_stages_alone(tally, tier, tmp_path):  # noqa: F811
    """Kernels of their own, whole vectors and a rest of every kind."""
    batch = NodeBatch(43)
    layers = Layers(batch)
    for op in STAGES:
        for count in [1, 63, 64, 65, 80, 81, 200]:
            real = layers.stage(op, layers.operand([count], 3.0), [count], 3.0)
            layers.requantized(real, 4.0, keep=True)
    check(tally, tier, batch, tmp_path, nodes=False)
