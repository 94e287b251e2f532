"""What streaming models do, each from its first call to its last: the evaluator,
compiled code, and an artifact in poisoned memory give the same bits, and a call
writes no byte that it could have left.

Accumulators, exchanges, selections and histories are in test_state.py and
test_state_places.py, caches of keys and values in test_growing_cache.py.
"""

import json

import numpy as np
import pytest
from onnx import TensorProto, helper

from recurrent_reference import run as recurrent
from state_models import (STEPS, codes, context_step, cost, frames, model,
                          tensor, window_step)

SCALE, ZERO = np.float32(0.05), np.int8(-17)


def test_old_and_new_value_cost_one_write_each(steps, places):
    """o = s, s' = s + x, and s' is an output: 16 bytes of state, no copy."""
    step = model([helper.make_node("Identity", ["s"], ["old"]),
                  helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("old", [4]), tensor("s_out", [4])])
    options = ["--state", "s_out=s", "--keep-output", "s_out"]
    assert cost(places(step, *options, "--max-state-copies", "0")["s"]) == (
        "in place", 16, 0)
    x = np.abs(frames(4)) + 1
    found = steps(step, {"x": x}, *options)
    np.testing.assert_array_equal(found["old"][1:], found["s_out"][:-1])
    assert (found["old"] != found["s_out"]).all()


def test_a_convolution_adds_to_a_state_once(steps, places):
    """81 pixels are no multiple of a block, and each is finished once."""
    step = model([helper.make_node("Conv", ["x", "w"], ["y"]),
                  helper.make_node("Add", ["y", "s"], ["s_out"])],
                 [tensor("x", [1, 2, 9, 9]), tensor("s", [1, 2, 9, 9])],
                 [tensor("s_out", [1, 2, 9, 9])],
                 [("w", np.float32([[1, 0], [0, 2]]).reshape(2, 2, 1, 1))])
    options = ["--state", "s_out=s", "--keep-output", "s_out"]
    assert cost(places(step, *options)["s"])[0] == "in place"
    found = steps(step, {"x": np.ones([STEPS, 1, 2, 9, 9], np.float32)},
                  *options)["s_out"]
    # 1 and 2 more in each call
    counts = np.arange(1, STEPS + 1).reshape(STEPS, 1, 1, 1, 1)
    steps_of = np.float32([1, 2]).reshape(1, 1, 2, 1, 1)
    np.testing.assert_array_equal(found, np.broadcast_to(
        counts * steps_of, found.shape))


def test_channels_add_to_a_state_once(steps, places):
    """24 channels are a vector and a half, and each is finished once."""
    shape, nodes = [1, 24, 1, 1], []
    constants = [("one", np.float32(1)), ("zero", np.int8(0)),
                 ("w", np.full([24, 1, 1, 1], 4, np.int8))]

    def real(name):
        nodes.append(helper.make_node("DequantizeLinear",
                                      [name, "one", "zero"], [name + ".real"]))
        return name + ".real"

    def codes_of(name, result):
        nodes.append(helper.make_node("QuantizeLinear", [name, "one", "zero"],
                                      [result]))

    nodes.append(helper.make_node("Conv", [real("x"), real("w")], ["y"],
                                  group=24))
    codes_of("y", "y.codes")
    nodes.append(helper.make_node("Add", [real("y.codes"), real("s")],
                                  ["sum"]))
    codes_of("sum", "s_out")
    kind = TensorProto.INT8
    step = model(nodes, [tensor("x", shape, kind), tensor("s", shape, kind)],
                 [tensor("s_out", shape, kind)], constants)
    options = ["--state", "s_out=s", "--keep-output", "s_out"]
    assert cost(places(step, *options)["s"])[0] == "in place"
    found = steps(step, {"x": np.ones([STEPS, *shape], np.int8)},
                  *options)["s_out"]
    # 4 more in each call, up to the largest code.
    sums = np.minimum(4 * np.arange(1, STEPS + 1), 127)
    np.testing.assert_array_equal(found, np.broadcast_to(
        sums.reshape(STEPS, 1, 1, 1, 1), found.shape))


