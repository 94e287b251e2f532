"""States from call to call: the compiled code, the evaluator and NumPy agree.

Each model is a step in ONNX; the oracle carries the state by hand, every value
in an array of its own. Additions of floats are exact in all three, or equally
rounded; what has products is compared between the compiled code and the
evaluator bit for bit, and with NumPy within a tolerance.
"""

import json
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

STEPS = 50


def tensor(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "step", inputs, outputs, [
        numpy_helper.from_array(array, name) for name, array in constants])
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made


@pytest.fixture
def steps(tally, tmp_path):
    """Runs a model for many steps; returns the outputs, stacked."""

    def run(step, inputs, *options):
        onnx.save(step, tmp_path / "step.onnx")
        np.savez(tmp_path / "inputs.npz", **inputs)
        count = len(next(iter(inputs.values()))) if inputs else STEPS
        results = {}
        for target in "cpu", "eval":
            folder = tmp_path / target
            command = [tally, "run", tmp_path / "step.onnx", "--steps",
                       str(count), "--target", target, "--output-dir", folder,
                       "--input", tmp_path / "inputs.npz", *options]
            done = subprocess.run(command, text=True, capture_output=True,
                                  check=False)
            assert done.returncode == 0, done.stderr
            results[target] = {path.stem: np.load(path)
                               for path in folder.iterdir()}
        assert results["cpu"].keys() == results["eval"].keys()
        for name, found in results["cpu"].items():
            np.testing.assert_array_equal(found, results["eval"][name],
                                          strict=True)
        return results["cpu"]

    return run


@pytest.fixture
def places(tally, tmp_path):
    """Compiles a model; returns what each state costs, by its name."""

    def run(step, *options):
        onnx.save(step, tmp_path / "step.onnx")
        command = [tally, "compile", tmp_path / "step.onnx", "--json", "-o",
                   tmp_path / "step.so", *options]
        done = subprocess.run(command, text=True, capture_output=True,
                              check=False)
        assert done.returncode == 0, done.stderr
        states = json.loads(done.stdout)["interface"]["states"]
        return {state["tensor"]["name"]: state for state in states}

    return run


def cost(state):
    return state["policy"], state["written_bytes"], state["copied_bytes"]


def frames(*shape, seed=1):
    generator = np.random.default_rng(seed)
    return generator.standard_normal((STEPS, *shape)).astype(np.float32)


def accumulator(*more):
    return model([helper.make_node("Add", ["s", "x"], ["s_out"]), *more],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("s_out", [4])])


def running_sum(x, start=0):
    total, sums = np.full(x.shape[1:], start, np.float32), []
    for frame in x:
        total = total + frame
        sums.append(total)
    return np.stack(sums)


def test_accumulator_is_state_and_output(steps):
    x = frames(4)
    found = steps(accumulator(), {"x": x}, "--state", "s_out=s",
                  "--keep-output", "s_out")
    np.testing.assert_array_equal(found["s_out"], running_sum(x))


def test_initial_value_is_a_number_a_file_or_an_input(steps, tmp_path):
    x = frames(4)
    found = steps(accumulator(), {"x": x}, "--state", "s_out=s:2.5",
                  "--keep-output", "s_out")
    np.testing.assert_array_equal(found["s_out"], running_sum(x, 2.5))
    start = np.arange(4, dtype=np.float32)
    np.save(tmp_path / "start.npy", start)
    found = steps(accumulator(), {"x": x}, "--state",
                  f"s_out=s:@{tmp_path}/start.npy", "--keep-output", "s_out")
    np.testing.assert_array_equal(found["s_out"], running_sum(x, start))
    found = steps(accumulator(), {"x": x, "s": start}, "--state",
                  "s_out=s:input", "--keep-output", "s_out")
    np.testing.assert_array_equal(found["s_out"], running_sum(x, start))


