"""QuantizeLinear divides in the scale's type, or in float32 where `precision`
says so: every half as numpy divides it, on evaluator and CPU."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
HALVES = HALVES[np.isfinite(HALVES)]


def quantize_model(x, scale, **attributes):
    kinds = {np.dtype("float16"): TensorProto.FLOAT16,
             np.dtype("float32"): TensorProto.FLOAT}
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"],
                            name="node", **attributes)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info("x", kinds[x.dtype], x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.INT8, None)],
        [numpy_helper.from_array(np.asarray(scale), "s"),
         numpy_helper.from_array(np.int8(3), "z")])
    return helper.make_model(graph, ir_version=10,
                             opset_imports=[helper.make_opsetid("", 23)])


CASES = {
    "half": (np.float16, np.float16, {}, np.float16),
    "half-input": (np.float16, np.float32, {}, np.float32),
    "half-scale": (np.float32, np.float16, {}, np.float16),
    "in-float": (np.float16, np.float16, {"precision": TensorProto.FLOAT},
                 np.float32),
}


@pytest.mark.parametrize("target", ["eval", "cpu"])
@pytest.mark.parametrize("case", CASES)
def test_every_half(runner, case, target):
    input_type, scale_type, attributes, division = CASES[case]
    x, scale = HALVES.astype(input_type), scale_type(0.1)
    found = runner.run(quantize_model(x, scale, **attributes), {"x": x},
                       "--target", target)["y"]
    with np.errstate(over="ignore"):
        quotient = x.astype(division) / division(scale)
    expected = np.clip(np.rint(quotient.astype(np.float64)) + 3, -128, 127)
    np.testing.assert_array_equal(found, expected.astype(np.int8))
