#!/usr/bin/env python3
"""Generate one step of a quantized streaming LSTM, with seeded random weights.

    stream-lstm.onnx        x [1, 40] -> y [1, 12], h_in -> h_out, c_in -> c_out
    stream-lstm.inputs.npz  one step's inputs
    stream-lstm.frames.npy  400 frames [400, 1, 40] to run one after the other

h and c go in and out as codes (`step.py`). Grids are calibrated on the same
network in floats, run over the frames; its results are what the quantized one is
judged by (`float_results`).
"""

import numpy as np
import onnx
from onnx import TensorProto

import step

SEED = 31
INPUTS, HIDDEN, CLASSES, FRAMES = 40, 64, 12, 400


def frames():
    """Smooth random features: each moves slowly around 0."""
    rng = np.random.default_rng(SEED)
    noise = rng.normal(size=(FRAMES + 8, INPUTS))
    kernel = np.hanning(9) / np.sqrt((np.hanning(9) ** 2).sum())
    smooth = [np.convolve(noise[:, i], kernel, "valid") for i in range(INPUTS)]
    return np.stack(smooth, 1)[:, None].astype(np.float32)


def weights():
    """W and R in ONNX's order of gates (i, o, f, c), a bias, and the head."""
    rng = np.random.default_rng(SEED + 1)

    def normal(deviation, *shape):
        return rng.normal(0, deviation, shape).astype(np.float32)

    bias = normal(0.2, 4 * HIDDEN)
    bias[2 * HIDDEN:3 * HIDDEN] += 1  # cells remember
    return {"w": normal(0.25, 4 * HIDDEN, INPUTS),
            "r": normal(0.15, 4 * HIDDEN, HIDDEN), "b": bias,
            "head": normal(0.4, CLASSES, HIDDEN)}


def run_float():
    """What every tensor of the step holds: name -> array, frame by frame."""
    parts, held = weights(), {}
    h, c = np.zeros((1, HIDDEN)), np.zeros((1, HIDDEN))
    for x in frames():
        now = {"x": x, **step.cell_in_floats(x, h, c, parts)}
        h, c = now["h"], now["c"]
        now["y"] = h @ parts["head"].T
        for name, value in now.items():
            held.setdefault(name, []).append(value)
    return {name: np.stack(values) for name, values in held.items()}


def float_results():
    """y of every frame, [FRAMES, 1, CLASSES]."""
    return run_float()["y"]


def make():
    graph = step.Step(run_float())
    x = graph.quantized("x", "x", graph.grid("x"))
    codes = graph.cell(x, weights())
    y = graph.quantized("y", graph.product(
        "head", graph.real("h_out", codes[0], step.UNIT), weights()["head"]),
        graph.grid("y"))
    return graph.model(
        "stream-lstm",
        {"x": (TensorProto.FLOAT, [1, INPUTS]), **step.states(HIDDEN)},
        {"y": (y, TensorProto.FLOAT, [1, CLASSES]),
         **step.next_states(codes, HIDDEN)})


def write(folder):
    onnx.save(make(), folder / "stream-lstm.onnx")
    every, rng = frames(), np.random.default_rng(SEED + 2)
    np.save(folder / "stream-lstm.frames.npy", every)
    np.savez(folder / "stream-lstm.inputs.npz", x=every[200],
             h_in=rng.integers(-127, 128, (1, HIDDEN)).astype(np.int8),
             c_in=rng.integers(-30000, 30000, (1, HIDDEN)).astype(np.int16))


if __name__ == "__main__":
    step.write_from_command_line(__doc__, write)
