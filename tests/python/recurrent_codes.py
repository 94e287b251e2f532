"""LSTM and GRU of codes as exporters of integer models write them: a product,
a sum and a function for each gate, every tensor on a grid of its own, unrolled
for the steps of a call."""

import numpy as np
from onnx import TensorProto, helper

from state_models import model, tensor

INPUTS, HIDDEN = 8, 16
X = np.float32(1 / 32), np.int8(-17)
UNIT = np.float32(1 / 128), np.int8(0)     # [-1, 1)
HALF = np.float32(1 / 256), np.int8(-128)  # [0, 1)
SUM = np.float32(1 / 16), np.int8(0)
CELL = np.float32(1 / 4096), np.int16(0)
GATES = {"LSTM": "iofn", "GRU": "zrn"}


class Cell:
    """`steps` steps of x [steps, 1, INPUTS] a call, from h (and c) to h_out (and
    c_out), with all h in Y."""

    def __init__(self, kind, steps, seed=3):
        self.kind, self.steps = kind, steps
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.made = [], {}, 0
        self.weights = {gate: (self.weight(INPUTS), self.weight(HIDDEN))
                        for gate in GATES[kind]}

    # --- building ---------------------------------------------------------

    def constant(self, name, value):
        self.constants[name] = np.asarray(value)
        return name

    def add(self, operator, *operands, out=None, **attributes):
        self.made += 1
        out = out or f"v{self.made}"
        self.nodes.append(helper.make_node(operator, operands, [out],
                                           name=f"n{self.made}", **attributes))
        return out

    def grid(self, grid):
        name = f"g{float(grid[0])}.{grid[1]}.{grid[1].dtype}"
        return (self.constant(name + ".scale", grid[0]),
                self.constant(name + ".zero", grid[1]))

    def real(self, codes, grid):
        return self.add("DequantizeLinear", codes, *self.grid(grid))

    def codes(self, value, grid, out=None):
        return self.add("QuantizeLinear", value, *self.grid(grid), out=out)

    def settle(self, value, grid):
        return self.real(self.codes(value, grid), grid)

    def weight(self, rows):
        """int8 columns with a scale each."""
        name = f"w{len(self.constants)}"
        scales = self.random.uniform(0.002, 0.006, HIDDEN).astype(np.float32)
        return self.add(
            "DequantizeLinear",
            self.constant(name, self.random.integers(
                -128, 128, (rows, HIDDEN), np.int8)),
            self.constant(name + ".scale", scales),
            self.constant(name + ".zero", np.zeros(HIDDEN, np.int8)), axis=1)

    def products(self, gate, x, h):
        return [self.settle(self.add("MatMul", value, weight), SUM)
                for value, weight in zip((x, h), self.weights[gate])]

    def gate(self, function, parts, grid):
        total = self.settle(self.add("Add", *parts), SUM)
        return self.settle(self.add(function, total), grid)

    # --- cells ------------------------------------------------------------

    def lstm(self, x, h, c, names):
        i, o, f = [self.gate("Sigmoid", self.products(g, x, h), HALF)
                   for g in "iof"]
        n = self.gate("Tanh", self.products("n", x, h), UNIT)
        kept = self.settle(self.add("Mul", f, c), CELL)
        fresh = self.settle(self.add("Mul", i, n), CELL)
        c_codes = self.codes(self.add("Add", kept, fresh), CELL, names.get("c"))
        c = self.real(c_codes, CELL)
        shown = self.settle(self.add("Tanh", self.settle(c, SUM)), UNIT)
        h_codes = self.codes(self.add("Mul", o, shown), UNIT, names.get("h"))
        return self.real(h_codes, UNIT), c

    def gru(self, x, h, names):
        z, r = [self.gate("Sigmoid", self.products(g, x, h), HALF)
                for g in "zr"]
        from_x, from_h = self.products("n", x, h)
        scaled = self.settle(self.add("Mul", r, from_h), SUM)
        n = self.gate("Tanh", [from_x, scaled], UNIT)
        apart = self.settle(self.add("Sub", h, n), UNIT)
        moved = self.settle(self.add("Mul", z, apart), UNIT)
        h_codes = self.codes(self.add("Add", n, moved), UNIT, names.get("h"))
        return self.real(h_codes, UNIT)

    def make(self):
        h = self.real("h", UNIT)
        c = self.real("c", CELL) if self.kind == "LSTM" else None
        frames = [f"x{t}" for t in range(self.steps)]
        self.nodes.append(helper.make_node("Split", ["x"], frames, axis=0,
                                           num_outputs=self.steps))
        row = self.constant("row", np.array([1, INPUTS]))
        step = self.constant("step", np.array([1, 1, HIDDEN]))
        rows = []
        for t, frame in enumerate(frames):
            x = self.real(self.add("Reshape", frame, row), X)
            last = t == self.steps - 1
            names = {"h": "h_out", "c": "c_out"} if last else {}
            if self.kind == "LSTM":
                h, c = self.lstm(x, h, c, names)
            else:
                h = self.gru(x, h, names)
            rows.append(self.add("Reshape", h, step))
        self.codes(self.add("Concat", *rows, axis=0), UNIT, "Y")
        return self.finish()

    def finish(self):
        states = {"h": TensorProto.INT8}
        if self.kind == "LSTM":
            states["c"] = TensorProto.INT16
        return model(
            self.nodes,
            [tensor("x", [self.steps, 1, INPUTS], TensorProto.INT8),
             *(tensor(n, [1, HIDDEN], kind) for n, kind in states.items())],
            [tensor("Y", [self.steps, 1, HIDDEN], TensorProto.INT8),
             *(tensor(n + "_out", [1, HIDDEN], kind)
               for n, kind in states.items())],
            self.constants.items(), opset=21)

    def options(self):
        names = ["h", "c"] if self.kind == "LSTM" else ["h"]
        pairs = [o for n in names for o in ("--state", f"{n}_out={n}")]
        return [*pairs, "--keep-output", ",".join(n + "_out" for n in names)]


