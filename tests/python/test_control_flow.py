"""If, Loop and Scan: copies of their graphs give what onnxruntime gives.

The models are exact (elementwise on small numbers), so results are equal bit for
bit, on the evaluator and as native code.
"""

import subprocess

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'
X = {"x": np.float32([1, -2, 3])}


def parse(text):
    return onnx.parser.parse_model(HEAD + text)


def agrees(runner, text, feeds, *options, bound=None):
    """`bound`: inputs that the options make constants."""
    model = parse(text)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    wanted = session.run(None, {name: np.asarray(value) for name, value in
                                {**feeds, **(bound or {})}.items()})
    ours = runner.run(model, feeds, "--compare-with", "eval", *options)
    for output, value in zip(model.graph.output, wanted):
        np.testing.assert_array_equal(ours[output.name], value, strict=True)


def refusal(runner, text, *options):
    path = runner.folder / "model.onnx"
    onnx.save(parse(text), path)
    done = subprocess.run([str(runner.command), "inspect", str(path), *options],
                          text=True, capture_output=True, check=False)
    return done.stdout + done.stderr


# --- If --------------------------------------------------------------------

RATE = """
g (float[3] x, int64 rate) => (float[A] y, float[3] kept) {
  wanted = Constant <value = int64 {16000}> ()
  fits = Equal (rate, wanted)
  y, kept = If (fits) <
    then_branch = t () => (float[3] a, float[3] x2) {
      a = Add (x, x)  x2 = Neg (a) },
    else_branch = e () => (float[2] b, float[3] x3) {
      begin = Constant <value = int64[1] {0}> ()
      end = Constant <value = int64[1] {2}> ()
      b = Slice (x, begin, end)  x3 = Abs (x) }>
}"""


@pytest.mark.parametrize("rate", [16000, 8000])
def test_a_bound_input_decides(rate, runner):
    agrees(runner, RATE, X, "--bind", f"rate={rate}",
           bound={"rate": np.int64(rate)})


def test_branches_of_two_types_need_a_bound_input(runner):
    text = refusal(runner, RATE)
    assert "FLOW-2" in text and "--bind" in text


def test_a_branch_not_taken_may_hold_anything(runner):
    text = """
g (float[2,2] x, bool c) => (float[2,2] y) {
  y = If (c) <
    then_branch = t () => (float[2,2] a) { a = Neg (x) },
    else_branch = e () => (float[2,2] b) { d = Det (x)  b = Mul (x, d) }>
}"""
    agrees(runner, text, {"x": np.float32([[1, 2], [3, 4]])}, "--bind",
           "c=true", bound={"c": np.bool_(True)})
    assert "Det (1)" in refusal(runner, text, "--bind", "c=false")


@pytest.mark.parametrize("condition", [False, True])
def test_the_run_decides(condition, runner):
    agrees(runner, """
g (float[3] x, bool[1] c) => (float[3] y, int64 z) {
  y, z = If (c) <
    then_branch = t () => (float[3] a, int64 n) {
      a = Add (x, x)  n = Constant <value = int64 {1}> () },
    else_branch = e () => (float[3] b, int64 m) {
      b = Identity (x)  m = Constant <value = int64 {2}> () }>
}""", {**X, "c": np.array([condition])})


def test_large_branches_are_not_computed_in_vain(runner):
    chain = "\n".join(f"a{i + 1} = Neg (a{i})" for i in range(256))
    text = refusal(runner, f"""
g (float[3] x, bool c) => (float[3] y) {{
  y = If (c) <
    then_branch = t () => (float[3] a256) {{ a0 = Abs (x)
{chain} }},
    else_branch = e () => (float[3] b) {{ b = Identity (x) }}>
}}""")
    assert "FLOW-2" in text and "258 nodes" in text


# --- Loop ------------------------------------------------------------------

# s grows by x and the counter in each step; every step's s is stacked; w gets
# longer by one each time.
GROWING = """
g (float[3] x, int64 n) => (float[3] s, float[W] w, float[T,3] all) {
  none = Constant <value = bool {1}> ()
  first = Constant <value = float[1] {7}> ()
  zero = Sub (x, x)
  s, w, all = Loop (n, none, zero, first) <
    body = b (int64 i, bool go, float[3] sum, float[V] word)
        => (bool on, float[3] next, float[U] longer, float[3] shown) {
      on = Identity (go)
      f = Cast <to = 1> (i)
      more = Add (x, f)
      next = Add (sum, more)
      axes = Constant <value = int64[1] {0}> ()
      letter = Unsqueeze (f, axes)
      longer = Concat <axis = 0> (word, letter)
      shown = Neg (next) }>
}"""


