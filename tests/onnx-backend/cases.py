"""The ONNX backend node tests, made ready for a compiler of static shapes.

The tests come from PyPI `onnx` itself. Each is a small model with inputs,
expected outputs and tolerances. Two things are done to one:

* Operands that fix a shape (the shape of Reshape, the pads of Pad, the axes
  of a reduction ...) or what is computed (the trip count of Loop) and are graph
  inputs become initializers. All other
  inputs stay what they are: given at run time.
* It is classified: a test is *counted* when all its operators are on the
  project's list and all its tensors are numbers that a .npy file can hold.
  Integers of 2 and 4 bits travel as int8 or uint8 arrays. (So that the other
  tests can run at all, theirs travel as bits, strings as bytes.)

Many operators of ONNX are functions, made of others. Such a test comes twice:
with the operator itself, and *expanded*, with the function's body in its place.
The expanded form says nothing about the operator, so it is counted apart.
"""

import dataclasses
import re
import warnings

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

# The operators that the project promises for these tests: all that it reads.
OPERATORS = frozenset("""
    QuantizeLinear DequantizeLinear DynamicQuantizeLinear QLinearConv
    QLinearMatMul ConvInteger MatMulInteger
    Conv ConvTranspose MatMul Gemm
    Add Sub Mul Div Min Max Pow Mod Sum Mean
    Abs Sign Neg Relu Clip LeakyRelu PRelu Sigmoid HardSigmoid HardSwish Tanh
    Gelu Erf Exp Log Sqrt Reciprocal Floor Ceil Round Sin Cos IsInf IsNaN
    Celu Elu Selu Mish Softplus Softsign Swish ThresholdedRelu
    BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor
    MaxPool AveragePool GlobalMaxPool GlobalAveragePool GlobalLpPool
    ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2
    ReduceSumSquare ReduceLogSum ReduceLogSumExp
    Softmax LogSoftmax Hardmax LayerNormalization BatchNormalization
    GroupNormalization InstanceNormalization RMSNormalization LpNormalization
    LRN Dropout
    Concat Split Slice Pad Reshape Flatten Transpose Squeeze Unsqueeze Expand
    Tile Gather GatherElements GatherND Scatter ScatterElements ScatterND
    Where Cast CastLike Shape Size ConstantOfShape EyeLike Range Constant
    Identity OneHot NonZero ReverseSequence Trilu CenterCropPad CumSum
    Resize Upsample DepthToSpace SpaceToDepth ArgMax ArgMin TopK
    Equal Greater Less GreaterOrEqual LessOrEqual And Or Xor Not
    LSTM GRU RNN If Loop Scan
""".split())

# Operator -> positions of the operands that fix the shape of its result.
SHAPE_OPERANDS = {
    "CenterCropPad": (1,),
    "ConstantOfShape": (0,),
    "CumSum": (1,),
    "Expand": (1,),
    "If": (0,),
    "Loop": (0, 1),
    "OneHot": (1,),
    "Pad": (1, 3),
    "Range": (0, 1, 2),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "SplitToSequence": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "TopK": (1,),
    "Trilu": (1,),
    "Unsqueeze": (1,),
    "Upsample": (1,),
    "BlackmanWindow": (0,),
    "HammingWindow": (0,),
    "HannWindow": (0,),
    "DFT": (1, 2),
    "ReduceSum": (1,),
    "ReduceMean": (1,),
    "ReduceMax": (1,),
    "ReduceMin": (1,),
    "ReduceProd": (1,),
    "ReduceL1": (1,),
    "ReduceL2": (1,),
    "ReduceSumSquare": (1,),
    "ReduceLogSum": (1,),
    "ReduceLogSumExp": (1,),
}

# ONNX element types and how a .npy file holds them.
NPY_TYPES = {
    TensorProto.FLOAT: np.float32,
    TensorProto.DOUBLE: np.float64,
    TensorProto.FLOAT16: np.float16,
    TensorProto.BOOL: np.bool_,
    TensorProto.INT8: np.int8,
    TensorProto.INT16: np.int16,
    TensorProto.INT32: np.int32,
    TensorProto.INT64: np.int64,
    TensorProto.UINT8: np.uint8,
    TensorProto.UINT16: np.uint16,
    TensorProto.UINT32: np.uint32,
    TensorProto.UINT64: np.uint64,
    TensorProto.INT4: np.int8,
    TensorProto.INT2: np.int8,
    TensorProto.UINT4: np.uint8,
    TensorProto.UINT2: np.uint8,
}


