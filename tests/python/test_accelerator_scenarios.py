"""What streaming models do, on an accelerator: selections, sequences, states
that begin anywhere. The evaluator judges 50 calls of each, bit for bit."""

import numpy as np
import pytest
from accelerator_steps import (GRID, STEPS, ZERO, coded, codes, model, real,
                               steps, tensor)  # noqa: F401
from onnx import TensorProto, helper
from recurrent_codes import HIDDEN, INPUTS, Cell, TwoWays

MACHINES = pytest.mark.parametrize("machine", ["edge", "tiny", "wide"])


@MACHINES
def test_a_selection_leaves_a_state_as_it_was(steps, machine):
    """s' = x where it is taken, s elsewhere: one store of all of it in either
    case, and the value persists."""
    step = model([real("x"), real("s"),
                  helper.make_node("Where", ["take", "x_real", "s_real"],
                                   ["s_out_real"]), coded("s_out")],
                 [tensor("take", [1], TensorProto.BOOL),
                  tensor("x", [40], TensorProto.INT8),
                  tensor("s", [40], TensorProto.INT8)],
                 [tensor("s_out", [40], TensorProto.INT8)], GRID)
    x = codes(40)
    take = np.random.default_rng(5).random((STEPS, 1)) < 0.4
    ours = steps.run(step, {"x": x, "take": take}, "--state", "s_out=s",
                     "--keep-output", "s_out", machine=machine)["s_out"]
    value, kept = np.full(40, ZERO), 0
    for frame, taken, found in zip(x, take[:, 0], ours):
        value, kept = (frame, kept) if taken else (value, kept + 1)
        np.testing.assert_array_equal(found, value)
    assert 0 < kept < STEPS
    truths = [buffer["name"] for buffer in steps.about["buffers"]
              if buffer.get("bool")]
    assert truths == ["take"]
    assert steps.policies() == {"s": "in place"}
    assert steps.copied() == {"s": 0}


@MACHINES
@pytest.mark.parametrize("initial, first", [("3", 0), ("127", 1)])
def test_states_of_16_bits_begin_where_they_are_told(steps, machine, initial,
                                                     first):
    """A grid of int16 with zero point -17; the number is a code."""
    grid = [("scale", np.float32(0.01)), ("zero", np.int16(-17))]
    step = model([real("x"), real("s"),
                  helper.make_node("Add", ["s_real", "x_real"],
                                   ["s_out_real"]), coded("s_out")],
                 [tensor("x", [12], TensorProto.INT16),
                  tensor("s", [12], TensorProto.INT16)],
                 [tensor("s_out", [12], TensorProto.INT16)], grid, opset=21)
    x = np.random.default_rng(first).integers(-57, 24, (STEPS, 12), np.int16)
    ours = steps.run(step, {"x": x}, "--state", f"s_out=s:{initial}",
                     "--keep-output", "s_out", machine=machine)["s_out"]
    # Codes count from -17, so that a sum of codes has it once too often.
    total = int(initial) + (x.astype(int) + 17).cumsum(axis=0)
    np.testing.assert_array_equal(ours, total)
    assert steps.written() == {"s": 24}


def run_cell(steps, kind, length, x, machine="edge"):
    cell = Cell(kind, length)
    return steps.run(cell.make(), {"x": x.reshape(-1, length, 1, INPUTS)},
                     *cell.options(), machine=machine)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_a_sequence_a_call_goes_on_where_the_last_ended(steps, kind):
    """50 calls of four steps are 200 calls of one; Y's last row is Y_h, which is
    stored to Y, to the output and to the state."""
    x = codes(1, INPUTS, steps=4 * STEPS)
    ours = run_cell(steps, kind, 4, x)
    assert steps.copied()["h"] == 0
    assert set(steps.written().values()) <= {16, 32}
    np.testing.assert_array_equal(ours["Y"][:, -1], ours["h_out"])
    single = run_cell(steps, kind, 1, x)
    np.testing.assert_array_equal(ours["Y"].reshape(single["Y"].shape),
                                  single["Y"])
    for name in set(single) - {"Y"}:
        np.testing.assert_array_equal(ours[name], single[name][3::4])
    assert len(np.unique(ours["Y"])) > 100


@pytest.mark.parametrize("machine", ["tiny", "wide"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_sequences_on_other_machines(steps, kind, machine):
    run_cell(steps, kind, 4, codes(1, INPUTS, steps=4 * STEPS), machine)


@MACHINES
def test_short_sequences_in_both_directions(steps, machine):
    """Three steps of two sequences, each as long as it is: where one ends early,
    its final h is no last row of Y, and each is stored for itself."""
    length, batch = 3, 2
    cell = TwoWays(length, batch)
    x = codes(length, batch, INPUTS)
    ends = np.random.default_rng(7).integers(1, length + 1, (STEPS, batch))
    valid = np.arange(length)[None, :, None] < ends[:, None, :]
    ours = steps.run(cell.make(), {"x": x, "valid": valid[..., None]},
                     *cell.options(), machine=machine)
    assert set(steps.copied().values()) == {0}
    assert set(steps.written().values()) == {batch * HIDDEN}
    forward, backward = np.split(ours["Y"], 2, axis=-1)
    for call, sequence in np.ndindex(STEPS, batch):
        end = ends[call, sequence]
        assert not ours["Y"][call, end:, sequence].any()
        np.testing.assert_array_equal(ours["forward_out"][call, sequence],
                                      forward[call, end - 1, sequence])
        np.testing.assert_array_equal(ours["backward_out"][call, sequence],
                                      backward[call, 0, sequence])
    assert (ours["forward_out"] != forward[:, -1]).any()
    assert len(np.unique(ours["Y"])) > 100
