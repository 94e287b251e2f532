"""Caches that get rows in each call, from models whose `present` is `past` and
more: a fixed capacity and a number of rows, in place of tensors that grow.

The oracles: onnxruntime, which is handed the growing tensors of each call, and
the same step compiled anew for each number of rows. The softmax of rows that
are not there is exactly 0, and 0 in sums that go from the first row to the last
changes no bit.
"""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from conftest import in_turn
from decoder_steps import Decoder
from state_models import model, tensor

FORMS = {
    "float": {},
    "one head": {"heads": 1, "width": 3},
    "fewer heads in the cache": {"heads": 4, "cached": 2},
    "keys across": {"keys_across": True},
    "keys across, fewer heads": {"heads": 4, "cached": 2, "keys_across": True},
    "quantized": {"quantized": True},
    "quantized, fewer heads": {"quantized": True, "heads": 4, "cached": 1},
    "codes in the cache": {"quantized": True, "stored_codes": True},
    "codes in the cache of a float model": {"stored_codes": True},
    "the length is counted": {"position": True},
}


def by_onnxruntime(decoder, step, x, masks=None):
    """y of every step; the caches are handed on, one row longer each time."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = onnxruntime.InferenceSession(
        step.SerializeToString(), options, providers=["CPUExecutionProvider"])
    past, results = decoder.empty(), []
    for t, frame in enumerate(x):
        inputs = {"x": frame, **past}
        if masks is not None:
            inputs["mask"] = masks[t][..., :(t + 1) * decoder.enters]
        y, key, value = session.run(["y", "present.key", "present.value"],
                                    inputs)
        past = {"past.key": key, "past.value": value}
        results.append(y)
    return np.stack(results), past


def in_use(cache, rows, axis):
    return np.take(cache, range(rows), axis=axis)


@pytest.mark.parametrize("form", FORMS)
def test_a_cache_grows_to_its_capacity(form, steps):
    decoder, capacity = Decoder(3, **FORMS[form]), 24
    step, x = decoder.make(), decoder.frames(capacity)
    ours = steps(step, {"x": x}, *decoder.options(capacity))
    theirs, _ = by_onnxruntime(decoder, step, x)
    # Codes may fall on either side of a tie; a code is 0.04 of a real number.
    tolerance = 0.05 if decoder.quantized or decoder.codes else 1e-5
    np.testing.assert_allclose(ours["y"], theirs, rtol=0, atol=tolerance)
    assert np.abs(theirs).max() > 0.5


@pytest.mark.parametrize("form", FORMS)
def test_it_is_the_step_for_so_many_rows(form, steps, state_runner):
    """Bit for bit what the model gives when it is handed the rows alone."""
    decoder, capacity, target = Decoder(4, **FORMS[form]), 9, "eval"
    step, x = decoder.make(), decoder.frames(9)
    ours = steps(step, {"x": x}, *decoder.options(capacity),
                 "--keep-output", "present.key,present.value")
    axis = 3 if decoder.across else 2
    for rows in 1, 2, 5, 8:  # before the call
        past = {name: in_use(ours[f"present.{name[5:]}"][rows - 1], rows,
                             axis if name == "past.key" else 2)
                for name in ("past.key", "past.value")}
        alone = state_runner.run(step, {"x": x[rows], **past}, "--dim",
                                 f"past={rows}", target=target, count=1)
        np.testing.assert_array_equal(ours["y"][rows], alone["y"][0],
                                      strict=True)
        for name in "key", "value":
            whole = ours[f"present.{name}"][rows]
            np.testing.assert_array_equal(
                in_use(whole, rows + 1, axis if name == "key" else 2),
                alone[f"present.{name}"][0], strict=True)


@pytest.mark.parametrize("form, row_bytes",
                         [("float", 32), ("fewer heads in the cache", 32),
                          ("keys across", 32), ("codes in the cache", 8)])
def test_a_call_writes_one_row(form, row_bytes, state_runner):
    """2 heads of 4 elements, wherever they stand; the poisoned artifact's bytes
    that change in a call are as many at most."""
    decoder = Decoder(5, **FORMS[form])
    step, options = decoder.make(), decoder.options(16)
    found = state_runner.places(step, *options, "--max-state-copies", "0")
    for name in "past.key", "past.value":
        assert (found[name]["policy"], found[name]["written_bytes"],
                found[name]["copied_bytes"]) == ("in place", row_bytes, 0)
    state_runner.steps(step, {"x": decoder.frames(12)}, *options)
    stream = state_runner.stream
    assert 0 < stream.written["past.key"] <= row_bytes
    names = [state["tensor"]["name"] for state in stream.states]
    assert stream.get(names.index("past.key.rows")) == 12
    # Rows behind the twelfth are as they were before the first call.
    axis = 3 if decoder.across else 2
    rest = np.take(stream.get(names.index("past.key")), range(12, 16), axis)
    assert len(np.unique(rest)) == 1


def test_no_room_is_an_error_before_anything_is_written(state_runner):
    decoder = Decoder(6)
    step = decoder.make()
    inputs, options = {"x": decoder.frames(5)}, decoder.options(4)
    for target, says in [
            ("cpu", "in step 5 of 5: state 'past.key.rows' is 4; a call can "
                    "begin with 0 to 3: a cache has no room for another one "
                    "[RUN-24]"),
            ("eval", "state 'past.key.rows' is 4; a call can begin with 0 to "
                     "3 [EVAL-4]")]:
        np.savez(state_runner.folder / "inputs.npz", **inputs)
        text, status = state_runner.fails(
            step, *options, "--target", target, command=(
                "run", "--steps", "5", "--input",
                state_runner.folder / "inputs.npz"))
        assert status == 2
        assert says in text


def test_saved_rows_go_on(state_runner):
    decoder = Decoder(7)
    step, x, options = decoder.make(), decoder.frames(10), decoder.options(12)
    whole = state_runner.run(step, {"x": x}, *options)["y"]
    saved = state_runner.folder / "6.state"
    for first, second in ("cpu", "eval"), ("eval", "cpu"):
        state_runner.run(step, {"x": x[:6]}, *options, "--state-out", saved,
                         target=first)
        rest = state_runner.run(step, {"x": x[6:]}, *options, "--state-in",
                                saved, target=second)["y"]
        np.testing.assert_array_equal(rest, whole[6:])


@pytest.mark.parametrize("form, how", in_turn(
    ["float", "keys across", "quantized", "codes in the cache"],
    ["append", "slide"]))
def test_rows_that_are_not_there_may_be_any_finite_numbers(form, how,
                                                           state_runner):
    """Set by hand in mid-stream: 3 rows, and the largest numbers in the others,
    whose products with anything above 1 are infinite."""
    decoder, capacity = Decoder(14, **FORMS[form]), 8
    step, x = decoder.make(), decoder.frames(8)
    options = decoder.options(capacity, how)

    def goes_on(noise):
        def watch(stream):
            names = [state["tensor"]["name"] for state in stream.states]
            if stream.get(names.index("past.key.rows")) != 3:
                return
            for name in "past.key", "past.value":
                value = stream.get(names.index(name)).copy()
                axis = 3 if decoder.across and name == "past.key" else 2
                rows = value.shape[axis]
                others = range(3, rows) if how == "append" else range(rows - 3)
                places = [slice(None)] * axis + [list(others)]
                value[tuple(places)] = noise
                stream.set(names.index(name), value)
        return state_runner.run_artifact(step, {"x": x}, *options,
                                         watch=watch)["y"]

    largest = 127 if decoder.codes else np.finfo(np.float32).max
    assert np.isfinite(goes_on(largest)).all()
    np.testing.assert_array_equal(goes_on(largest), goes_on(-largest))
    np.testing.assert_array_equal(goes_on(largest), goes_on(0))


def test_several_rows_a_call(steps):
    """Two rows enter; which of them sees which is a constant of the sequence's
    end, so that the cache slides."""
    decoder, capacity = Decoder(8, enters=2), 14
    step, x = decoder.make(), decoder.frames(6)
    ours = steps(step, {"x": x}, *decoder.options(capacity, "slide"))
    theirs, _ = by_onnxruntime(decoder, step, x)
    np.testing.assert_allclose(ours["y"], theirs, rtol=0, atol=1e-5)


@pytest.mark.parametrize("form", ["float", "fewer heads in the cache",
                                  "quantized"])
def test_a_sliding_cache_forgets_the_oldest(form, steps, places):
    """Of 30 steps each sees the last 8 at most; the ring writes one row."""
    decoder = Decoder(9, **FORMS[form])
    step, x = decoder.make(), decoder.frames(30)
    options = decoder.options(8, "slide")
    ours = steps(step, {"x": x}, *options)["y"]
    for t in range(30):
        last = x[max(t - 7, 0):t + 1]
        theirs, _ = by_onnxruntime(decoder, step, last)
        np.testing.assert_allclose(
            ours[t], theirs[-1], rtol=0,
            atol=0.05 if decoder.quantized else 1e-5)
    found = places(step, *options)
    for name in "past.key", "past.value":
        assert (found[name]["policy"], found[name]["written_bytes"],
                found[name]["copied_bytes"]) == ("ring", 32, 0)


def test_a_mask_of_the_callers(steps):
    """An input with an entry for each row: those of rows that are not there do
    not count, whatever they are."""
    decoder, capacity = Decoder(10, mask=True), 10
    step, x = decoder.make(), decoder.frames(10)
    masks = np.where(decoder.rng.random((10, 1, 1, 1, 10)) < 0.3, -1e4,
                     0).astype(np.float32)
    masks[..., 0] = 0
    noisy = masks.copy()
    for t in range(10):
        noisy[t, ..., t + 1:] = 1e30
    theirs, _ = by_onnxruntime(decoder, step, x, masks)
    ours = steps(step, {"x": x, "mask": noisy}, *decoder.options(capacity))
    np.testing.assert_allclose(ours["y"], theirs, rtol=0, atol=1e-5)


@pytest.mark.parametrize("operator, empty", [("ReduceSum", 0),
                                             ("ReduceMax", -np.inf),
                                             ("ReduceMin", np.inf)])
def test_sums_pass_over_rows_that_are_not_there(operator, empty, steps):
    axes = {"axes": [0]} if operator != "ReduceSum" else {}
    operands = ["present"] if axes else ["present", "axes"]
    step = model([helper.make_node("Concat", ["past", "x"], ["present"],
                                   axis=0),
                  helper.make_node("Add", ["present", "one"], ["more"]),
                  helper.make_node(operator, ["more", *operands[1:]], ["y"],
                                   keepdims=0, **axes)],
                 [tensor("x", [1, 3]), tensor("past", ["n", 3])],
                 [tensor("y", [3]), tensor("present", ["m", 3])],
                 [("one", np.float32(1)), ("axes", np.array([0]))])
    x = -1.0 - np.random.default_rng(1).integers(0, 50, (8, 1, 3))
    if operator == "ReduceMin":
        x = -x
    ours = steps(step, {"x": x.astype(np.float32)}, "--dim", "n=8", "--state",
                 "present=past:append")["y"]
    reduce = {"ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min}
    for t in range(8):
        expected = reduce[operator](x[:t + 1, 0] + 1, axis=0, initial=empty)
        np.testing.assert_array_equal(ours[t], expected)


def test_what_is_computed_of_rows_that_are_not_there_may_be_infinite(steps):
    """Shares of 1 / present, which is infinite where there is no row: a share of
    0 of it would be no number."""
    step = model([helper.make_node("Concat", ["past", "x"], ["present"],
                                   axis=0),
                  helper.make_node("Transpose", ["present"], ["across"]),
                  helper.make_node("MatMul", ["x", "across"], ["scores"]),
                  helper.make_node("Softmax", ["scores"], ["shares"], axis=-1),
                  helper.make_node("Reciprocal", ["present"], ["inverse"]),
                  helper.make_node("MatMul", ["shares", "inverse"], ["y"])],
                 [tensor("x", [1, 3]), tensor("past", ["n", 3])],
                 [tensor("y", [1, 3]), tensor("present", ["m", 3])])
    x = np.random.default_rng(2).uniform(0.5, 2, (6, 1, 3)).astype(np.float32)
    ours = steps(step, {"x": x}, "--dim", "n=5", "--state",
                 "present=past:append")["y"]
    for t in range(6):
        rows = x[:t + 1, 0].astype(np.float64)
        weights = np.exp(rows @ x[t, 0])
        np.testing.assert_allclose(
            ours[t, 0], weights / weights.sum() @ (1 / rows), rtol=1e-5)


def refused_step(nodes, inputs=(), outputs=(), constants=()):
    return model([helper.make_node("Concat", ["past", "x"], ["present"],
                                   axis=0), *nodes],
                 [tensor("x", [1, 3]), tensor("past", ["n", 3]), *inputs],
                 [tensor("present", ["m", 3]), *outputs], constants)


REFUSED = {
    "a mean over the rows": (refused_step(
        [helper.make_node("ReduceMean", ["present"], ["y"], axes=[0],
                          name="mean")], outputs=[tensor("y", [1, 3])]),
        "node 'mean'", "GROW-6"),
    "the rows in another order": (refused_step(
        [helper.make_node("Slice", ["present", "from", "to", "axis", "step"],
                          ["y"], name="turn")],
        outputs=[tensor("y", ["m", 3])],
        constants=[("from", np.array([-1])), ("to", np.array([-99])),
                   ("axis", np.array([0])), ("step", np.array([-1]))]),
        "node 'turn'", "GROW-"),
    "the past is read otherwise": (refused_step(
        [helper.make_node("Neg", ["past"], ["y"])],
        outputs=[tensor("y", ["n", 3])]), "'past'", "GROW-5"),
    "rows before the past": (model(
        [helper.make_node("Concat", ["x", "past"], ["present"], axis=0)],
        [tensor("x", [1, 3]), tensor("past", ["n", 3])],
        [tensor("present", ["m", 3])]), "'past'", "GROW-5"),
    "a table for each length": (refused_step(
        [helper.make_node("Shape", ["past"], ["size"]),
         helper.make_node("Gather", ["size", "zero"], ["length"]),
         helper.make_node("Cast", ["length"], ["real"], to=TensorProto.FLOAT),
         helper.make_node("Sqrt", ["real"], ["root"], name="root"),
         helper.make_node("Add", ["root", "x"], ["y"])],
        outputs=[tensor("y", [1, 3])], constants=[("zero", np.array(0))]),
        "root", "GROW-3"),
    # Constant for 3, 4 and 5 rows of the past, and another one for 2.
    "the smaller of the length and a bound": (refused_step(
        [helper.make_node("Shape", ["past"], ["size"]),
         helper.make_node("Gather", ["size", "zero"], ["length"]),
         helper.make_node("Min", ["length", "three"], ["bounded"],
                          name="bounded"),
         helper.make_node("Cast", ["bounded"], ["real"],
                          to=TensorProto.FLOAT),
         helper.make_node("Add", ["real", "x"], ["y"])],
        outputs=[tensor("y", [1, 3])],
        constants=[("zero", np.array(0)), ("three", np.array(3))]),
        "", "GROW-3"),
    "a shape of its own for each length": (refused_step(
        [helper.make_node("Shape", ["past"], ["size"]),
         helper.make_node("Concat", ["two zeros", "size"], ["pads"], axis=0),
         helper.make_node("Pad", ["x", "pads"], ["padded"], name="pad"),
         helper.make_node("ReduceSum", ["padded"], ["y"], keepdims=0)],
        outputs=[tensor("y", [])],
        constants=[("two zeros", np.array([0, 0]))]), "node 'pad'", "GROW-1"),
    "a mask for half of the rows": (refused_step(
        [helper.make_node("Identity", ["half"], ["y"], name="same")],
        inputs=[tensor("half", ["n", 1])], outputs=[tensor("y", ["n", 1])]),
        "'half' has 5 of 6 rows", "GROW-6"),
    "ones for the past, zeros for what enters": (refused_step(
        [helper.make_node("Shape", ["past"], ["size"]),
         helper.make_node("ConstantOfShape", ["size"], ["zeros"]),
         helper.make_node("Add", ["zeros", "one"], ["ones"]),
         helper.make_node("Concat", ["ones", "last"], ["mask"], axis=0,
                          name="mask"),
         helper.make_node("Mul", ["mask", "present"], ["y"])],
        outputs=[tensor("y", ["m", 3])],
        constants=[("one", np.float32(1)),
                   ("last", np.zeros((1, 3), np.float32))]), "", "GROW-"),
    "two sizes grow": (refused_step(
        [helper.make_node("Transpose", ["present"], ["across"]),
         helper.make_node("MatMul", ["present", "across"], ["y"],
                          name="all pairs")],
        outputs=[tensor("y", ["m", "m"])]), "node 'all pairs'", "GROW-2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_meaning_for_fewer_rows_is_refused(case, state_runner):
    step, node, rule = REFUSED[case]
    text, status = state_runner.fails(step, "--dim", "n=5", "--state",
                                      "present=past:append")
    assert node in text and f"[{rule}" in text, text
    assert status == 4


def test_what_is_no_cache_is_refused(state_runner):
    step = refused_step([helper.make_node("Neg", ["x"], ["y"])],
                        outputs=[tensor("y", [1, 3])])
    for options, rule, exit_status in [
        (["--dim", "n=2", "--state", "present=past:append"], "GROW-7", 2),
        (["--dim", "n=5", "--state", "present=x:append"], "GROW-7", 2),
        (["--dim", "n=5", "--state", "y=past:append"], "GROW-4", 2),
        (["--dim", "n=5", "--state", "y=x:append"], "GROW-4", 2),
        (["--dim", "n=5", "--state", "present=past:grow"], "CLI-3", 2),
    ]:
        text, status = state_runner.fails(step, *options)
        assert f"[{rule}]" in text and status == exit_status, text


def test_caches_are_of_one_kind_and_get_as_many_rows(state_runner):
    step = model(
        [helper.make_node("Concat", ["past", "x"], ["present"], axis=0),
         helper.make_node("Concat", ["old", "x", "x"], ["new"], axis=0)],
        [tensor("x", [1, 3]), tensor("past", ["n", 3]), tensor("old", ["n", 3])],
        [tensor("present", ["m", 3]), tensor("new", ["k", 3])])
    for pair, rule, says in [
            ("new=old:slide", "GROW-8", "some caches append and others slide"),
            ("new=old:append", "GROW-4", "gets 2 rows to 5, 'past' 1 to 5")]:
        text, status = state_runner.fails(
            step, "--dim", "n=5", "--state", "present=past:append", "--state",
            pair)
        assert says in text and f"[{rule}]" in text and status == 2, text


def test_inspect_proposes_caches(state_runner):
    decoder = Decoder(11)
    path = state_runner.save(decoder.make())
    text = state_runner.command("inspect", path)
    assert "(--state proposed:append takes them all)" in text
    assert "--state present.key=past.key:append" in text
    onnx.load(path)