def recurrence_of_codes(random):
    """h' = W h + U x in int8, a scale for each column of W and of U."""
    nodes, constants = [], [("s", SCALE), ("z", ZERO)]

    def dequantize(name, *grid, **attributes):
        nodes.append(helper.make_node("DequantizeLinear", [name, *grid],
                                      [name + ".real"], **attributes))
        return name + ".real"

    def product(name, value):
        weights = random.integers(-128, 128, (16, 16), np.int8)
        scales = random.uniform(0.001, 0.004, 16).astype(np.float32)
        constants.extend([(name, weights), (name + ".s", scales),
                          (name + ".z", np.zeros(16, np.int8))])
        real = dequantize(name, name + ".s", name + ".z", axis=1)
        nodes.append(helper.make_node("MatMul", [value, real], [name + ".y"]))
        nodes.append(helper.make_node("QuantizeLinear", [name + ".y", "s", "z"],
                                      [name + ".q"]))
        return dequantize(name + ".q", "s", "z")

    sums = [product(name, dequantize(value, "s", "z"))
            for name, value in (("w", "h"), ("u", "x"))]
    nodes.append(helper.make_node("Add", sums, ["sum"], name="join"))
    nodes.append(helper.make_node("QuantizeLinear", ["sum", "s", "z"],
                                  ["h_out"]))
    kinds = {name: tensor(name, [1, 16], TensorProto.INT8)
             for name in ("x", "h", "h_out")}
    return model(nodes, [kinds["x"], kinds["h"]], [kinds["h_out"]],
                 constants), dict(constants)


def test_recurrence_of_codes_needs_two_slots(steps, places):
    step, parts = recurrence_of_codes(np.random.default_rng(4))
    options = ["--state", "h_out=h", "--keep-output", "h_out"]
    state = places(step, *options, "--max-state-copies", "0")["h"]
    assert cost(state) == ("in place", 16, 0) or (
        cost(state) == ("flip", 16, 0) and "reads" in state["reason"])
    x = codes(1, 16)
    found = steps(step, {"x": x}, *options)["h_out"]

    def onto_grid(value):
        return np.clip(np.rint(value / np.float64(SCALE)) + int(ZERO), -128,
                       127)

    h = np.full((1, 16), int(ZERO))
    for frame, got in zip(x, found):
        sums = []
        for name, value in ("w", h), ("u", frame):
            real = (value.astype(int) - int(ZERO)) @ parts[name].astype(int)
            real = real * np.float64(SCALE) * parts[name + ".s"]
            sums.append((onto_grid(real) - int(ZERO)) * np.float64(SCALE))
        h = onto_grid(sums[0] + sums[1])
        np.testing.assert_array_equal(got, h)
    assert len(np.unique(found)) > 100


def recurrent_step(op, steps, *, directions=1, lengths=False, batch=2,
                   inputs=3, hidden=4, seed=5):
    """A node of `steps` steps a call with everything it gives, and its parts."""
    random, gates = np.random.default_rng(seed), {"LSTM": 4, "GRU": 3}[op]

    def draw(*shape):
        return (random.standard_normal(shape) * 0.5).astype(np.float32)

    constants = {"W": draw(directions, gates * hidden, inputs),
                 "R": draw(directions, gates * hidden, hidden),
                 "B": draw(directions, 2 * gates * hidden)}
    states = ["h", "c"] if op == "LSTM" else ["h"]
    shape = [directions, batch, hidden]
    node = helper.make_node(
        op, ["X", "W", "R", "B", "lengths" if lengths else "", *states],
        ["Y", *(f"{s}_out" for s in states)], name="cell", hidden_size=hidden,
        direction="bidirectional" if directions == 2 else "forward")
    ins = [tensor("X", [steps, batch, inputs])]
    if lengths:
        ins.append(tensor("lengths", [batch], TensorProto.INT32))
    ins += [tensor(s, shape) for s in states]
    outs = [tensor("Y", [steps, directions, batch, hidden])]
    outs += [tensor(f"{s}_out", shape) for s in states]
    return (model([node], ins, outs, constants.items(), opset=14), constants,
            draw, shape)


