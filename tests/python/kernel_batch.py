"""Batches of nodes whose compiled code has to give the evaluator's bits."""

import subprocess

import numpy as np
import onnx
from conftest import on_tier, tiers_for


def check(tally, batch, folder, *options):
    """Bits of several tiers against the evaluator's."""
    path, feeds = folder / "batch.onnx", folder / "inputs.npz"
    onnx.save(batch.model(), path)
    np.savez(feeds, **batch.feeds)
    for tier in tiers_for(tally, folder.name):
        done = subprocess.run(
            [str(tally), "run", str(path), "--input", str(feeds), "--target",
             "cpu", *on_tier(tally, tier), "--compare-with", "eval", *options],
            text=True, capture_output=True, check=False)
        assert done.returncode == 0, (
            tier + "\n" + done.stdout[-2000:] + done.stderr)


def floats(batch, *shape):
    return batch.rng.standard_normal(shape).astype("f4")


def dequantized(batch, codes, scale, zero):
    return batch.node("DequantizeLinear", [
        codes, batch.constant(np.float32(scale)), batch.constant(zero)],
        keep=False)


def quantized(batch, value, scale, zero, keep=True):
    return batch.node("QuantizeLinear", [
        value, batch.constant(np.float32(scale)), batch.constant(zero)],
        keep=keep)
