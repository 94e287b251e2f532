"""Batches of nodes whose compiled code has to give the evaluator's bits."""

import json
import subprocess

import numpy as np
import onnx


def host_tiers(tally):
    done = subprocess.run([str(tally), "version", "--json"], text=True,
                          capture_output=True, check=True)
    return json.loads(done.stdout)["host_tiers"]


def check(tally, batch, folder, *options):
    """Bits of each tier of this machine against the evaluator's."""
    path, feeds = folder / "batch.onnx", folder / "inputs.npz"
    onnx.save(batch.model(), path)
    np.savez(feeds, **batch.feeds)
    for tier in host_tiers(tally):
        done = subprocess.run(
            [str(tally), "run", str(path), "--input", str(feeds), "--target",
             "cpu", "--tiers", tier, "--compare-with", "eval", *options],
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