def test_old_value_stays_old_in_an_output(steps):
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"]),
                  helper.make_node("Identity", ["s"], ["old"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("old", [4]), tensor("s_out", [4])])
    x = frames(4)
    found = steps(step, {"x": x}, "--state", "s_out=s")
    assert found.keys() == {"old"}
    sums = running_sum(x)
    np.testing.assert_array_equal(found["old"][0], np.zeros(4))
    np.testing.assert_array_equal(found["old"][1:], sums[:-1])
    both = steps(step, {"x": x}, "--state", "s_out=s", "--keep-output",
                 "s_out")
    np.testing.assert_array_equal(both["s_out"], sums)
    np.testing.assert_array_equal(both["old"][1:], sums[:-1])


def test_recurrent_product_reads_the_old_value_to_its_end(steps):
    weights = np.random.default_rng(2).standard_normal((8, 8)) / 3
    weights = weights.astype(np.float32)
    step = model([helper.make_node("MatMul", ["h", "W"], ["hw"]),
                  helper.make_node("Add", ["hw", "x"], ["sum"]),
                  helper.make_node("Tanh", ["sum"], ["h_out"])],
                 [tensor("x", [1, 8]), tensor("h", [1, 8])],
                 [tensor("h_out", [1, 8])], [("W", weights)])
    x = frames(1, 8)
    found = steps(step, {"x": x}, "--state", "proposed", "--keep-output",
                  "h_out")
    h = np.zeros((1, 8))
    for frame, got in zip(x, found["h_out"]):
        h = np.tanh(h @ weights.astype(np.float64) + frame)
        np.testing.assert_allclose(got, h, atol=1e-4)


def test_state_that_is_turned_over_itself(steps):
    step = model([helper.make_node("Transpose", ["s"], ["turned"]),
                  helper.make_node("Add", ["turned", "x"], ["s_out"]),
                  helper.make_node("Transpose", ["t"], ["t_out"])],
                 [tensor(name, [8, 8]) for name in "xst"],
                 [tensor(name, [8, 8]) for name in ("s_out", "t_out")])
    x = frames(8, 8)
    found = steps(step, {"x": x, "t": np.float32(x[0])}, "--state",
                  "s_out=s", "--state", "t_out=t:input", "--keep-output",
                  "s_out,t_out")
    s, t = np.zeros((8, 8), np.float32), x[0]
    for frame, got_s, got_t in zip(x, found["s_out"], found["t_out"]):
        s, t = s.T + frame, t.T
        np.testing.assert_array_equal(got_s, s)
        np.testing.assert_array_equal(got_t, t)


def test_swapped_states_come_back_after_two_steps(steps):
    step = model([helper.make_node("Identity", ["b"], ["a_out"]),
                  helper.make_node("Identity", ["a"], ["b_out"]),
                  helper.make_node("Sub", ["a", "b"], ["y"]),
                  helper.make_node("Identity", ["a"], ["now"])],
                 [tensor("a", [4]), tensor("b", [4])],
                 [tensor("y", [4]), tensor("now", [4]), tensor("a_out", [4]),
                  tensor("b_out", [4])])
    found = steps(step, {}, "--state", "a_out=a:1.5", "--state",
                  "b_out=b:-2")
    expected = np.where(np.arange(STEPS) % 2 == 0, 1.5, -2)
    np.testing.assert_array_equal(found["now"][:, 0], expected)
    np.testing.assert_array_equal(found["y"][:, 0],
                                  np.where(np.arange(STEPS) % 2, -3.5, 3.5))


def test_chain_of_states_delays(steps):
    """c' = b, b' = a, a' = x: the slots go round, one frame is written."""
    step = model([helper.make_node("Identity", ["x"], ["a_out"]),
                  helper.make_node("Identity", ["a"], ["b_out"]),
                  helper.make_node("Identity", ["b"], ["c_out"]),
                  helper.make_node("Identity", ["c"], ["y"])],
                 [tensor(name, [4]) for name in "xabc"],
                 [tensor(name, [4])
                  for name in ("a_out", "b_out", "c_out", "y")])
    x = frames(4)
    found = steps(step, {"x": x}, "--state", "proposed")
    np.testing.assert_array_equal(found["y"][:3], np.zeros((3, 4)))
    np.testing.assert_array_equal(found["y"][3:], x[:-3])