@pytest.mark.parametrize("count", [1, 4])
def test_a_loop_of_a_known_length(count, runner):
    agrees(runner, GROWING, X, "--bind", f"n={count}",
           bound={"n": np.int64(count)})


def test_an_unknown_length_is_refused(runner):
    text = refusal(runner, GROWING)
    assert "FLOW-3" in text and "--bind" in text


WHILE = """
g (float[3] x) => (float[3] y) {
  true = Constant <value = bool {1}> ()
  one = Constant <value = int64 {1}> ()
  y, last = Loop ("", true, x, one) <
    body = b (int64 i, bool go, float[3] v, int64 k)
        => (bool on, float[3] v2, int64 k2) {
      limit = Constant <value = int64 {LIMIT}> ()
      two = Constant <value = int64 {2}> ()
      k2 = Mul (k, two)
      v2 = Add (v, v)
      on = Less (k2, limit) }>
}"""


def test_a_condition_that_folds_ends_a_loop(runner):
    agrees(runner, WHILE.replace("LIMIT", "60"), X)  # 2, 4, .., 64


def test_a_loop_without_end_is_refused(runner):
    text = refusal(runner, WHILE.replace("two = Constant <value = int64 {2}>",
                                         "two = Constant <value = int64 {0}>")
                   .replace("LIMIT", "60"))
    assert "FLOW-4" in text and "65536" in text


EARLY = """
g (float[3] x, float bound) => (float[3] y, int64 steps) {
  n = Constant <value = int64 {6}> ()
  true = Constant <value = bool {1}> ()
  none = Constant <value = int64 {0}> ()
  y, steps = Loop (n, true, x, none) <
    body = b (int64 i, bool go, float[3] v, int64 k)
        => (bool on, float[3] v2, int64 k2) {
      one = Constant <value = int64 {1}> ()
      k2 = Add (k, one)
      v2 = Add (v, v)
      most = ReduceMax <keepdims = 0> (v2)
      on = Less (most, bound) }>
}"""


@pytest.mark.parametrize("bound", [0, 10, 1000])
def test_the_run_may_end_a_loop_early(bound, runner):
    agrees(runner, EARLY, {**X, "bound": np.float32(bound)})


def test_a_loop_that_does_not_run(runner):
    agrees(runner, """
g (float[3] x) => (float[3] y, int64[2] shape) {
  n = Constant <value = int64 {0}> ()
  true = Constant <value = bool {1}> ()
  y, none = Loop (n, true, x) <
    body = b (int64 i, bool go, float[3] v)
        => (bool on, float[3] v2, float[2] part) {
      on = Identity (go)  v2 = Neg (v)
      part = Constant <value = float[2] {1, 2}> () }>
  shape = Shape (none)
}""", X)


COUNTED = """
g (float[3] x, bool early, int64[2] two) => (float[3] y, float[A,3] all) {
  TRIP
  true = Constant <value = bool {1}> ()
  y, all = Loop (n, true, x) <
    body = b (int64 i, bool go, float[3] v) => (CONDITION on, float[3] next,
                                                float[3] shown) {
      on = Identity (early)
      next = NEXT
      shown = Identity (v) }>
}"""


@pytest.mark.parametrize("trip, condition, step, says", [
    # Both numbers of the count, then a condition that is none.
    ("n = Constant <value = int64[2] {1, 1}> ()", "bool", "Neg (v)",
     "the trip count is not one number"),
    ("n = Constant <value = int64 {2}> ()", "float[3]", "Neg (v)",
     "the condition is float32[3], not one boolean"),
    # Nothing can be stacked for a number of steps that the run decides.
    ("n = Constant <value = int64 {2}> ()", "bool", "Neg (v)",
     "the condition of step 1 is known only when the network runs")])
def test_how_often_must_be_clear(trip, condition, step, says, runner):
    text = COUNTED.replace("TRIP", trip).replace("CONDITION", condition)
    if condition != "bool":
        text = text.replace("Identity (early)", "Identity (v)")
    message = refusal(runner, text.replace("NEXT", step))
    assert says in message and "FLOW-3" in message


def test_what_the_run_may_end_keeps_its_types(runner):
    text = refusal(runner, EARLY.replace(
        "v2 = Add (v, v)", "v2 = Concat <axis = 0> (v, v)"))
    assert "a carried value changes its type" in text and "FLOW-3" in text


