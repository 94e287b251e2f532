"""DynamicQuantizeLSTM, as onnxruntime's quantizer makes it of an LSTM.

Both sides turn rows into codes of a grid that fits them, and sum integers; what
is left are float roundings. A rounding that moves a value over the middle
between two codes changes a code, so single results may differ by what a code is
worth in a gate: 1 % here. Weights have 7 bits: where the processor lacks VNNI,
onnxruntime's sums of two products of bytes saturate at 16 bits.
"""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

TOLERANCE = 0.01


def float_model(rng, steps, inputs, hidden, directions):
    def floats(name, *shape):
        return numpy_helper.from_array(
            (rng.normal(size=shape) * 0.4).astype(np.float32), name)

    def tensor(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    node = helper.make_node(
        "LSTM", ["x", "W", "R", "B", "", "h"], ["y", "y_h", "y_c"], name="cell",
        hidden_size=hidden,
        direction="bidirectional" if directions == 2 else "forward")
    graph = helper.make_graph(
        [node], "g", [tensor("x", steps, 1, inputs),
                      tensor("h", directions, 1, hidden)],
        [onnx.ValueInfoProto(name=n) for n in ("y", "y_h", "y_c")],
        [floats("W", directions, 4 * hidden, inputs),
         floats("R", directions, 4 * hidden, hidden),
         floats("B", directions, 8 * hidden)])
    return helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 14)])


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("directions", [1, 2])
def test_against_onnxruntime(directions, per_channel, runner):
    rng = np.random.default_rng(directions + 2 * per_channel)
    steps, inputs, hidden = 5, 6, 8
    folder = runner.folder
    onnx.save(float_model(rng, steps, inputs, hidden, directions),
              folder / "float.onnx")
    quantization.quantize_dynamic(
        folder / "float.onnx", folder / "dynamic.onnx",
        op_types_to_quantize=["LSTM"], per_channel=per_channel,
        reduce_range=True)
    model = onnx.load(folder / "dynamic.onnx")
    assert [n.op_type for n in model.graph.node] == ["DynamicQuantizeLSTM"]
    feeds = {"x": rng.normal(size=(steps, 1, inputs)).astype(np.float32),
             "h": rng.normal(size=(directions, 1, hidden)).astype(np.float32)}
    theirs = onnxruntime.InferenceSession(
        model.SerializeToString(),
        providers=["CPUExecutionProvider"]).run(None, feeds)
    ours = runner.run(model, feeds, "--compare-with", "eval")
    for output, value in zip(model.graph.output, theirs):
        np.testing.assert_allclose(ours[output.name], value, rtol=0,
                                   atol=TOLERANCE)
        # Most codes are the same: so is the typical result.
        gap = np.median(np.abs(ours[output.name] - value))
        assert gap < 1e-4