@pytest.mark.parametrize("length", [16, 1])
def test_a_sequence_a_call_goes_on_where_the_last_ended(length, steps, places):
    """LSTM; Y_h is the last row of Y: one value, in Y, in the output Y_h and in
    the state, of which a call writes 32 bytes. The same with one step."""
    step, parts, draw, shape = recurrent_step("LSTM", length)
    options = ["--state", "h_out=h", "--state", "c_out=c", "--keep-output",
               "h_out,c_out"]
    found = places(step, *options, "--max-state-copies", "0")
    for name in "h", "c":
        _, written, copied = cost(found[name])
        assert (written, copied) == (32, 0)
    x = draw(STEPS, length, 2, 3)
    ours = steps(step, {"X": x}, *options)
    np.testing.assert_array_equal(ours["Y"][:, -1], ours["h_out"])
    whole = recurrent("LSTM", x.reshape(-1, 2, 3), parts["W"], parts["R"],
                      parts["B"], None, None, None, None)
    np.testing.assert_allclose(ours["Y"].reshape(whole[0].shape), whole[0],
                               rtol=0, atol=2e-5)
    np.testing.assert_allclose(ours["c_out"][-1], whole[2], rtol=0, atol=2e-5)


@pytest.mark.parametrize("length", [16, 1])
def test_every_row_is_written_where_it_belongs(length, state_runner):
    """A row is 2 sequences of 4 floats, 32 bytes. Y has T rows, of which the last
    is in Y_h and in the state as well, and the last c in Y_c and the state: a
    call leaves 32 (T + 2) bytes of h and 64 of c. There is no other copy: no row
    was made elsewhere first. (c is 1 at first: were it 0, the sum that makes it
    would be one of its terms.)"""
    step, _, draw, _ = recurrent_step("LSTM", length)
    options = ["--state", "h_out=h", "--state", "c_out=c:1", "--keep-output",
               "h_out,c_out"]
    written = []

    def watch(stream):
        states = [state["tensor"]["name"] for state in stream.states]
        slots = {name: f"slot {stream.entries[stream.states[i]['current']]}"
                 for i, name in enumerate(states)}
        rows = stream.outputs["Y"].bytes.view(np.float32).reshape(length, 2, 4)
        found = [stream.places_of(row) for row in
                 [*rows, stream.get(states.index("c"))]]
        assert all(places == {"Y": 1} for places in found[:-2])
        assert found[-2] == {"Y": 1, "h_out": 1, slots["h"]: 1}
        assert found[-1] == {"c_out": 1, slots["c"]: 1}
        written.append(sum(32 * sum(places.values()) for places in found))

    state_runner.run_artifact(step, {"X": draw(STEPS, length, 2, 3)}, *options,
                              watch=watch)
    assert written == [32 * (length + 2) + 64] * STEPS


def joins_of(runner, step, *options):
    """What `tally explain` says of joined tensors: (code, tensor, reason)."""
    told = json.loads(runner.command("explain", runner.save(step), *options,
                                     "--only", "join", "--json"))
    return [(d["code"], d.get("edge"), d.get("reason", ""))
            for d in told["decisions"]]


def test_why_a_final_state_is_no_row_is_told(state_runner):
    """GRU in both directions over 5 steps: Y has 10 rows, of which Y_h is the 9th
    and the 2nd; where sequences have lengths, it is none."""
    step = recurrent_step("GRU", 5, directions=2)[0]
    told = joins_of(state_runner, step)
    # 10 rows of Y, and 2 of Y_h, each computed where it belongs.
    assert [code for code, *_ in told if code in ("JOIN-1", "JOIN-2")] == (
        ["JOIN-1"] * 12)
    assert not [code for code, *_ in told if code == "JOIN-5"]
    # As a state that is written over, h is read by the second direction when the
    # first has given its part of the new one, which waits therefore.
    state = ["--state", "h_out=h", "--keep-output", "h_out"]
    told = joins_of(state_runner, step, *state)
    assert [reason for code, _, reason in told if code == "JOIN-2"] == [
        "the old value of the state is read later"]
    step = recurrent_step("GRU", 5, directions=2, lengths=True)[0]
    told = joins_of(state_runner, step)
    [(_, tensor_, reason)] = [d for d in told if d[0] == "JOIN-5"]
    assert tensor_ == "h_out" and "nothing of it is joined in 'Y'" in reason


