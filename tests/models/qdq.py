"""A builder of calibrated QDQ graphs with seeded random weights.

The graph is written and run at the same time: each operator is executed by
onnxruntime on the dequantized values of its inputs as soon as it is added,
its weights are rescaled so that its output keeps a chosen deviation, and the
output's scale and zero point are chosen from what came out. So a deep random
network neither dies out nor explodes, and later layers are calibrated on the
codes that earlier layers really give.

Quantization is the usual one: activations per tensor with a zero point
(int8 or uint8), weights int8 symmetric per output channel, biases int32 with
the scale fl32(x_scale * weight_scale[c]).
"""

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
KINDS = {"s8": np.int8, "u8": np.uint8}
# Ranges leave out this share of the elements at each end, so saturation
# happens but stays rare.
TAIL = 0.0002


class Value:
    """A float tensor of the graph: its name, what it held, its code grid."""

    def __init__(self, name, data, scale=None, zero=None):
        self.name = name
        self.data = data
        self.scale = scale
        self.zero = zero


class Builder:
    """Collects nodes and initializers of one QDQ graph."""

    def __init__(self, name, kind, seed):
        self.name = name
        self.kind = KINDS[kind]
        self.rng = np.random.default_rng(seed)
        self.nodes = []
        self.initializers = []
        self.inputs = []
        self.feeds = {}  # what each graph input held during calibration

    # --- plumbing ---

    def constant(self, name, array):
        array = np.asarray(array)
        self.initializers.append(numpy_helper.from_array(array, name))
        return Value(name, array)

    def op(self, kind, name, values, **attributes):
        """Add an operator and run it on what its inputs hold."""
        node = helper.make_node(kind, [v.name for v in values],
                                [name + ".out"], name=name, **attributes)
        self.nodes.append(node)
        return Value(node.output[0], execute(node, values))

    def input(self, name, data):
        """A quantized graph input that holds `data`."""
        self.feeds[name] = data
        self.inputs.append(helper.make_tensor_value_info(
            name, TensorProto.FLOAT, data.shape))
        return self.quantized(Value(name, data))

    def model(self, output):
        """The finished model; `output` becomes its only output."""
        value = helper.make_tensor_value_info(
            output.name, TensorProto.FLOAT, output.data.shape)
        graph = helper.make_graph(self.nodes, self.name, self.inputs,
                                  [value], self.initializers)
        model = helper.make_model(
            graph, ir_version=IR_VERSION, producer_name="tally-tests",
            opset_imports=[helper.make_opsetid("", OPSET)])
        model = onnx.shape_inference.infer_shapes(model)
        onnx.checker.check_model(model, full_check=True)
        return model

    # --- quantization ---

    def grid(self, data):
        """Scale and zero point that cover all but the tails of `data`."""
        low, high = np.quantile(data, [TAIL, 1 - TAIL])
        low, high = min(float(low), 0.0), max(float(high), 0.0)
        limits = np.iinfo(self.kind)
        scale = np.float32((high - low) / (limits.max - limits.min))
        zero = np.clip(np.rint(limits.min - low / scale),
                       limits.min, limits.max)
        return scale, self.kind(zero)

    def quantized(self, value, like=None):
        """value -> QuantizeLinear -> DequantizeLinear; `like` lends a grid."""
        if like is None:
            scale, zero = self.grid(value.data)
        else:
            scale, zero = like.scale, like.zero
        stem = value.name.removesuffix(".out")
        parts = [self.constant(stem + ".scale", scale),
                 self.constant(stem + ".zero", zero)]
        codes = self.op("QuantizeLinear", stem + ".quantize", [value] + parts)
        real = self.op("DequantizeLinear", stem + ".dequantize",
                       [codes] + parts)
        return Value(real.name, real.data, scale, zero)

    def weight(self, name, array, axis):
        """An int8 constant with one scale per index of `axis`, and its DQ."""
        others = tuple(a for a in range(array.ndim) if a != axis)
        scale = (np.abs(array).max(others) / 127).astype(np.float32)
        shape = [1] * array.ndim
        shape[axis] = -1
        codes = np.clip(np.rint(array / scale.reshape(shape)), -127, 127)
        parts = [self.constant(name + ".codes", codes.astype(np.int8)),
                 self.constant(name + ".scale", scale),
                 self.constant(name + ".zero",
                               np.zeros(len(scale), np.int8))]
        real = self.op("DequantizeLinear", name + ".dequantize", parts,
                       axis=axis)
        real.scale = scale
        return real

    def bias(self, name, array, x, weight):
        """An int32 constant whose scales are exactly x's times weight's."""
        scale = (x.scale * weight.scale).astype(np.float32)
        codes = np.rint(array / scale.astype(np.float64)).astype(np.int32)
        parts = [self.constant(name + ".codes", codes),
                 self.constant(name + ".scale", scale),
                 self.constant(name + ".zero",
                               np.zeros(len(scale), np.int32))]
        return self.op("DequantizeLinear", name + ".dequantize", parts,
                       axis=0)

    # --- random layers ---

    def random_weight(self, shape, axis):
        """Normal weights whose channels differ in size by up to 4."""
        size = self.rng.uniform(-1, 1, shape[axis])
        spread = [1] * len(shape)
        spread[axis] = -1
        return (self.rng.standard_normal(shape)
                * (2.0 ** size).reshape(spread)).astype(np.float32)

    def random_bias(self, count, deviation):
        return self.rng.normal(0, 0.2 * deviation, count).astype(np.float32)

    def conv(self, name, x, out, kernel, stride=1, groups=1, deviation=1.0):
        """Convolution with bias, padded by kernel // 2; not yet quantized."""
        array = self.random_weight(
            (out, x.data.shape[1] // groups, kernel, kernel), 0)
        attributes = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2,
                      "pads": [kernel // 2] * 4, "dilations": [1, 1],
                      "group": groups}
        raw = execute(helper.make_node("Conv", ["x", "w"], ["y"],
                                       **attributes),
                      [Value("x", x.data), Value("w", array)])
        array *= np.float32(deviation / raw.std())
        weight = self.weight(name + ".weight", array, axis=0)
        bias = self.bias(name + ".bias", self.random_bias(out, deviation), x,
                         weight)
        return self.op("Conv", name, [x, weight, bias], **attributes)

    def gemm(self, name, x, out, deviation=1.0):
        """Gemm with transposed weights [out, in] and a bias."""
        array = self.random_weight((out, x.data.shape[1]), 0)
        array *= np.float32(deviation / (x.data @ array.T).std())
        weight = self.weight(name + ".weight", array, axis=0)
        bias = self.bias(name + ".bias", self.random_bias(out, deviation), x,
                         weight)
        return self.op("Gemm", name, [x, weight, bias], transB=1)

    def dense(self, name, x, out, deviation=1.0):
        """MatMul by weights [in, out], then Add of the bias."""
        array = self.random_weight((x.data.shape[-1], out), 1)
        array *= np.float32(deviation / (x.data @ array).std())
        weight = self.weight(name + ".weight", array, axis=1)
        product = self.op("MatMul", name + ".matmul", [x, weight])
        bias = self.bias(name + ".bias", self.random_bias(out, deviation), x,
                         weight)
        return self.op("Add", name + ".add", [product, bias])


def execute(node, values):
    """Run one node alone; returns its only output."""
    constant = {}
    inputs = []
    for value in values:
        if value.name not in constant:
            constant[value.name] = value.data
            inputs.append(helper.make_tensor_value_info(
                value.name, helper.np_dtype_to_tensor_dtype(value.data.dtype),
                value.data.shape))
    output = onnx.ValueInfoProto(name=node.output[0])
    model = helper.make_model(
        helper.make_graph([node], "one", inputs, [output]),
        ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)])
    session = ort.InferenceSession(
        onnx.shape_inference.infer_shapes(model).SerializeToString(),
        providers=["CPUExecutionProvider"])
    return session.run(None, constant)[0]


