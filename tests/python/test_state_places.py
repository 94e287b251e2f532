"""Where states live: policies, and the bytes that a call writes and copies."""

import json
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from state_models import (STEPS, accumulator, context_step, cost, frames,
                          model, newest_context_step, newest_window_step,
                          running_sum, tensor, window_step)


def test_elementwise_updates_are_in_place_and_stored_twice(places):
    step, keep = accumulator(), ["--keep-output", "s_out"]
    # One kernel stores 4 floats to the state and to the output: 16 bytes each.
    assert cost(places(step, "--state", "s_out=s", *keep,
                       "--max-state-copies", "0")["s"]) == ("in place", 16, 0)


def test_what_hinders_a_state_in_place_is_named(places):
    weights = np.eye(4, dtype=np.float32)
    step = model([helper.make_node("MatMul", ["h", "W"], ["h_out"],
                                   name="recurrence")],
                 [tensor("h", [1, 4])], [tensor("h_out", [1, 4])],
                 [("W", weights)])
    state = places(step, "--state", "h_out=h:1")["h"]
    assert cost(state) == ("flip", 16, 0)
    assert "'recurrence' reads elements" in state["reason"]
    late = model([helper.make_node("Add", ["s", "x"], ["s_out"], name="update"),
                  helper.make_node("MatMul", ["s", "W"], ["m"], name="late"),
                  helper.make_node("MatMul", ["s_out", "m"], ["y"])],
                 [tensor("x", [4, 4]), tensor("s", [4, 4])],
                 [tensor("y", [4, 4]), tensor("s_out", [4, 4])],
                 [("W", weights)])
    # `late` does not need the update, which waits for it.
    assert cost(places(late, "--state", "s_out=s")["s"]) == ("in place", 64, 0)
    both = model([helper.make_node("Add", ["s", "x"], ["s_out"], name="update"),
                  helper.make_node("MatMul", ["s_out", "s"], ["y"],
                                   name="both")],
                 [tensor("x", [4, 4]), tensor("s", [4, 4])],
                 [tensor("y", [4, 4]), tensor("s_out", [4, 4])])
    state = places(both, "--state", "s_out=s")["s"]
    assert cost(state) == ("flip", 64, 0)
    assert state["reason"] == ("'both' reads the old value after 'update' "
                               "wrote the new one")


def test_input_as_new_value_is_a_copy_that_can_be_refused(places, tally,
                                                          tmp_path):
    step = model([helper.make_node("Identity", ["x"], ["last_out"]),
                  helper.make_node("Sub", ["x", "last"], ["y"], name="delta")],
                 [tensor("x", [4]), tensor("last", [4])],
                 [tensor("last_out", [4]), tensor("y", [4])])
    state = places(step, "--state", "last_out=last")["last"]
    assert cost(state) == ("flip", 16, 16)
    done = subprocess.run(
        [tally, "compile", tmp_path / "step.onnx", "--state", "last_out=last",
         "--max-state-copies", "0", "-o", tmp_path / "no.so"],
        text=True, capture_output=True, check=False)
    assert done.returncode == 4
    assert "'last': a call copies the state, and no more than 0 may be" in done.stderr
    assert ("the value is the input 'x', which 'Identity_0' hands on "
            "[STATE-10]") in done.stderr


def test_exchange_and_keep_write_nothing(places):
    step = model([helper.make_node("Identity", ["b"], ["a_out"]),
                  helper.make_node("Identity", ["a"], ["b_out"]),
                  helper.make_node("Identity", ["k"], ["k_out"]),
                  helper.make_node("Sum", ["a", "b", "k"], ["y"])],
                 [tensor(name, [4]) for name in "abk"],
                 [tensor(name, [4]) for name in
                  ("a_out", "b_out", "k_out", "y")])
    found = places(step, "--state", "proposed")
    assert cost(found["a"]) == cost(found["b"]) == ("exchange", 0, 0)
    assert cost(found["k"]) == ("keep", 0, 0)


def test_two_states_in_place_of_one_value(steps, places):
    """a' = b' = a + x: one kernel, three stores, no copy."""
    step = model([helper.make_node("Add", ["a", "x"], ["v"]),
                  helper.make_node("Identity", ["v"], ["w"])],
                 [tensor(name, [4]) for name in "xab"],
                 [tensor(name, [4]) for name in ("v", "w")])
    options = ["--state", "v=a", "--state", "w=b", "--keep-output", "v,w"]
    found = places(step, *options, "--max-state-copies", "0")
    assert cost(found["a"]) == cost(found["b"]) == ("in place", 16, 0)
    x = frames(4)
    outputs = steps(step, {"x": x}, *options)
    np.testing.assert_array_equal(outputs["v"], running_sum(x))
    np.testing.assert_array_equal(outputs["w"], running_sum(x))


def test_select_leaves_a_state_as_it_was(steps, places):
    step = model([helper.make_node("Where", ["take", "x", "s"], ["s_out"])],
                 [tensor("take", [1], TensorProto.BOOL), tensor("x", [4]),
                  tensor("s", [4])], [tensor("s_out", [4])])
    options = ["--state", "s_out=s", "--keep-output", "s_out"]
    assert cost(places(step, *options)["s"]) == ("in place", 16, 0)
    x = frames(4)
    take = np.random.default_rng(5).integers(0, 2, (STEPS, 1)).astype(bool)
    found = steps(step, {"x": x, "take": take}, *options)["s_out"]
    value = np.zeros(4, np.float32)
    for frame, taken, got in zip(x, take, found):
        value = frame if taken[0] else value
        np.testing.assert_array_equal(got, value)


