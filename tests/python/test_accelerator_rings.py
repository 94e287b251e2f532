"""Histories on an accelerator: of the last frames of a stream a call writes the
one that enters, and none of those that stay."""

import numpy as np
import pytest
from accelerator_steps import (GRID, ZERO, coded, codes, floats, model,
                               real, steps, tensor)  # noqa: F401
from onnx import TensorProto, helper
from state_models import newest_context_step, newest_window_step

INT8 = TensorProto.INT8


def slice_nodes(value, result, axis, begin, end):
    """Indices [begin, end) of a dimension, and the constants that say so."""
    names = [f"{result}_{part}" for part in ("from", "to", "axis")]
    node = helper.make_node("Slice", [value, *names], [result])
    return node, list(zip(names, ([begin], [end], [axis])))


def window_step(shape, axis, frames):
    """past' = concat(past without its oldest, x), y = the largest of each."""
    old, new = list(shape), list(shape)
    old[axis], new[axis] = shape[axis], frames
    kept, constants = slice_nodes("past_real", "kept_real", axis, frames,
                                  shape[axis])
    y = [size for d, size in enumerate(shape) if d != axis]
    return model(
        [real("x"), real("past"), kept,
         helper.make_node("Concat", ["kept_real", "x_real"],
                          ["past_out_real"], axis=axis), coded("past_out"),
         helper.make_node("ReduceMax", ["past_out_real"], ["most_real"],
                          axes=[axis], keepdims=0), coded("most")],
        [tensor("x", new, INT8), tensor("past", old, INT8)],
        [tensor("past_out", old, INT8), tensor("most", y, INT8)],
        [*GRID, *constants])


def windows_of(x, axis, length, before=ZERO):
    """For each step the last `length` frames, `before` before the first ones."""
    shape = list(x.shape[1:])
    shape[axis] = length
    past, all_windows = np.full(shape, before, x.dtype), []
    for frame in x:
        past = np.concatenate([past, frame], axis)
        past = np.take(past, range(past.shape[axis] - length,
                                   past.shape[axis]), axis)
        all_windows.append(past)
    return np.stack(all_windows)


@pytest.mark.parametrize("machine", ["edge", "tiny", "wide"])
@pytest.mark.parametrize("shape, axis, frames", [
    ([1, 3, 24], 1, 1),    # a frame is 24 bytes in a row
    ([1, 5, 64], 1, 2),    # frames as long as memory is aligned
    ([1, 12, 7], 2, 1),    # time is innermost: a frame is a byte of each row
    ([2, 3, 4, 5], 2, 2),  # and in the middle
])
def test_only_what_enters_is_written(steps, machine, shape, axis, frames):
    entering = list(shape)
    entering[axis] = frames
    x = codes(*entering)
    ours = steps.run(window_step(shape, axis, frames), {"x": x}, "--state",
                     "past_out=past", machine=machine)
    np.testing.assert_array_equal(
        ours["most"], windows_of(x, axis, shape[axis]).max(axis=axis + 1))
    assert steps.policies() == {"past": "ring"}
    assert steps.written() == {"past": x[0].size}
    assert steps.copied() == {"past": 0}
    assert len(steps.about["slots"]) == 1


def test_a_ring_is_an_output_too(steps):
    x = codes(1, 1, 24)
    ours = steps.run(window_step([1, 3, 24], 1, 1), {"x": x}, "--state",
                     "past_out=past", "--keep-output", "past_out")
    np.testing.assert_array_equal(ours["past_out"], windows_of(x, 1, 3))
    assert steps.written() == {"past": 24}


def test_the_old_value_is_an_output_too(steps):
    step = window_step([1, 3, 24], 1, 1)
    step.graph.node.append(helper.make_node("Identity", ["past"], ["before"]))
    step.graph.output.append(tensor("before", [1, 3, 24], INT8))
    x = codes(1, 1, 24)
    ours = steps.run(step, {"x": x}, "--state", "past_out=past")
    # Returned as plain bytes, and read as codes all the same: it begins as real 0.
    np.testing.assert_array_equal(ours["before"][0], ZERO)
    np.testing.assert_array_equal(ours["before"][1:], windows_of(x, 1, 3)[:-1])
    assert steps.policies() == {"past": "ring"}


