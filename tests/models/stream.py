#!/usr/bin/env python3
"""Generate one step of a quantized streaming LSTM, with seeded random weights.

    stream-lstm.onnx        x [1, 40] -> y [1, 12], h_in -> h_out, c_in -> c_out
    stream-lstm.inputs.npz  one step's inputs
    stream-lstm.frames.npy  400 frames [400, 1, 40] to run one after the other

Static QDQ as exporters of integer models write it: x, gates, hidden state and
result are int8, the sums of both products and the cell are int16, weights int8
per output row; scales of activations are powers of two. h and c go in and out as codes. Grids are calibrated on the same
network in floats, run over the frames; its results are what the quantized one is
judged by (`float_results`).
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEED = 31
INPUTS, HIDDEN, CLASSES, FRAMES = 40, 64, 12, 400
OPSET = 21  # int16 codes need it


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


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
        now = {"x": x, "from_x": x @ parts["w"].T + parts["b"],
               "from_h": h @ parts["r"].T}
        now["gates"] = now["from_x"] + now["from_h"]
        i, o, f, n = np.split(now["gates"], 4, -1)
        now["kept"] = sigmoid(f) * c
        now["fresh"] = sigmoid(i) * np.tanh(n)
        now["c"] = c = now["kept"] + now["fresh"]
        now["h"] = h = sigmoid(o) * np.tanh(c)
        now["y"] = h @ parts["head"].T
        for name, value in now.items():
            held.setdefault(name, []).append(value)
    return {name: np.stack(values) for name, values in held.items()}


def float_results():
    """y of every frame, [FRAMES, 1, CLASSES]."""
    return run_float()["y"]


class Step:
    """A QDQ graph under construction. Tensors are float names; `grids` maps a
    name to its (scale, zero point)."""

    def __init__(self, held):
        self.held, self.nodes, self.constants, self.grids = held, [], [], {}

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, name, inputs, outputs=1, **attributes):
        names = [f"{name}.out"] if outputs == 1 else [
            f"{name}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=name,
                                           **attributes))
        return names[0] if outputs == 1 else names

    def grid(self, name, dtype=np.int8):
        """The symmetric grid that covers what `name` held, its scale a power of
        two: sums of such tensors are shifts."""
        scale = np.abs(self.held[name]).max() / np.iinfo(dtype).max
        return np.float32(2 ** np.ceil(np.log2(scale))), dtype(0)

    def codes(self, name, value, grid):
        """value -> QuantizeLinear; returns the codes."""
        parts = [self.constant(name + ".scale", grid[0]),
                 self.constant(name + ".zero", grid[1])]
        return self.node("QuantizeLinear", name + ".quantize",
                         [value] + parts)

    def real(self, name, codes, grid):
        """codes -> DequantizeLinear."""
        parts = [self.constant(name + ".real_scale", grid[0]),
                 self.constant(name + ".real_zero", grid[1])]
        self.grids[f"{name}.dequantize.out"] = grid
        return self.node("DequantizeLinear", name + ".dequantize",
                         [codes] + parts)

    def quantized(self, name, value, grid):
        return self.real(name, self.codes(name, value, grid), grid)

    def weight(self, name, array):
        """int8 rows with a scale each."""
        scale = (np.abs(array).max(1) / 127).astype(np.float32)
        parts = [self.constant(name + ".codes", np.rint(
            array / scale[:, None]).astype(np.int8)),
            self.constant(name + ".scale", scale),
            self.constant(name + ".zero", np.zeros(len(scale), np.int8))]
        return scale, self.node("DequantizeLinear", name + ".dequantize",
                                parts, axis=0)

    def product(self, name, x, array, bias=None):
        """x times the transpose of `array`; a bias counts in int32."""
        scale, weight = self.weight(name + ".weight", array)
        inputs = [x, weight]
        if bias is not None:
            units = (self.grids[x][0] * scale).astype(np.float32)
            parts = [self.constant(name + ".bias.codes", np.rint(
                bias / units.astype(np.float64)).astype(np.int32)),
                self.constant(name + ".bias.scale", units),
                self.constant(name + ".bias.zero",
                              np.zeros(len(units), np.int32))]
            inputs.append(self.node("DequantizeLinear",
                                    name + ".bias.dequantize", parts, axis=0))
        return self.node("Gemm", name, inputs, transB=1)


HALF = (np.float32(1 / 256), np.int8(-128))  # [0, 1)
UNIT = (np.float32(1 / 128), np.int8(0))     # [-1, 1)


def gates(step, x, h):
    """i, o, f in [0, 1] and the candidate in [-1, 1], as reals on grids."""
    parts, wide = weights(), np.int16
    from_x = step.quantized(
        "from_x", step.product("input", x, parts["w"], parts["b"]),
        step.grid("from_x", wide))
    from_h = step.quantized("from_h", step.product("hidden", h, parts["r"]),
                            step.grid("from_h", wide))
    grid = step.grid("gates")
    sums = step.quantized(
        "gates", step.node("Add", "sums", [from_x, from_h]), grid)
    split = step.node("Split", "split", [sums], 4, axis=1, num_outputs=4)
    return [step.quantized(
        name, step.node(op, name, [step.quantized(f"{name}.sum", part, grid)]),
        into) for name, part, op, into in zip(
            ["i", "o", "f", "n"], split, ["Sigmoid"] * 3 + ["Tanh"],
            [HALF] * 3 + [UNIT])]


def make():
    step = Step(run_float())
    cell_grid = step.grid("c", np.int16)
    x = step.quantized("x", "x", step.grid("x"))
    h, c = step.real("h_in", "h_in", UNIT), step.real("c_in", "c_in",
                                                      cell_grid)
    i, o, f, n = gates(step, x, h)
    kept = step.quantized("kept", step.node("Mul", "keep", [f, c]),
                          step.grid("kept", np.int16))
    fresh = step.quantized("fresh", step.node("Mul", "take", [i, n]),
                           step.grid("fresh", np.int16))
    c_out = step.codes("c_out", step.node("Add", "cell", [kept, fresh]),
                       cell_grid)
    cell = step.quantized("cell8", step.real("c_out", c_out, cell_grid),
                          step.grid("c"))
    shown = step.quantized("shown", step.node("Tanh", "squash", [cell]), UNIT)
    h_out = step.codes("h_out", step.node("Mul", "hide", [o, shown]), UNIT)
    y = step.quantized("y", step.product(
        "head", step.real("h_out", h_out, UNIT), weights()["head"]),
        step.grid("y"))
    for codes, name in ((h_out, "h_out"), (c_out, "c_out"), (y, "y")):
        for node in step.nodes:
            node.input[:] = [name if n == codes else n for n in node.input]
            node.output[:] = [name if n == codes else n for n in node.output]
    return finished(step)


def finished(step):
    def tensor(name, kind, size):
        return helper.make_tensor_value_info(name, kind, [1, size])

    state = [("h", TensorProto.INT8), ("c", TensorProto.INT16)]
    graph = helper.make_graph(
        step.nodes, "stream-lstm",
        [tensor("x", TensorProto.FLOAT, INPUTS)]
        + [tensor(n + "_in", kind, HIDDEN) for n, kind in state],
        [tensor("y", TensorProto.FLOAT, CLASSES)]
        + [tensor(n + "_out", kind, HIDDEN) for n, kind in state],
        step.constants)
    model = helper.make_model(
        graph, ir_version=10, producer_name="tally-tests",
        opset_imports=[helper.make_opsetid("", OPSET)])
    onnx.checker.check_model(model, full_check=True)
    return model


def write(folder):
    onnx.save(make(), folder / "stream-lstm.onnx")
    every, rng = frames(), np.random.default_rng(SEED + 2)
    np.save(folder / "stream-lstm.frames.npy", every)
    np.savez(folder / "stream-lstm.inputs.npz", x=every[200],
             h_in=rng.integers(-127, 128, (1, HIDDEN)).astype(np.int8),
             c_in=rng.integers(-30000, 30000, (1, HIDDEN)).astype(np.int16))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=pathlib.Path,
                        default=ROOT / "build" / "models")
    folder = parser.parse_args().dir
    folder.mkdir(parents=True, exist_ok=True)
    write(folder)


if __name__ == "__main__":
    main()