@pytest.mark.parametrize("make", [window_step, context_step])
@pytest.mark.parametrize("channels, entering, length",
                         [(1, 1, 3), (4, 1, 3), (4, 2, 5), (3, 1, 8)])
def test_history_of_a_convolution_slides(steps, places, make, channels,
                                         entering, length):
    """A call writes the frames that enter; all frames equal a run over all."""
    step, kernel, options = make(channels, entering, length)
    state = places(step, *options)["old"]
    assert cost(state) == ("ring", 4 * channels * entering, 0)
    # Small integers, so that every order of additions gives the same.
    x = np.random.default_rng(7).integers(-9, 10, (STEPS, 1, channels, entering))
    found = steps(step, {"x": x.astype(np.float32)}, *options)["y"]
    signal = np.concatenate([np.zeros((channels, length)),
                             *(frame[0] for frame in x)], axis=1)
    for t, got in enumerate(found):
        window = signal[:, (t + 1) * entering:][:, :length]
        expected = (kernel * window).sum(axis=(1, 2))
        np.testing.assert_array_equal(got[0, :, 0], expected)


@pytest.mark.parametrize("make", [newest_window_step, newest_context_step])
@pytest.mark.parametrize("channels, entering, length",
                         [(1, 1, 3), (4, 1, 3), (4, 2, 5), (3, 1, 8)])
def test_history_with_the_newest_first_slides_down(steps, places, make,
                                                   channels, entering, length):
    """As above, seen from the other end: what enters comes first."""
    step, kernel, options = make(channels, entering, length)
    state = places(step, *options, "--max-state-copies", "0")["old"]
    assert cost(state) == ("ring", 4 * channels * entering, 0)
    assert state["advance"] == -4 * entering
    x = np.random.default_rng(7).integers(-9, 10, (STEPS, 1, channels, entering))
    found = steps(step, {"x": x.astype(np.float32)}, *options)["y"]
    window = np.zeros((channels, length))
    for frame, got in zip(x, found):
        window = np.concatenate([frame[0], window], axis=1)[:, :length]
        expected = (kernel * window).sum(axis=(1, 2))
        np.testing.assert_array_equal(got[0, :, 0], expected)


def test_history_that_is_an_output_too_is_kept_whole(steps):
    step, _, options = window_step(3)
    x = frames(1, 3, 1)
    found = steps(step, {"x": x}, *options, "--keep-output", "new")["new"]
    signal = np.concatenate([np.zeros((3, 3), np.float32),
                             *(frame[0] for frame in x)], axis=1)
    for t, got in enumerate(found):
        np.testing.assert_array_equal(got[0], signal[:, t + 1:t + 4])


def test_old_history_read_late_is_no_ring(places, steps):
    step = model([
        helper.make_node("Slice", ["old", "one", "three", "two"], ["kept"]),
        helper.make_node("Concat", ["kept", "x"], ["new"], axis=2),
        helper.make_node("Mul", ["new", "old"], ["y"], name="late"),
    ], [tensor("x", [1, 2, 1]), tensor("old", [1, 2, 3])],
       [tensor("y", [1, 2, 3]), tensor("new", [1, 2, 3])],
       [("one", np.array([1])), ("two", np.array([2])),
        ("three", np.array([3]))])
    assert places(step, "--state", "new=old")["old"]["policy"] == "flip"
    x = frames(1, 2, 1)
    found = steps(step, {"x": x}, "--state", "new=old")["y"]
    old = np.zeros((2, 3), np.float32)
    for frame, got in zip(x, found):
        new = np.concatenate([old[:, 1:], frame[0]], axis=1)
        np.testing.assert_array_equal(got[0], new * old)
        old = new


def test_cache_of_keys_gets_one_row(steps, places):
    """A cache of fixed capacity: the position is an input of the model."""
    step = model([
        helper.make_node("ScatterND", ["cache", "at", "row"], ["cache_out"]),
        helper.make_node("ReduceSum", ["cache_out", "axes"], ["total"],
                         keepdims=0),
    ], [tensor("row", [1, 4]), tensor("at", [1, 1], TensorProto.INT64),
        tensor("cache", [64, 4])],
       [tensor("total", [4]), tensor("cache_out", [64, 4])],
       [("axes", np.array([0]))])
    options = ["--state", "cache_out=cache"]
    assert cost(places(step, *options)["cache"]) == ("in place", 16, 0)
    row = np.random.default_rng(8).integers(-9, 10, (STEPS, 1, 4))
    found = steps(step, {"row": row.astype(np.float32),
                         "at": np.arange(STEPS).reshape(STEPS, 1, 1)},
                  *options)
    np.testing.assert_array_equal(found["total"],
                                  row[:, 0].cumsum(axis=0))


def test_explain_lists_every_state(tally, tmp_path):
    step, _, options = window_step(4)
    onnx.save(step, tmp_path / "step.onnx")
    done = subprocess.run([tally, "explain", tmp_path / "step.onnx", *options,
                           "--only", "state", "--json"], text=True,
                          capture_output=True, check=True)
    [decision] = json.loads(done.stdout)["decisions"]
    assert decision["node"] == "old"
    assert decision["code"] == "SLOT-2"
    # 4 channels of 3 floats; the slot has 4 bytes for the step, and room for
    # 48 bytes twice: 48 / 4 + 1 calls until the value moves back.
    assert decision["reason"] == (
        "ring: 48 bytes in 100; a call writes 16 and copies none; the value "
        "moves once in 13 calls")
    assert decision["facts"] == {
        "Class": "persistent", "Policy": "ring", "Bytes": "48",
        "Memory": "100", "Written": "16", "Copied": "0"}
