"""The harness itself: what becomes a constant, and how the list is judged."""

import onnx.parser
import pytest

import cases
import run
from run import Outcome


def fixing(body, inputs):
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 20]>\n'
        f"g ({inputs}) => (float[N] y) {{ {body} }}")
    return cases.shape_fixing_inputs(model.graph)


def test_reshape_takes_its_shape_but_not_its_data():
    assert fixing("y = Reshape(x, s)",
                  "float[6] x, int64[1] s") == {"s"}


def test_a_shape_is_followed_back_through_arithmetic():
    # s reaches Reshape as Cast(s) + one; both are needed to know the shape.
    assert fixing("c = Cast<to = 7>(s) t = Add(c, one) y = Reshape(x, t)",
                  "float[6] x, int32[1] s, int64[1] one") == {"s", "one"}


def test_the_shape_of_an_input_does_not_need_its_values():
    # Only z's extents enter the result's shape.
    assert fixing("t = Shape(z) y = Reshape(x, t)",
                  "float[6] x, float[2,3] z") == set()


def test_pad_value_stays_a_run_time_input():
    assert fixing("y = Pad(x, p, v)",
                  "float[6] x, int64[2] p, float v") == {"p"}


@pytest.mark.parametrize("operator, reason", [
    ("Relu", ""), ("Celu", "operator:Celu")])
def test_unlisted_operators_put_a_test_outside(operator, reason):
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 20]>\n'
        f"g (float[2] x) => (float[2] y) {{ y = {operator}(x) }}")
    assert cases.why_outside(model) == reason


def test_judging_a_run():
    outcomes = {
        "fails_listed": Outcome("values"),
        "fails_unlisted": Outcome("values", "at (0,) 1 instead of 2"),
        "passes_listed": Outcome(""),
        "passes": Outcome(""),
        "crashes_listed": Outcome("crash", "status -11"),
        "hangs_listed": Outcome("hang"),
    }
    listed = dict.fromkeys(
        ["fails_listed", "passes_listed", "crashes_listed", "hangs_listed"],
        "values")
    assert [name for name, _ in run.judge(outcomes, listed)] == [
        "crashes_listed", "fails_unlisted", "hangs_listed", "passes_listed"]


def test_updating_only_takes_names_out(tmp_path):
    path = tmp_path / "list.txt"
    before = {"fixed": "values", "still": "values", "gone": "values",
              "not_run": "shape"}
    run.write_list(path, before)
    outcomes = {"fixed": Outcome(""), "still": Outcome("refused"),
                "new": Outcome("values")}
    existing = {"fixed", "still", "new", "not_run"}
    run.update(path, outcomes, run.read_list(path), existing)
    assert run.read_list(path) == {"still": "refused", "not_run": "shape"}


def test_the_first_list_takes_all_failures_but_crashes(tmp_path):
    path = tmp_path / "list.txt"
    outcomes = {"good": Outcome(""), "bad": Outcome("values"),
                "crash": Outcome("crash")}
    run.update(path, outcomes, {}, set(outcomes))
    assert run.read_list(path) == {"bad": "values"}
