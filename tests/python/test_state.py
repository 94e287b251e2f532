"""States from call to call: compiled code, an artifact in poisoned memory, the
evaluator and NumPy agree.

Additions of floats are exact in all of them, or equally rounded; what has
products is compared between ours bit for bit, and with NumPy within a tolerance.
"""

import json
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from state_models import (STEPS, accumulator, frames, model, running_sum,
                          tensor)


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


@pytest.mark.parametrize("names", [
    [("past_key_values.0.key", "present.0.key"), ("h0", "hn"),
     ("state", "stateN"), ("cached_len_3", "new_cached_len_3"),
     ("conv_in", "conv_out")],
    [("past_key_values.0.key", "present_key_values.0.key"),
     ("past", "present"), ("hx", "hy"), ("initial_c", "Y_c"),
     ("cacheIn", "cacheOut"), ("g_0", "g_n"), ("z_tm1", "z_t"),
     ("c1", "c1_out")]])
def test_inspect_proposes_pairs_by_name_and_type(names, tally, tmp_path):
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
    first, after = names[0]
    assert f"--state {after}={first}" in done.stdout


def test_what_names_do_not_say_is_refused(tally, tmp_path):
    """A pair of other names, or one whose output grows, is none."""
    for name, after, shape, says in [
            ("s", "y", [4], "write --state OUT=IN; outputs: 'y'; inputs: 's'"),
            ("s_in", "s_out", [8], "only caches have names of a pair ('s_in' "
             "and the longer 's_out') [STATE-12]; write --state "
             "proposed:append or proposed:slide")]:
        inputs = [name] * (shape[0] // 4)
        onnx.save(model([helper.make_node("Concat", inputs, [after], axis=0)],
                        [tensor(name, [4])], [tensor(after, shape)]),
                  tmp_path / "step.onnx")
        text = fails(tally, tmp_path / "step.onnx", "--state", "proposed")
        assert "[STATE-12]" in text and says in text, text


def test_codes_begin_as_their_zero_point_wherever_they_are_moved(steps):
    """A history of codes joins the new ones before they are dequantized: it
    begins as real 0, which is the code 5."""
    step = model([helper.make_node("Concat", ["past", "x"], ["all"], axis=0),
                  helper.make_node("DequantizeLinear", ["all", "scale", "zero"],
                                   ["y"]),
                  helper.make_node("Slice", ["all", "from", "to"],
                                   ["past_out"])],
                 [tensor("x", [1], TensorProto.INT8),
                  tensor("past", [2], TensorProto.INT8)],
                 [tensor("y", [3]), tensor("past_out", [2], TensorProto.INT8)],
                 [("scale", np.float32(0.5)), ("zero", np.int8(5)),
                  ("from", np.array([1])), ("to", np.array([3]))])
    found = steps(step, {"x": np.arange(50, dtype=np.int8).reshape(50, 1)},
                  "--state", "past_out=past")["y"]
    np.testing.assert_array_equal(found[:3], np.float32(
        [[0, 0, -2.5], [0, -2.5, -2], [-2.5, -2, -1.5]]))


def test_caches_beside_plain_pairs_are_told_of(tally, tmp_path):
    """Plain pairs are taken; that a cache is left out is said, not silent."""
    onnx.save(model([helper.make_node("Neg", ["h_in"], ["h_out"]),
                     helper.make_node("Concat", ["past", "x"], ["present"],
                                      axis=0)],
                    [tensor("x", [1, 3]), tensor("past", [4, 3]),
                     tensor("h_in", [2])],
                    [tensor("present", [5, 3]), tensor("h_out", [2])]),
              tmp_path / "step.onnx")
    done = subprocess.run([tally, "compile", tmp_path / "step.onnx", "--state",
                           "proposed", "-o", tmp_path / "step.so"],
                          text=True, capture_output=True, check=True)
    assert "h_in: float32 2" in done.stdout
    assert "note: 'past' grow and remain inputs; --state proposed:append" \
        in done.stderr


def test_a_first_value_is_one_of_the_type(tally, tmp_path):
    """The greatest number of 16 bits is 65504; 65520 rounds to infinity."""
    for element, number, isHeld in [
            (TensorProto.FLOAT16, "65504", True),
            (TensorProto.FLOAT16, "65520", False),
            (TensorProto.FLOAT16, "-70000", False),
            (TensorProto.FLOAT, "3.4e38", True),
            (TensorProto.FLOAT, "1e99", False)]:
        onnx.save(model([helper.make_node("Neg", ["s"], ["s_out"])],
                        [tensor("s", [4], element)],
                        [tensor("s_out", [4], element)]),
                  tmp_path / "step.onnx")
        done = subprocess.run([tally, "run", tmp_path / "step.onnx", "--state",
                               f"s_out=s:{number}"], text=True,
                              capture_output=True, check=False)
        assert (done.returncode == 0) == isHeld, done.stderr
        assert isHeld or ("state 's' cannot begin as " + number
                          in done.stderr and "[STATE-8]" in done.stderr)


def test_states_are_compared_where_no_output_is_left(tally, tmp_path):
    """Compiled code and the evaluator: s after three steps."""
    onnx.save(accumulator(), tmp_path / "step.onnx")
    command = [tally, "run", tmp_path / "step.onnx", "--random", "1",
               "--steps", "3", "--state", "s_out=s", "--compare-with", "eval"]
    done = subprocess.run(command, text=True, capture_output=True, check=True)
    assert ("state 's' after the last step: equal bit for bit"
            in done.stdout), done.stdout
    done = subprocess.run([*command, "--json"], text=True, capture_output=True,
                          check=True)
    assert json.loads(done.stdout)["states"] == [{"name": "s",
                                                  "difference": ""}]


def test_onnxruntime_has_no_states(tally, tmp_path):
    onnx.save(accumulator(), tmp_path / "step.onnx")
    done = subprocess.run([tally, "diff", tmp_path / "step.onnx", "--random",
                           "1", "--ref", "onnxruntime", "--state", "s_out=s"],
                          text=True, capture_output=True, check=False)
    assert done.returncode == 2
    assert ("onnxruntime has no states to begin a call with [DIFF-1]; leave "
            "out --state" in done.stderr), done.stderr


def test_a_state_is_no_input_unless_it_is_given(tally, tmp_path):
    onnx.save(accumulator(), tmp_path / "step.onnx")
    text = fails(tally, tmp_path / "step.onnx", "--state", "s_out=s",
                 "--input", "s=random:1")
    assert "'s' is a state" in text and "[RUN-1]" in text
    assert "declare it with --state OUT=s:input" in text
    subprocess.run([tally, "run", tmp_path / "step.onnx", "--random", "1",
                    "--state", "s_out=s:input", "--input", "s=random:1"],
                   check=True, capture_output=True)


def test_steps_that_do_not_fit_say_how_many_there_are(tally, tmp_path):
    onnx.save(accumulator(), tmp_path / "step.onnx")
    np.save(tmp_path / "x.npy", frames(4)[:5])
    for options in [], ["--steps", "6"]:
        done = subprocess.run([tally, "run", tmp_path / "step.onnx", "--state",
                               "s_out=s", "--input", f"x={tmp_path}/x.npy",
                               *options], text=True, capture_output=True,
                              check=False)
        assert done.returncode == 2
        assert ("[RUN-3]; it holds 5 steps: write --steps 5"
                in done.stderr), done.stderr


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
