"""The harness itself: what becomes a constant, and how the list is judged."""

import numpy as np
import onnx.parser
import onnx.reference
import pytest

import cases
import groups
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
    ("Relu", ""), ("Einsum", "operator:Einsum")])
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


def test_expanded_functions_are_told_by_their_names():
    assert cases.is_expanded("test_celu_expanded")
    assert cases.is_expanded("test_softplus_expanded_ver18")
    assert not cases.is_expanded("test_expand_dim_changed")


def case(name, outside=""):
    return cases.Case(name, None, {}, {}, 0, 0, outside)


def test_expanded_functions_are_scored_apart():
    chosen = [case("a"), case("b"), case("a_expanded"),
              case("c", "operator:X"), case("c_expanded", "operator:Y")]
    failing = {"b": "values", "c": "operator:X"}
    assert str(run.score(chosen, failing, False, outside=False)) == (
        "1 of 2 pass (50.0 %)")
    assert str(run.score(chosen, failing, True, outside=False)) == (
        "1 of 1 pass (100.0 %)")
    assert run.score(chosen, failing, False, outside=True).passed == 0
    assert run.score(chosen, failing, True, outside=True).passed == 1


def test_failures_by_reason():
    failing = {"a": "operator:X", "b": "operator:X", "a_expanded": "values",
               "d": "refused:CPU-1", "d_expanded": "refused:CPU-1",
               "e": "refused:CPU-1"}
    assert run.by_reason(failing) == [
        ("refused by rule CPU-1: no CPU code for the types", 2, 1),
        ("operator X is not on the list", 2, 0),
        ("other values", 0, 1)]


def test_a_refusal_names_the_last_rule():
    text = "error: m.onnx: node 'a[1]': no [2, 3] of it [CPU-1]; try [this]"
    assert run.refusal(text).category == "refused:CPU-1"
    assert run.refusal("no rule").category == "refused"


def test_the_page_counts_what_the_list_holds():
    text = run.page([case("a"), case("b"), case("a_expanded")], 7,
                    {"b": "values"})
    assert "| operators as they are | 2 | 1 | 50.0 % | 0 | 0 |" in text
    assert "| expanded functions | 1 | 1 | 100.0 % | 0 | 0 |" in text
    assert "| other values | 1 | 0 |" in text


def small(name, body, opset=20):
    """A case y = f(x) of two numbers, whose outputs nobody reads here."""
    model = onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["" : {opset}]>\n'
        f"g (float[2] x) => (float[2] y) {{ {body} }}")
    return cases.Case(name, model, {"x": np.float32([1, -2])},
                      {"y": np.float32([0, 0])}, 0, 0, "")


NESTED = """c = Constant <value = bool {1}> ()
    y = If (c) <then_branch = t () => (float[2] a) { a = Relu (x) },
                else_branch = e () => (float[2] b) { b = Neg (x) }>"""


def test_cases_of_one_model_share_no_tensor():
    whole, members = groups.merged([small("relu", "y = Relu(x)"),
                                    small("neg", "t = Abs(x) y = Neg(t)")])
    onnx.checker.check_model(whole.model)
    found = onnx.reference.ReferenceEvaluator(whole.model).run(
        None, whole.inputs)
    named = dict(zip([o.name for o in whole.model.graph.output], found))
    assert [list(named[n]) for m in members for n in m.outputs] == [
        [1, 0], [-1, -2]]  # max(x, 0) and -|x| of 1 and -2
    assert whole.outputs.keys() == named.keys()


def test_groups_have_one_operator_set_and_no_nested_graphs():
    chosen = [small("a", "y = Relu(x)"), small("b", "y = Relu(x)", opset=19),
              small("c", NESTED), small("d", "y = Neg(x)"),
              small("e", "y = Neg(x)")]
    assert [[c.name for c in group] for group in groups.grouped(chosen, 2)
            ] == [["c"], ["a", "d"], ["b"], ["e"]]


@pytest.mark.parametrize("together, alone", [
    (run.Outcome("refused"), ["a", "b"]),  # one of them, or their group
    (None, ["b"])])
def test_what_does_not_pass_together_is_run_alone(monkeypatch, together,
                                                  alone):
    """Together a passes and b differs, where the group runs at all."""
    again = []
    monkeypatch.setattr(run, "execute", lambda *_: together)
    monkeypatch.setattr(run, "compare", lambda case, _: Outcome(
        "values" if "case1_y" in case.outputs else ""))
    monkeypatch.setattr(run, "run", lambda case, _: again.append(
        case.name) or Outcome("", case.name))
    found = run.run_group([small("a", "y = Relu(x)"),
                           small("b", "y = Neg(x)")], None)
    assert again == alone
    assert all(not outcome.category for outcome in found)