class TwoWays(Cell):
    """A GRU in both directions over `steps` steps of `batch` sequences, each as
    long as `valid` [steps, batch, 1] is true for: behind its end h stays as it is
    and Y is 0. Each direction goes on from its h of the call before."""

    def __init__(self, steps, batch):
        super().__init__("GRU", steps)
        self.batch = batch
        forward = self.weights
        backward = {gate: (self.weight(INPUTS), self.weight(HIDDEN))
                    for gate in GATES["GRU"]}
        self.directions = {"forward": forward, "backward": backward}

    def make(self):
        for name in "x", "valid":
            self.nodes.append(helper.make_node(
                "Split", [name], [f"{name}{t}" for t in range(self.steps)],
                axis=0, num_outputs=self.steps))
        rows = [self.direction(name) for name in self.directions]
        both = [self.add("Concat", *pair, axis=2) for pair in zip(*rows)]
        self.codes(self.add("Concat", *both, axis=0), UNIT, "Y")
        kinds = [tensor(name, [self.batch, HIDDEN], TensorProto.INT8)
                 for name in self.directions]
        ends = [tensor(name + "_out", [self.batch, HIDDEN], TensorProto.INT8)
                for name in self.directions]
        return model(
            self.nodes,
            [tensor("x", [self.steps, self.batch, INPUTS], TensorProto.INT8),
             tensor("valid", [self.steps, self.batch, 1], TensorProto.BOOL),
             *kinds],
            [tensor("Y", [self.steps, self.batch, 2 * HIDDEN],
                    TensorProto.INT8), *ends],
            self.constants.items(), opset=21)

    def direction(self, name):
        """The rows of Y, in the order of time."""
        self.weights, rows = self.directions[name], {}
        order = range(self.steps)
        h = self.real(name, UNIT)
        for t in order if name == "forward" else reversed(order):
            h, rows[t] = self.step(t, h)
        self.codes(h, UNIT, name + "_out")
        return [rows[t] for t in order]

    def step(self, t, h):
        flat = self.constant("flat", np.array([self.batch, INPUTS]))
        truth = self.constant("truth", np.array([self.batch, 1]))
        back = self.constant("back", np.array([1, self.batch, HIDDEN]))
        nothing = self.constant("nothing", np.float32(0))
        x = self.real(self.add("Reshape", f"x{t}", flat), X)
        valid = self.add("Reshape", f"valid{t}", truth)
        now = self.gru(x, h, {})
        h = self.settle(self.add("Where", valid, now, h), UNIT)
        row = self.settle(self.add("Where", valid, now, nothing), UNIT)
        return h, self.add("Reshape", row, back)

    def options(self):
        return [*(o for n in self.directions
                  for o in ("--state", f"{n}_out={n}")),
                "--keep-output", ",".join(n + "_out" for n in self.directions)]