@dataclasses.dataclass
class Case:
    """One test: the adapted model, run-time inputs, expected outputs."""

    name: str
    model: onnx.ModelProto
    inputs: dict
    outputs: dict
    rtol: float
    atol: float
    outside: str  # why it is not counted; empty when it is

    @property
    def expanded(self):
        return is_expanded(self.name)


def is_expanded(name):
    """Whether a test has a function's body in place of the operator."""
    return re.search(r"_expanded(_ver\d+)?$", name) is not None


def all_nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from all_nodes(attribute.g)
            for inner in attribute.graphs:
                yield from all_nodes(inner)


def has_only_tensors(model):
    """Whether every graph input and output is a dense tensor."""
    return all(v.type.WhichOneof("value") == "tensor_type"
               for v in [*model.graph.input, *model.graph.output])


def why_outside(model):
    """The reason a test is not counted, or an empty string."""
    for node in all_nodes(model.graph):
        if node.domain not in ("", "ai.onnx"):
            return f"operator:{node.domain}.{node.op_type}"
        if node.op_type not in OPERATORS:
            return f"operator:{node.op_type}"
        if node.op_type == "Resize" and any(
                a.name == "mode" and a.s == b"cubic" for a in node.attribute):
            return "operator:Resize-cubic"
    for value in [*model.graph.input, *model.graph.output]:
        kind = value.type.tensor_type.elem_type
        if kind not in NPY_TYPES:
            return f"type:{TensorProto.DataType.Name(kind).lower()}"
    return ""


def shape_fixing_inputs(graph):
    """Names of graph inputs that reach a shape-fixing operand by value.

    Walks backwards from the operands; Shape and Size end the walk, since
    they read only the shape of their input. Nested graphs count as part of
    the graph: their names differ.
    """
    nodes = list(all_nodes(graph))
    producer = {name: node for node in nodes for name in node.output}
    pending = [node.input[i] for node in nodes
               for i in SHAPE_OPERANDS.get(node.op_type, ())
               if i < len(node.input)]
    seen = set()
    while pending:
        name = pending.pop()
        if name in seen or not name:
            continue
        seen.add(name)
        node = producer.get(name)
        if node is not None and node.op_type not in ("Shape", "Size"):
            pending.extend(node.input)
    return seen & {i.name for i in graph.input}


def tensor_proto(data, value):
    """One test datum as a TensorProto of the type the graph declares."""
    if isinstance(data, TensorProto):
        tensor = TensorProto()
        tensor.CopyFrom(data)
    else:
        tensor = numpy_helper.from_array(np.asarray(data))
    tensor.name = value.name
    return tensor


def npy_array(data, value):
    """One test datum as the array that a .npy file holds."""
    array = (numpy_helper.to_array(data) if isinstance(data, TensorProto)
             else np.asarray(data))
    wanted = NPY_TYPES.get(value.type.tensor_type.elem_type)
    if wanted:
        return array.astype(wanted)
    if array.dtype.kind in "OSU":
        return np.char.encode(array.astype(np.str_), "utf-8")
    return array.view(f"u{array.itemsize}")


def bind_shape_operands(model, data):
    """The model with shape-fixing inputs as initializers, and their names."""
    adapted = onnx.ModelProto()
    adapted.CopyFrom(model)
    fixed = shape_fixing_inputs(adapted.graph)
    kept = []
    for value, datum in zip(model.graph.input, data, strict=True):
        if value.name in fixed:
            adapted.graph.initializer.append(tensor_proto(datum, value))
        else:
            kept.append(value)
    del adapted.graph.input[:]
    adapted.graph.input.extend(kept)
    return adapted, fixed


def adapt(test):
    """One backend test as a Case; None when it is not about tensors."""
    if not has_only_tensors(test.model):
        return None
    (given, expected), = test.data_sets
    graph = test.model.graph
    if len(given) != len(graph.input) or any(x is None for x in given):
        return None
    model, fixed = bind_shape_operands(test.model, given)
    return Case(
        test.name, model,
        {v.name: npy_array(x, v) for v, x in zip(graph.input, given)
         if v.name not in fixed},
        {v.name: npy_array(x, v)
         for v, x in zip(graph.output, expected, strict=True)},
        test.rtol, test.atol, why_outside(test.model))


def load():
    """All cases, in name order, and how many tests are not about tensors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.loader import load_model_tests
        tests = load_model_tests(kind="node")
    cases = [adapt(test) for test in tests]
    kept = sorted((c for c in cases if c), key=lambda c: c.name)
    return kept, len(cases) - len(kept)
