"""Random steps that do anything with their states."""

import numpy as np
import pytest
from onnx import helper

from state_models import model, tensor


def random_step(seed):
    """A step on 4x4 integers from -8 to 8 that does anything with its states:
    reads them late, twice, transposed or shifted, and exchanges them."""
    random = np.random.default_rng(seed)
    states = [f"s{i}" for i in range(random.integers(1, 5))]
    values, nodes = ["x", *states], []

    def add(operator, *operands, **attributes):
        name = f"v{len(nodes)}"
        nodes.append(helper.make_node(operator, operands, [name], **attributes))
        return name

    def pick():
        return values[random.integers(len(values))]

    for _ in range(random.integers(2, 10)):
        kind = random.integers(7)
        if kind < 3:
            made = add(("Add", "Sub", "MatMul")[kind], pick(), pick())
            made = add("Clip", made, "low", "high")
        elif kind == 3:
            made = add("Transpose", pick(), perm=[1, 0])
        elif kind == 4:
            made = add("Where", "mask", pick(), pick())
        elif kind == 5:
            axis = int(random.integers(2))
            enters = add("Slice", pick(), "zero", "one", ("zero", "one")[axis])
            kept = add("Slice", pick(), "one", "four", ("zero", "one")[axis])
            made = add("Concat", kept, enters, axis=axis)
        else:
            made = add("ScatterElements", pick(), "place", pick(), axis=0)
        values.append(made)
    outputs = [add("Identity", pick()) for _ in states]
    plain = add("Identity", pick())
    step = model(nodes, [tensor("x", [4, 4])]
                 + [tensor(name, [4, 4]) for name in states],
                 [tensor(name, [4, 4]) for name in [*outputs, plain]],
                 [("low", np.float32(-8)), ("high", np.float32(8)),
                  ("zero", np.array([0])), ("one", np.array([1])),
                  ("four", np.array([4])),
                  ("place", random.integers(0, 4, (4, 4))),
                  ("mask", random.integers(0, 2, (4, 4)).astype(bool))])
    options = [f"--state={output}={name}:{random.integers(-3, 4)}"
               for output, name in zip(outputs, states)]
    if random.integers(2):
        options.append("--keep-output=" + outputs[0])
    return step, options


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_done_with_states(steps, seed):
    step, options = random_step(seed)
    x = np.random.default_rng(seed).integers(-8, 9, (12, 4, 4))
    assert steps(step, {"x": x.astype(np.float32)}, *options)