def test_short_sequences_end_before_the_last_row(steps):
    """GRU in both directions, sequences of 0 to 5 of 5 steps: the state is that
    of the last step of each, forwards, and of the first, backwards; not a row
    of Y."""
    step, parts, draw, shape = recurrent_step("GRU", 5, directions=2,
                                              lengths=True)
    x = draw(STEPS, 5, 2, 3)
    lengths = np.random.default_rng(1).integers(0, 6, (STEPS, 2))
    ours = steps(step, {"X": x, "lengths": lengths.astype(np.int32)},
                 "--state", "h_out=h", "--keep-output", "h_out")
    h = np.zeros(shape, np.float32)
    for t in range(STEPS):
        y, h = recurrent("GRU", x[t], parts["W"], parts["R"], parts["B"],
                         lengths[t], h)[:2]
        np.testing.assert_allclose(ours["Y"][t], y, rtol=0, atol=2e-5)
        np.testing.assert_allclose(ours["h_out"][t], h, rtol=0, atol=2e-5)
        for b, length in enumerate(lengths[t]):
            assert (ours["Y"][t, length:, :, b] == 0).all()


@pytest.mark.parametrize("make", [window_step, context_step])
def test_frame_1000_is_that_of_the_whole_signal(make, state_runner):
    """A history of 2 or 3 frames of 4 channels; a call writes one frame, 16
    bytes, and moves nothing but at the slot's end."""
    step, kernel, options = make(4)
    x = np.random.default_rng(8).integers(-9, 10, (1003, 1, 4, 1))
    found = state_runner.steps(step, {"x": x.astype(np.float32)}, *options)["y"]
    signal = np.concatenate([np.zeros((4, 2)), x[:, 0, :, 0].T], axis=1)
    windows = np.lib.stride_tricks.sliding_window_view(signal, 3, axis=1)
    whole = np.einsum("kcl,ctl->tk", kernel, windows)
    np.testing.assert_array_equal(found[:, 0, :, 0], whole)
    assert state_runner.stream.written["old"] <= 16
    assert state_runner.stream.states[0]["written_bytes"] == 16


def test_codes_of_16_bits_begin_at_their_zero_point(steps, places):
    """s' = s + x on a grid of int16, z = -17: 0 before the first call."""
    grid = [("scale", np.float32(0.01)), ("zero", np.int16(-17))]
    step = model([
        helper.make_node("DequantizeLinear", ["s", "scale", "zero"], ["r"]),
        helper.make_node("Add", ["r", "x"], ["sum"]),
        helper.make_node("QuantizeLinear", ["sum", "scale", "zero"],
                         ["s_out"])],
        [tensor("x", [4]), tensor("s", [4], TensorProto.INT16)],
        [tensor("s_out", [4], TensorProto.INT16)], grid, opset=21)
    options = ["--state", "s_out=s", "--keep-output", "s_out"]
    assert cost(places(step, *options)["s"]) == ("in place", 8, 0)
    x = np.random.default_rng(2).integers(-40, 41, (STEPS, 4))
    found = steps(step, {"x": (x / 100).astype(np.float32)}, *options)["s_out"]
    np.testing.assert_array_equal(found, x.cumsum(axis=0) - 17)


def test_an_output_keeps_its_bytes_when_it_is_read_again(steps):
    """y is an output and the state; what reads it later leaves it alone."""
    step = model([helper.make_node("Add", ["s", "x"], ["y"]),
                  helper.make_node("Relu", ["y"], ["z"]),
                  helper.make_node("Neg", ["z"], ["w"]),
                  helper.make_node("Identity", ["y"], ["s_out"])],
                 [tensor("x", [6]), tensor("s", [6])],
                 [tensor(name, [6]) for name in ("y", "z", "w", "s_out")])
    x = frames(6)
    found = steps(step, {"x": x}, "--state", "s_out=s")
    total = np.zeros(6, np.float32)
    for frame, y, z, w in zip(x, found["y"], found["z"], found["w"]):
        total = total + frame
        np.testing.assert_array_equal(y, total)
        np.testing.assert_array_equal(z, np.maximum(total, 0))
        np.testing.assert_array_equal(w, -np.maximum(total, 0))
