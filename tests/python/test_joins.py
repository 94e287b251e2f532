"""Tensors that are computed inside of others: random graphs that join and cut
rows, in memory full of noise.

Rows have 4 floats; a graph is a list of steps on blocks of rows, of which any may
be outputs, some twice. numpy computes every step in an array of its own. The
steps are exact (no rounding but that of a sum), so that bits are compared.
"""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from artifact_stream import run_stream
from conftest import sample

WIDTH, GRAPHS = 4, 40


class RandomRows:
    """A graph under construction, and what numpy makes of it."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.values = [], [], {}
        for name in "x", "w":
            self.values[name] = self.random.standard_normal(
                (int(self.random.integers(1, 4)), WIDTH)).astype(np.float32)
        self.inputs = list(self.values)

    def pick(self, rows=None):
        names = [name for name, value in self.values.items()
                 if rows is None or len(value) == rows]
        return names[int(self.random.integers(len(names)))]

    def add(self, operator, operands, value, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, operands, [name],
                                           name=name, **attributes))
        self.values[name] = value

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value), name))
        return name

    def step(self):
        kind = self.random.choice(["one", "sum", "join", "cut", "product",
                                   "columns"])
        a = self.pick()
        value = self.values[a]
        if kind == "one":
            self.add("Neg", [a], -value)
        elif kind == "sum":
            b = self.pick(len(value))
            self.add("Add", [a, b], value + self.values[b])
        elif kind == "join" and len(value) < 12:
            names = [a, *(self.pick() for _ in
                          range(int(self.random.integers(1, 4))))]
            self.add("Concat", names,
                     np.concatenate([self.values[n] for n in names]), axis=0)
        elif kind == "cut" and len(value) > 1:
            first, end = sorted(self.random.choice(
                len(value) + 1, 2, replace=False).tolist())
            self.add("Slice", [a, self.constant([first]), self.constant([end]),
                               self.constant([0])], value[first:end])
        elif kind == "product":  # turns each row around
            turn = np.eye(WIDTH, dtype=np.float32)[::-1].copy()
            self.add("MatMul", [a, self.constant(turn)], value @ turn)
        elif kind == "columns":  # pieces that alternate
            self.add("Concat", [a, a], np.concatenate([value, value], axis=1),
                     axis=1)
            wide = self.nodes[-1].output[0]
            self.values.pop(wide)
            half = self.constant([0]), self.constant([WIDTH]), self.constant(
                [1])
            self.add("Slice", [wide, *half], value)

    def model(self):
        made = [n for n in self.values if n not in self.inputs]
        names = self.random.choice(made, min(len(made), 5)).tolist()
        # What is returned twice has two names in a model.
        outputs = []
        for i, name in enumerate(names):
            self.nodes.append(helper.make_node("Identity", [name], [f"y{i}"]))
            outputs.append((f"y{i}", self.values[name]))

        def info(name, value):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT,
                                                 value.shape)

        graph = helper.make_graph(
            self.nodes, "rows", [info(n, self.values[n]) for n in self.inputs],
            [info(*output) for output in outputs], self.constants)
        return dict(outputs), helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def made_of(seed, count=14):
    rows = RandomRows(seed)
    while len(rows.nodes) < count:
        rows.step()
    return rows


@pytest.mark.parametrize("seed", sample(range(GRAPHS), 14))
def test_rows_are_where_they_belong(seed, state_runner):
    rows = made_of(seed)
    expected, model = rows.model()
    onnx.checker.check_model(model)
    inputs = {name: rows.values[name][None] for name in rows.inputs}
    about = state_runner.compile(model, "--no-self-test", name="rows")
    used = {tensor["name"] for tensor in about["inputs"]}
    found, _ = run_stream(
        state_runner.folder / "rows.so", "rows",
        {n: v for n, v in inputs.items() if n in used} or {"": np.zeros(1)})
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name][0], value)


def test_enough_of_them_are_parts(state_runner):
    """The graphs above do join in place, cut in place, and copy."""
    codes = set()
    for seed in range(8):
        told = state_runner.command("explain", state_runner.save(
            made_of(seed).model()[1]), "--only", "join")
        codes |= {code for code in ("JOIN-1", "JOIN-2", "JOIN-3", "JOIN-4")
                  if code in told}
    assert codes == {"JOIN-1", "JOIN-2", "JOIN-3", "JOIN-4"}
