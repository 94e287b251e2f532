"""Integer operators equal onnxruntime's kernels bit for bit.

Under --numerics=onnxruntime, on x86, every operator alone over random shapes,
scales and zero points, on the evaluator and on the CPU. ConvInteger on int8
has no onnxruntime kernel.
"""

import numpy as np
import onnxruntime as ort
import pytest

import single_node

SEEDS = range(3)
CASES = [(op, dtype) for op in single_node.MAKERS for dtype in ("uint8", "int8")
         if (op, dtype) != ("ConvInteger", "int8")]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("op,dtype", CASES)
def test_equals_onnxruntime(runner, op, dtype, seed):
    rng = np.random.default_rng([seed, len(op), dtype == "int8"])
    model, inputs = single_node.MAKERS[op](rng, dtype)
    options = ort.SessionOptions()
    options.graph_optimization_level = \
        ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options,
                                   providers=["CPUExecutionProvider"])
    expected = session.run(["y"], inputs)[0]
    for target in ("eval", "cpu"):
        found = runner.run(model, inputs, "--target", target,
                           "--numerics", "onnxruntime")["y"]
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected, err_msg=target)