def test_kept_state_stays(steps):
    step = model([helper.make_node("Identity", ["k"], ["k_out"]),
                  helper.make_node("Mul", ["k", "x"], ["y"])],
                 [tensor("x", [4]), tensor("k", [4])],
                 [tensor("k_out", [4]), tensor("y", [4])])
    x = frames(4)
    found = steps(step, {"x": x}, "--state", "k_out=k:3")
    np.testing.assert_array_equal(found["y"], x * np.float32(3))


def test_one_value_for_two_states_and_an_output(steps):
    step = model([helper.make_node("Add", ["a", "x"], ["v"]),
                  helper.make_node("Identity", ["v"], ["w"]),
                  helper.make_node("Sub", ["a", "b"], ["difference"])],
                 [tensor(name, [4]) for name in "xab"],
                 [tensor(name, [4]) for name in ("v", "w", "difference")])
    x = frames(4)
    found = steps(step, {"x": x}, "--state", "v=a", "--state", "w=b",
                  "--keep-output", "v")
    np.testing.assert_array_equal(found["v"], running_sum(x))
    np.testing.assert_array_equal(found["difference"], np.zeros((STEPS, 4)))


def test_zero_is_the_zero_point_of_codes(steps):
    """int8 at the interface; every reader takes it on one grid."""
    grid = [("scale", np.float32(0.25)), ("zero", np.int8(-17))]
    step = model([
        helper.make_node("DequantizeLinear", ["s", "scale", "zero"], ["r"]),
        helper.make_node("DequantizeLinear", ["x", "scale", "zero"], ["q"]),
        helper.make_node("Add", ["r", "q"], ["sum"]),
        helper.make_node("QuantizeLinear", ["sum", "scale", "zero"], ["s_out"]),
    ], [tensor("x", [4], TensorProto.INT8), tensor("s", [4], TensorProto.INT8)],
       [tensor("s_out", [4], TensorProto.INT8)], grid)
    x = np.random.default_rng(3).integers(-30, 0, (STEPS, 4), np.int8)
    found = steps(step, {"x": x}, "--state", "s_out=s", "--keep-output",
                  "s_out")
    code = np.full(4, -17)
    for frame, got in zip(x, found["s_out"]):
        code = np.clip(code + frame.astype(int) + 17, -128, 127)
        np.testing.assert_array_equal(got, code)


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
    assert "'last': more than 0 states are copied" in done.stderr
    assert "the new value is an input [STATE-10]" in done.stderr


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


def convolution_over(name, channels, length):
    kernel = np.random.default_rng(6).integers(-3, 4, (2, channels, length))
    return (helper.make_node("Conv", [name, "K"], ["y"], name="conv"),
            ("K", kernel.astype(np.float32)))


def window_step(channels, entering=1, length=3):
    """new = concat(old[k:], x); the layer reads new."""
    conv, kernel = convolution_over("new", channels, length)
    step = model([helper.make_node("Slice", ["old", "k", "n", "two"], ["kept"]),
                  helper.make_node("Concat", ["kept", "x"], ["new"], axis=2),
                  conv],
                 [tensor("x", [1, channels, entering]),
                  tensor("old", [1, channels, length])],
                 [tensor("y", [1, 2, 1]), tensor("new", [1, channels, length])],
                 [kernel, ("k", np.array([entering])), ("n", np.array([length])),
                  ("two", np.array([2]))])
    return step, kernel[1], ["--state", "new=old"]