def test_what_is_stacked_has_one_type(runner):
    """v is a float in the first step and an integer in the second one."""
    text = refusal(runner, """
g (float[3] x) => (int64[3] y, float[2,3] all) {
  n = Constant <value = int64 {2}> ()
  true = Constant <value = bool {1}> ()
  y, all = Loop (n, true, x) <
    body = b (int64 i, bool go, float[3] v) => (bool on, int64[3] next,
                                                float[3] shown) {
      on = Identity (go)
      next = Cast <to = 7> (v)
      shown = Identity (v) }>
}""")
    assert "different types to one output" in text and "FLOW-6" in text


def test_a_carried_value_has_an_output(runner):
    text = refusal(runner, """
g (float[3] x) => (float[3] y) {
  n = Constant <value = int64 {2}> ()
  y = Loop (n, "", x, x) <
    body = b (int64 i, bool go, float[3] v, float[3] w)
        => (bool on, float[3] v2) { on = Identity (go)  v2 = Neg (v) }>
}""")
    assert "2 carried values, but 1 outputs" in text and "FLOW-5" in text


def test_graphs_in_graphs(runner):
    """The counters of both loops decide; the inner body reads the outer one's
    values and the main graph's."""
    agrees(runner, """
g (float[3] x) => (float[3] y, float[2,2,3] all) {
  two = Constant <value = int64 {2}> ()
  true = Constant <value = bool {1}> ()
  y, all = Loop (two, true, x) <
    body = b (int64 i, bool go, float[3] v)
        => (bool on, float[3] v2, float[2,3] part) {
      on = Identity (go)
      v2, part = Loop (two, true, v) <
        body = c (int64 j, bool go2, float[3] w)
            => (bool on2, float[3] w2, float[3] shown) {
          on2 = Identity (go2)
          same = Equal (i, j)
          w2 = If (same) <
            then_branch = t () => (float[3] a) { a = Add (w, v) },
            else_branch = e () => (float[3] d) { d = Sub (w, x) }>
          shown = Neg (w2) }> }>
}""", X)


# --- Scan ------------------------------------------------------------------


def test_scan_along_its_axes(runner):
    agrees(runner, """
g (float[2,3] x, float[4,2] z, float[2] s)
    => (float[2] t, float[2,3] sums, float[3,1] firsts) {
  t, sums, firsts = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0],
      scan_input_directions = [0, 1], scan_output_axes = [1, 0],
      scan_output_directions = [1, 0],
      body = b (float[2] state, float[2] column, float[2] row)
          => (float[2] next, float[2] sum, float[1] first) {
        sum = Add (column, row)
        next = Add (state, sum)
        zero = Constant <value = int64[1] {0}> ()
        first = Gather (next, zero) }> (s, x, zz)
  begin = Constant <value = int64[1] {0}> ()
  end = Constant <value = int64[1] {3}> ()
  zz = Slice (z, begin, end)
}""", {"x": np.float32(np.arange(6).reshape(2, 3)),
       "z": np.float32(np.arange(8).reshape(4, 2) * 10),
       "s": np.float32([100, 200])})


def test_scanned_inputs_have_one_length(runner):
    text = refusal(runner, """
g (float[2] x, float[3] z) => (float[2] y) {
  y = Scan <num_scan_inputs = 2,
      body = b (float a, float c) => (float d) { d = Add (a, c) }> (x, z)
}""")
    assert "FLOW-7" in text


@pytest.mark.parametrize("attributes, says", [
    ("num_scan_inputs = 3", "num_scan_inputs is 3, with 1 inputs [FLOW-5]"),
    ("num_scan_inputs = 1, scan_input_axes = [0, 1]",
     "scan_input_axes and scan_input_directions need 1 entries [FLOW-7]"),
    ("num_scan_inputs = 1, scan_input_axes = [2]",
     "dimension 2 of a scanned input of shape 2x2 does not exist [FLOW-7]")])
def test_scan_attributes_fit(attributes, says, runner):
    text = refusal(runner, """
g (float[2,2] x) => (float[2,2] y) {
  y = Scan <ATTRIBUTES,
      body = b (float[2] a) => (float[2] d) { d = Neg (a) }> (x)
}""".replace("ATTRIBUTES", attributes))
    head, rule = says.split(" [")
    assert head in text and rule[:-1] in text


# --- --bind ----------------------------------------------------------------


@pytest.mark.parametrize("value, says", [
    ("rate=1,2", "2 numbers to an input of 1 elements"),
    ("rate=fast", "'fast' is no int64 value"),
    ("rate=1.5", "'1.5' is no int64 value"),
    ("x=1,2,1e39", "'1e39' is no float32 value")])
def test_a_bound_value_must_fit(value, says, runner):
    text = refusal(runner, RATE, "--bind", value)
    assert says in text and "IMP-12" in text


def test_a_bound_input_exists(runner):
    assert "IMP-2" in refusal(runner, RATE, "--bind", "pace=1")
