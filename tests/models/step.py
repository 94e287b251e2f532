"""A builder of quantized networks that run step by step, in QDQ form.

Static QDQ as exporters of integer models write it: activations are int8, what
needs more (sums of two products, cells of an LSTM) int16, weights int8 with a
scale for each output row, biases int32. Scales of what is added up are powers of
two, so that sums are shifts. A grid covers what the tensor of the same name held
when the network was run in floats.
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OPSET = 21  # int16 codes need it
HALF = (np.float32(1 / 256), np.int8(-128))  # [0, 1)
UNIT = (np.float32(1 / 128), np.int8(0))     # [-1, 1)
# The scale of [-8, 8): beyond it a sigmoid is nearer to 0 or 1 than half a code.
SATURATED = np.float32(1 / 16)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cell_in_floats(x, h, c, parts):
    """One step of an LSTM with the weights w, r and b of ONNX's order of gates
    (i, o, f, c), a row of each operand: every tensor of it, by name."""
    now = {"from_x": x @ parts["w"].T + parts["b"], "from_h": h @ parts["r"].T}
    now["gates"] = now["from_x"] + now["from_h"]
    i, o, f, n = np.split(now["gates"], 4, -1)
    now["kept"] = sigmoid(f) * c
    now["fresh"] = sigmoid(i) * np.tanh(n)
    now["c"] = now["kept"] + now["fresh"]
    now["h"] = sigmoid(o) * np.tanh(now["c"])
    return now


class Step:
    """A QDQ graph under construction. Tensors are float names; `held` maps a name
    to what it held, `grids` to its (scale, zero point)."""

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

    def grid(self, name, dtype=np.int8, shift=True):
        """The grid that covers what `name` held: symmetric, or from 0 where
        nothing was below. Its scale is a power of two, or as fine as can be."""
        limits, held = np.iinfo(dtype), self.held[name]
        signed = held.min() < 0
        steps = limits.max if signed else limits.max - limits.min
        scale = np.abs(held).max() / steps
        if shift:
            scale = 2 ** np.ceil(np.log2(scale))
        return np.float32(scale), dtype(0 if signed else limits.min)

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
        """int8 with a scale for each of the first dimension, 1 where all is 0."""
        rows = array.reshape(len(array), -1)
        scale = (np.abs(rows).max(1) / 127).astype(np.float32)
        scale[scale == 0] = 1
        codes = np.rint(rows / scale[:, None]).astype(np.int8)
        parts = [self.constant(name + ".codes", codes.reshape(array.shape)),
                 self.constant(name + ".scale", scale),
                 self.constant(name + ".zero", np.zeros(len(scale), np.int8))]
        return scale, self.node("DequantizeLinear", name + ".dequantize",
                                parts, axis=0)

    def weighted(self, op, name, x, array, bias=None, **attributes):
        """A product of x with the weights `array`; a bias counts in int32."""
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
        return self.node(op, name, inputs, **attributes)

    def product(self, name, x, array, bias=None):
        """x times the transpose of `array`."""
        return self.weighted("Gemm", name, x, array, bias, transB=1)

    def gates(self, x, h, parts):
        """i, o, f in [0, 1] and the candidate in [-1, 1], as reals on grids."""
        from_x = self.quantized(
            "from_x", self.product("input", x, parts["w"], parts["b"]),
            self.grid("from_x", np.int16))
        from_h = self.quantized(
            "from_h", self.product("hidden", h, parts["r"]),
            self.grid("from_h", np.int16))
        scale, zero = self.grid("gates")
        grid = min(scale, SATURATED), zero
        sums = self.quantized(
            "gates", self.node("Add", "sums", [from_x, from_h]), grid)
        split = self.node("Split", "split", [sums], 4, axis=1, num_outputs=4)
        return [self.quantized(name, self.node(
            op, name, [self.quantized(f"{name}.sum", part, grid)]), into)
            for name, part, op, into in zip(
                ["i", "o", "f", "n"], split, ["Sigmoid"] * 3 + ["Tanh"],
                [HALF] * 3 + [UNIT])]

    def cell(self, x, parts):
        """One step of an LSTM: the codes of h and c go in as h_in and c_in;
        returns the codes h_out and c_out."""
        wide = self.grid("c", np.int16)
        h = self.real("h_in", "h_in", UNIT)
        c = self.real("c_in", "c_in", wide)
        i, o, f, n = self.gates(x, h, parts)
        kept = self.quantized("kept", self.node("Mul", "keep", [f, c]),
                              self.grid("kept", np.int16))
        fresh = self.quantized("fresh", self.node("Mul", "take", [i, n]),
                               self.grid("fresh", np.int16))
        c_out = self.codes(
            "c_out", self.node("Add", "cell", [kept, fresh]), wide)
        narrow = self.quantized("cell8", self.real("c_out", c_out, wide),
                                self.grid("c"))
        shown = self.quantized("shown", self.node("Tanh", "squash", [narrow]),
                               UNIT)
        return self.codes("h_out", self.node("Mul", "hide", [o, shown]),
                          UNIT), c_out

    def model(self, name, inputs, outputs):
        """The graph with `inputs`, name -> (type, shape), and `outputs`,
        name -> (tensor, type, shape)."""
        named = {tensor: name for name, (tensor, *_) in outputs.items()}
        for node in self.nodes:
            node.input[:] = [named.get(n, n) for n in node.input]
            node.output[:] = [named.get(n, n) for n in node.output]
        graph = helper.make_graph(
            self.nodes, name,
            [helper.make_tensor_value_info(n, *about)
             for n, about in inputs.items()],
            [helper.make_tensor_value_info(n, *about[1:])
             for n, about in outputs.items()],
            self.constants)
        model = helper.make_model(
            graph, ir_version=10, producer_name="tally-tests",
            opset_imports=[helper.make_opsetid("", OPSET)])
        onnx.checker.check_model(model, full_check=True)
        return model


def states(hidden):
    """The graph's inputs for the codes of h and c."""
    return {"h_in": (TensorProto.INT8, [1, hidden]),
            "c_in": (TensorProto.INT16, [1, hidden])}


def next_states(codes, hidden):
    """Its outputs for them, of what `cell` returned."""
    return {"h_out": (codes[0], TensorProto.INT8, [1, hidden]),
            "c_out": (codes[1], TensorProto.INT16, [1, hidden])}


def write_from_command_line(description, write):
    """Calls write(folder) for the folder of --dir, which is made."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--dir", type=pathlib.Path,
                        default=ROOT / "build" / "models")
    folder = parser.parse_args().dir
    folder.mkdir(parents=True, exist_ok=True)
    write(folder)