def context_step(channels, entering=1, length=3):
    """all = concat(old, x), which the layer reads; new = all[k:]."""
    conv, kernel = convolution_over("all", channels, length)
    step = model([helper.make_node("Concat", ["old", "x"], ["all"], axis=2),
                  helper.make_node("Slice", ["all", "k", "n", "two"], ["new"]),
                  conv],
                 [tensor("x", [1, channels, entering]),
                  tensor("old", [1, channels, length - entering])],
                 [tensor("y", [1, 2, 1]),
                  tensor("new", [1, channels, length - entering])],
                 [kernel, ("k", np.array([entering])), ("n", np.array([length])),
                  ("two", np.array([2]))])
    return step, kernel[1], ["--state", "new=old"]


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
    assert decision["reason"] == ("48 bytes in 100; a call writes 16 and moves "
                                  "the value once in 13 calls")


def test_inspect_proposes_pairs_by_name_and_type(tally, tmp_path):
    names = [("past_key_values.0.key", "present.0.key"), ("h0", "hn"),
             ("state", "stateN"), ("cached_len_3", "new_cached_len_3"),
             ("conv_in", "conv_out")]
    nodes = [helper.make_node("Neg", [before], [after])
             for before, after in names]
    nodes.append(helper.make_node("Neg", ["input"], ["output"]))
    nodes.append(helper.make_node("ReduceSum", ["old_x"], ["new_x"]))
    step = model(nodes, [tensor(name, [2]) for name, _ in names]
                 + [tensor("input", [2]), tensor("old_x", [2])],
                 [tensor(name, [2]) for _, name in names]
                 + [tensor("output", [2]), tensor("new_x", [1])])
    onnx.save(step, tmp_path / "step.onnx")
    done = subprocess.run([tally, "inspect", tmp_path / "step.onnx", "--json"],
                          text=True, capture_output=True, check=True)
    proposed = json.loads(done.stdout)["proposed_states"]
    assert [(pair["input"], pair["output"]) for pair in proposed] == names
    done = subprocess.run([tally, "inspect", tmp_path / "step.onnx"],
                          text=True, capture_output=True, check=True)
    assert "--state present.0.key=past_key_values.0.key" in done.stdout


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


def fails(tally, path, *options):
    done = subprocess.run([tally, "run", path, "--random", "1", *options],
                          text=True, capture_output=True, check=False)
    assert done.returncode == 2, done.stdout
    return done.stderr


def test_refusals_name_what_is_wrong(tally, tmp_path):
    path = tmp_path / "step.onnx"
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"]),
                  helper.make_node("Cast", ["n"], ["wide"], to=7),
                  helper.make_node("Abs", ["n"], ["n_out"]),
                  helper.make_node("ReduceSum", ["s"], ["total"])],
                 [tensor("x", [4]), tensor("s", [4]),
                  tensor("n", [2], TensorProto.INT8)],
                 [tensor("s_out", [4]), tensor("total", [1]),
                  tensor("n_out", [2], TensorProto.INT8),
                  tensor("wide", [2], TensorProto.INT64)])
    onnx.save(step, path)
    for options, text in [
        (["--state", "s_out=t"], "no input 't' [STATE-5]; inputs: 'x', 's'"),
        (["--state", "out=s"], "no output 'out' [STATE-5]; outputs: 's_out'"),
        (["--state", "total=s"], "[STATE-6]"),
        (["--state", "wide=n"], "[STATE-6]"),
        (["--state", "s_out=s", "--state", "s_out=s"], "twice [STATE-7]"),
        (["--state", "s_out"], "names no pair [CLI-3]"),
        (["--state", "s_out=s:high"], "cannot begin as 'high' [CLI-3]"),
        (["--state", "s_out=s", "--keep-output", "total"], "[STATE-9]"),
        (["--state", "n_out=n:300"], "'n' cannot begin as 300"),
        (["--state", "n_out=n:1.5"], "elements are int8 [STATE-8]"),
        (["--steps", "0"], "--steps takes a number from 1"),
    ]:
        assert text in fails(tally, path, *options)