def convolution(channels, outputs, frames, history):
    """A convolution of `history` + 1 frames over `frames` + `history`, of codes;
    the weights do not depend on the form."""
    rng = np.random.default_rng(7)
    weights = rng.integers(-128, 128, (outputs, channels, history + 1), np.int8)
    constants = [*GRID, ("w", weights), ("w_scale", np.float32(0.01)),
                 ("y_scale", np.float32(0.2))]
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "w_scale"], ["w_real"]),
        helper.make_node("QuantizeLinear", ["all_real", "scale", "zero"],
                         ["all_codes"]),
        helper.make_node("DequantizeLinear", ["all_codes", "scale", "zero"],
                         ["all_back"]),
        helper.make_node("Conv", ["all_back", "w_real"], ["y_real"]),
        helper.make_node("QuantizeLinear", ["y_real", "y_scale", "zero"],
                         ["y"])]
    return nodes, constants, tensor("y", [1, outputs, frames], INT8)


def streaming_convolution(channels, outputs, frames, history):
    """The context of a convolution: all = concat(past, x), past' = its end."""
    nodes, constants, y = convolution(channels, outputs, frames, history)
    end, slices = slice_nodes("all_real", "past_out_real", 2, frames,
                              frames + history)
    return model(
        [real("x"), real("past"),
         helper.make_node("Concat", ["past_real", "x_real"], ["all_real"],
                          axis=2), *nodes, end, coded("past_out")],
        [tensor("x", [1, channels, frames], INT8),
         tensor("past", [1, channels, history], INT8)],
        [y, tensor("past_out", [1, channels, history], INT8)],
        [*constants, *slices])


def whole_convolution(channels, outputs, length, history):
    """The same over a whole sequence, behind `history` frames of zeros."""
    nodes, constants, y = convolution(channels, outputs, length, history)
    return model([real("all"), *nodes],
                 [tensor("all", [1, channels, length + history], INT8)], [y],
                 constants)


@pytest.mark.parametrize("frames, count", [(1, 1000), (3, 50), (8, 50)])
def test_a_streaming_convolution_equals_the_whole_one(steps, runner, frames,
                                                      count):
    """Of 8 frames that enter 3 are kept, none of the old ones among them: then
    the state is just written over."""
    channels, outputs, history = 8, 16, 3
    x = codes(1, channels, frames, steps=count)
    ours = steps.run(streaming_convolution(channels, outputs, frames, history),
                     {"x": x}, "--state", "past_out=past")
    whole = np.concatenate([np.full((1, channels, history), ZERO), *x], 2)
    expected = runner.run(
        whole_convolution(channels, outputs, frames * count, history),
        {"all": whole}, "--target", "eval")["y"]
    np.testing.assert_array_equal(np.concatenate(list(ours["y"]), 2), expected)
    assert len(np.unique(expected)) > 100
    assert steps.policies() == {
        "past": "ring" if frames <= history else "in place"}
    assert steps.written() == {"past": channels * min(frames, history)}


def test_floats_move_on_as_codes_do(steps):
    kept, constants = slice_nodes("past", "kept", 1, 1, 4)
    step = model(
        [kept, helper.make_node("Concat", ["kept", "x"], ["past_out"], axis=1),
         helper.make_node("ReduceSum", ["past_out", "axes"], ["y"])],
        [tensor("x", [2, 1, 3]), tensor("past", [2, 4, 3])],
        [tensor("past_out", [2, 4, 3]), tensor("y", [2, 1, 3])],
        [*constants, ("axes", [1])])
    steps.run(step, {"x": floats(2, 1, 3)}, "--state", "past_out=past:0.5")
    assert steps.policies() == {"past": "ring"}
    assert steps.written() == {"past": 2 * 3 * 4}