def code_statistics(model, feeds):
    """Run a QDQ model unoptimized and look at every QuantizeLinear.

    Yields (name, elements, distinct codes, share saturated, share at the
    lowest code, share at the highest). An element is saturated when its
    quotient by the scale, plus the zero point, lies more than half a step
    outside the code range; a rectifier's exact zeros are not.
    """
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    quantizers = [n for n in probe.graph.node
                  if n.op_type == "QuantizeLinear"]
    constants = {i.name: numpy_helper.to_array(i)
                 for i in probe.graph.initializer}
    known = {o.name for o in probe.graph.output}
    for node in quantizers:
        for name in (node.input[0], node.output[0]):
            if name not in known and name not in feeds:
                probe.graph.output.append(onnx.ValueInfoProto(name=name))
                known.add(name)
    options = ort.SessionOptions()
    options.graph_optimization_level = (
        ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = ort.InferenceSession(probe.SerializeToString(), options,
                                   providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    held = dict(zip(names, session.run(names, feeds))) | feeds
    for node in quantizers:
        real, codes = held[node.input[0]], held[node.output[0]]
        scale, zero = (constants[n] for n in node.input[1:3])
        limits = np.iinfo(codes.dtype)
        wide = real / scale + float(zero)
        outside = (wide < limits.min - 0.5) | (wide > limits.max + 0.5)
        yield (node.name, codes.size, len(np.unique(codes)),
               float(outside.mean()), float((codes == limits.min).mean()),
               float((codes == limits.max).mean()))
