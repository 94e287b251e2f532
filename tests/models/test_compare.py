"""Differences and decisions by hand-made numbers; options that bind."""

import numpy as np
import onnx.parser
import pytest

import binding
import compare


def test_float_outputs_of_dequantize_are_counted_in_steps():
    theirs = {"y": np.float32([0.0, 0.5, -1.0, 2.0])}
    ours = {"y": np.float32([0.0, 0.75, -1.0, 1.5])}
    # In steps of 0.25: 0, 1, 0, 2.
    found = compare.measure(ours, theirs, {"y": 0.25})
    assert (found.codes, found.codes_apart, found.most_steps) == (4, 2, 2)
    assert found.most_float == 0


def test_other_floats_are_counted_as_they_are():
    found = compare.measure({"y": np.float32([1, 2])},
                            {"y": np.float32([1, 2.5])}, {})
    assert (found.codes, found.most_float) == (0, 0.5)


def test_codes_do_not_wrap():
    found = compare.measure({"q": np.uint8([0])}, {"q": np.uint8([255])}, {})
    assert found.most_steps == 255


def test_names_follow_the_files():
    found = compare.measure({"a_0": np.int8([1])}, {"a:0": np.int8([1])}, {})
    assert found.codes_apart == 0


def test_a_nan_on_one_side_is_no_agreement():
    with pytest.raises(SystemExit):
        compare.measure({"y": np.float32([np.nan])},
                        {"y": np.float32([1])}, {})


def test_equal_infinities_and_nans_agree():
    same = np.float32([np.inf, np.nan])
    assert compare.measure({"y": same}, {"y": same}, {}).most_float == 0


def test_ctc_drops_repeats_then_blanks():
    assert compare.collapse([0, 3, 3, 0, 3, 5, 5, 0]) == [3, 3, 5]


def test_threshold_counts_sides():
    ours, theirs = np.float32([0.2, 0.4, 0.9]), np.float32([0.2, 0.2, 0.9])
    # The middle one is on the other side: two of three agree.
    assert compare.decide("threshold", ours, theirs, 0.3) == (
        "66.667% of > 0.3")


MODEL = ('<ir_version: 10, opset_import: ["" : 20]>\n'
         "g (float[N,3] x, float[N] z) => (float[N,3] y) { y = Relu(x) }")


def test_dimensions_are_bound_by_name():
    model = onnx.parser.parse_model(MODEL)
    assert binding.bound_shapes(model, ["--dim", "N=2"]) == {
        "x": [2, 3], "z": [2]}


def test_a_shape_binds_one_input_only():
    model = onnx.parser.parse_model(MODEL)
    with pytest.raises(ValueError, match="z is still open"):
        binding.bound_shapes(model, ["--shape", "x=4x3"])


def test_a_bound_input_is_a_constant():
    options = ["--dim", "N=2", "--bind", "z=1,0.5"]
    model = onnx.parser.parse_model(MODEL)
    assert binding.bound_shapes(model, options) == {"x": [2, 3]}
    binding.bind(model, options)
    (z,) = model.graph.initializer
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(z),
                                  np.float32([1, 0.5]), strict=True)