@pytest.mark.parametrize("machine", ["edge", "tiny", "wide"])
@pytest.mark.parametrize("shape, axis, frames", [
    ([1, 3, 24], 1, 1),
    ([1, 5, 64], 1, 2),
    ([1, 12, 7], 2, 1),
    ([2, 3, 4, 5], 2, 2),
])
def test_with_the_newest_first_the_value_moves_down(steps, machine, shape,
                                                    axis, frames):
    """past' = concat(x, past without its oldest)."""
    entering = list(shape)
    entering[axis] = frames
    y = [size for d, size in enumerate(shape) if d != axis]
    kept, constants = slice_nodes("past_real", "kept_real", axis, 0,
                                  shape[axis] - frames)
    step = model(
        [real("x"), real("past"), kept,
         helper.make_node("Concat", ["x_real", "kept_real"],
                          ["past_out_real"], axis=axis), coded("past_out"),
         helper.make_node("ReduceMax", ["past_out_real"], ["most_real"],
                          axes=[axis], keepdims=0), coded("most")],
        [tensor("x", entering, INT8), tensor("past", shape, INT8)],
        [tensor("past_out", shape, INT8), tensor("most", y, INT8)],
        [*GRID, *constants])
    x = codes(*entering)
    ours = steps.run(step, {"x": x}, "--state", "past_out=past",
                     machine=machine)
    # The same from the other end: what enters is the last of a turned window.
    turned = windows_of(np.flip(x, axis + 1), axis, shape[axis])
    np.testing.assert_array_equal(ours["most"], turned.max(axis=axis + 1))
    assert steps.policies() == {"past": "ring"}
    assert steps.written() == {"past": x[0].size}
    assert steps.copied() == {"past": 0}


@pytest.mark.parametrize("make", [newest_window_step, newest_context_step])
def test_the_newest_first_is_read_whole(steps, make):
    """A convolution's past in both forms, of floats, saved in mid-stream."""
    step, kernel, options = make(4, 1, 5)
    step = without_convolution(step)
    x = floats(1, 4, 1)
    whole = steps.run(step, {"x": x}, *options)
    assert steps.policies() == {"old": "ring"}
    assert steps.written() == {"old": 16}
    states = steps.folder / "half.state"
    for split in 7, 8:
        for name, part, more in (("first", x[:split], ["--state-out", states]),
                                 ("second", x[split:], ["--state-in", states])):
            np.save(steps.folder / "part.npy", part)
            steps.command("run", steps.program, "--steps", str(len(part)),
                          "--input", f"x={steps.folder}/part.npy", *more,
                          "--output-dir", steps.folder / name)
        np.testing.assert_array_equal(np.concatenate(
            [steps.arrays(name)["y"] for name in ("first", "second")]),
            whole["y"])


def without_convolution(step):
    """The same with a sum over the frames, as products of floats have no
    commands."""
    conv = next(n for n in step.graph.node if n.op_type == "Conv")
    total = helper.make_node("ReduceSum", [conv.input[0], "two"], ["y"],
                             keepdims=1)
    step.graph.node.remove(conv)
    step.graph.node.append(total)
    kernel = next(c for c in step.graph.initializer if c.name == "K")
    step.graph.initializer.remove(kernel)
    y = next(o for o in step.graph.output if o.name == "y")
    y.CopyFrom(tensor("y", [1, 4, 1]))
    return step


def test_a_slot_is_passed_through_more_than_once(steps):
    """The slot has room for 2 N + k frames: with N = 3 and k = 1 the value is
    back at its beginning every fourth call, so 50 calls pass it 12 times; a
    stream that is saved in the middle goes on from wherever it was."""
    step, x = window_step([1, 3, 24], 1, 1), codes(1, 1, 24)
    whole = steps.run(step, {"x": x}, "--state", "past_out=past")["most"]
    assert steps.about["slots"] == [(2 * 3 + 1) * 64]
    for split in range(1, 9):
        states = steps.folder / "half.state"
        for name, part, options in (
                ("first", x[:split], ["--state-out", states]),
                ("second", x[split:], ["--state-in", states])):
            np.save(steps.folder / "part.npy", part)
            steps.command("run", steps.program, "--steps", str(len(part)),
                          "--input", f"x={steps.folder}/part.npy", *options,
                          "--output-dir", steps.folder / name)
        np.testing.assert_array_equal(np.concatenate(
            [steps.arrays(name)["most"] for name in ("first", "second")]),
            whole)
