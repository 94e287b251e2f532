"""Batches of single nodes, by families of operators that accelerators run.

A family is a function that fills a NodeBatch; OPSETS names the operator set of
those that need another one than 21.
"""

import numpy as np
import onnx
from node_batch import NodeBatch

SPECIALS = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-40, 0.5,
                     -0.5, 1.5, 2.5, -2.5, 1.0, -1.0, 3e38, -3e38],
                    np.float32)


def numbers(batch, *shape):
    """Floats of all sizes, the special ones among them."""
    array = batch.rng.normal(0, 3, shape).astype(np.float32)
    flat = array.reshape(-1)
    places = batch.rng.permutation(flat.size)[:len(SPECIALS)]
    flat[places] = SPECIALS[:len(places)]
    return batch.input(array)


FLOAT_UNARY = [
    ("Abs", {}), ("Ceil", {}), ("Celu", {"alpha": 0.7}), ("Cos", {}),
    ("Elu", {"alpha": 1.3}), ("Erf", {}), ("Exp", {}), ("Floor", {}),
    ("Gelu", {}), ("Gelu", {"approximate": "tanh"}), ("HardSigmoid", {}),
    ("HardSwish", {}), ("IsInf", {}), ("IsInf", {"detect_negative": 0}),
    ("IsNaN", {}), ("LeakyRelu", {"alpha": 0.2}), ("Log", {}), ("Mish", {}),
    ("Neg", {}), ("Reciprocal", {}), ("Relu", {}), ("Round", {}),
    ("Selu", {}), ("Sigmoid", {}), ("Sign", {}), ("Sin", {}), ("Softplus", {}),
    ("Softsign", {}), ("Sqrt", {}), ("Tanh", {}),
    ("ThresholdedRelu", {"alpha": 0.4})]


def float_unary(b):
    for op, attributes in FLOAT_UNARY:
        b.node(op, [numbers(b, 3, 37)], **attributes)


def truth(b, *shape):
    return b.constant(b.rng.random(shape) > 0.5)


def float_binary(b):
    for op in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Pow", "Equal",
               "Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
        b.node(op, [numbers(b, 2, 5, 7), numbers(b, 2, 5, 7)])
        b.node(op, [numbers(b, 2, 5, 7), numbers(b, 5, 1)])
    b.node("PRelu", [numbers(b, 2, 6, 9), numbers(b, 6, 1)])
    low, high = (b.constant(np.float32(x)) for x in (-0.5, 1.0))
    b.node("Clip", [numbers(b, 4, 9), low, high])
    b.node("Clip", [numbers(b, 4, 9), high, low])
    b.node("Where", [truth(b, 4, 9), numbers(b, 4, 9), numbers(b, 9)])


def integers(b, dtype, *shape):
    ends = np.iinfo(dtype)
    array = np.array(b.codes(shape, dtype))
    flat = array.reshape(-1)
    flat[:4] = [ends.min, ends.max, 0, 1][:flat.size]
    return b.input(array)


def integer_arithmetic(b):
    for dtype in (np.int32, np.int64):
        for op in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Mod", "Equal",
                   "Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
            b.node(op, [integers(b, dtype, 3, 8), integers(b, dtype, 8)])
        b.node("Mod", [integers(b, dtype, 3, 8), integers(b, dtype, 8)],
               fmod=1)
        for op in ("Abs", "Neg", "Sign", "Relu"):
            b.node(op, [integers(b, dtype, 3, 8)])
        b.node("PRelu", [integers(b, dtype, 3, 8), integers(b, dtype, 8)])
        b.node("Where", [truth(b, 3, 8), integers(b, dtype, 3, 8),
                         integers(b, dtype, 8)])


def logic(b):
    for op in ("And", "Or", "Xor", "Equal"):
        bits = b.node("Less", [b.input(b.codes([4, 11], np.int8)),
                               b.input(b.codes([11], np.int8))], keep=False)
        b.node(op, [bits, truth(b, 4, 11)])
        b.node("Not", [bits])
    for dtype in (np.uint8, np.int16, np.int32):
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            b.node(op, [integers(b, dtype, 5), integers(b, dtype, 2, 5)])
        b.node("BitwiseNot", [integers(b, dtype, 7)])
    for direction in ("LEFT", "RIGHT"):
        amounts = b.input(np.array([0, 1, 7, 8, 9, 255], np.uint8))
        b.node("BitShift", [integers(b, np.uint8, 6), amounts],
               direction=direction)


def casts(b):
    kinds = {np.int8: 3, np.uint8: 2, np.int16: 5, np.uint16: 4, np.int32: 6,
             np.int64: 7, np.float32: 1, np.float16: 10, np.bool_: 9}
    for dtype in kinds:
        if dtype in (np.float32, np.float16):
            array = np.concatenate([SPECIALS, SPECIALS * 77]).astype(dtype)
        elif dtype == np.bool_:
            for to in kinds.values():
                b.node("Cast", [truth(b, 9)], to=to)
            continue
        else:
            array = b.codes((40,), dtype)
        value = b.input(array)
        for to in kinds.values():
            b.node("Cast", [value], to=to)


def float_reductions(b):
    for op in ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
               "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
               "ReduceSum", "ReduceSumSquare"):
        for axes in ([1], [0, 2], [0, 1, 2]):
            value = b.input(b.rng.normal(0, 3, [4, 9, 13]).astype(np.float32))
            b.node(op, [value, b.constant(np.array(axes, np.int64))],
                   keepdims=b.pick(0, 1))
        b.node(op, [numbers(b, 3, 33), b.constant(np.array([1], np.int64))])
    for op in ("ArgMax", "ArgMin"):
        for last in (0, 1):
            value = b.input(b.codes([3, 5, 4], np.int8, 2).astype(np.float32))
            b.node(op, [value], axis=1, select_last_index=last)
            b.node(op, [numbers(b, 5, 9)], axis=1, select_last_index=last)


def integer_reductions(b):
    for op in ("ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
               "ReduceSum", "ReduceSumSquare", "ReduceL1"):
        for dtype in (np.int32, np.int64):
            if op == "ReduceMean" and dtype == np.int64:
                continue  # refused: its sum may take more than 64 bits
            b.node(op, [integers(b, dtype, 3, 6, 5),
                        b.constant(np.array([2], np.int64))])
    for dtype in (np.int8, np.int32):
        b.node("ArgMax", [b.input(b.codes([4, 9], dtype, 3))], axis=0)


def normalizations(b):
    def vector(*shape):
        return b.constant(b.rng.normal(1, 0.4, shape).astype(np.float32))
    x = b.input(b.rng.normal(1, 2, [3, 5, 33]).astype(np.float32))
    b.node("LayerNormalization", [x, vector(33), vector(33)], axis=-1)
    b.node("LayerNormalization", [x, vector(5, 33)], axis=1, epsilon=1e-12)
    b.node("LayerNormalization", [numbers(b, 4, 20), vector(20), vector(20)])
    b.node("RMSNormalization", [x, vector(33)], axis=-1)
    image = b.input(b.rng.normal(0, 2, [2, 6, 5, 4]).astype(np.float32))
    b.node("InstanceNormalization", [image, vector(6), vector(6)])
    b.node("GroupNormalization", [image, vector(6), vector(6)], num_groups=2)
    b.node("BatchNormalization", [image, vector(6), vector(6), vector(6),
                                  b.constant(np.float32(
                                      b.rng.uniform(0.1, 2, 6)))])
    for p in (1, 2):
        b.node("LpNormalization", [x], axis=1, p=p)
        b.node("LpNormalization", [b.input(np.zeros([2, 3], np.float32))], p=p)
    for op in ("Softmax", "LogSoftmax"):
        for axis in (0, 1, 2):
            b.node(op, [x], axis=axis)
        b.node(op, [numbers(b, 3, 9)], axis=1)


class Codes(NodeBatch):
    """Nodes between Dequantize and Quantize."""

    def quantized(self, value, grid):
        codes = self.node("QuantizeLinear", [value, *grid], keep=False)
        return self.node("DequantizeLinear", [codes, *grid], keep=False)

    def grid(self, dtype, scale=None):
        scale = np.float32(scale or self.rng.uniform(0.01, 0.1))
        low, high = (-40, 40) if dtype == np.int8 else (90, 160)
        zero = self.rng.integers(low, high)
        return [self.constant(scale), self.constant(np.array(zero, dtype))]

    def operand(self, dtype, *shape, scale=None):
        value = self.input(self.rng.normal(0, 2, shape).astype(np.float32))
        return self.quantized(value, self.grid(dtype, scale))

    def weight(self, shape, axis):
        scales = np.float32(self.rng.uniform(0.002, 0.02, shape[axis]))
        return self.node("DequantizeLinear", [
            self.constant(self.codes(shape, np.int8)), self.constant(scales),
            self.constant(np.zeros(shape[axis], np.int8))], keep=False,
            axis=axis)

    def result(self, op, operands, dtype, scale=None, **attributes):
        value = self.node(op, operands, keep=False, **attributes)
        codes = self.node("QuantizeLinear",
                          [value, *self.grid(dtype, scale)], keep=False)
        self.node("Identity", [codes])


def code_arithmetic(b):
    for dtype in (np.int8, np.uint8):
        for _ in range(12):  # some scales ask for wide multipliers
            for op in ("Add", "Sub", "Mul", "Max", "Min"):
                b.result(op, [b.operand(dtype, 2, 7, 5),
                              b.operand(dtype, 7, 5)], dtype)
            b.result("Where", [truth(b, 7, 5), b.operand(dtype, 2, 7, 5),
                               b.operand(dtype, 7, 5)], dtype)
        b.result("Pow", [b.operand(dtype, 40), b.constant(np.float32(2))],
                 dtype)
        for op, attributes in FLOAT_UNARY:
            if op not in ("IsInf", "IsNaN"):
                b.result(op, [b.operand(dtype, 3, 50)], dtype, **attributes)


def conversions(b):
    x = numbers(b, 3, 4, 9)
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        zero = np.array(3, dtype)
        codes = b.node("QuantizeLinear", [x, b.constant(np.float32(0.07)),
                                          b.constant(zero)])
        b.node("DequantizeLinear", [codes, b.constant(np.float32(0.07)),
                                    b.constant(zero)])
    for kind in (onnx.TensorProto.INT4, onnx.TensorProto.UINT4):
        grid = [b.constant(np.float32(0.3)), b.constant(np.array(2), kind)]
        codes = b.node("QuantizeLinear", [x, *grid], keep=False)
        b.node("DequantizeLinear", [codes, *grid])
    for dtype in (np.int8, np.uint8):
        grid = [b.constant(b.scale(4)),
                b.constant(np.arange(1, 5).astype(dtype))]
        codes = b.node("QuantizeLinear", [x, *grid], axis=1)
        b.node("DequantizeLinear", [codes, *grid], axis=1)


def gathers(b):
    def picks(*shape, size):  # some beyond either end are clamped
        return b.input(b.rng.integers(-size, size, shape))
    for dtype in (np.float32, np.int8, np.int32):
        data = (numbers(b, 5, 7) if dtype == np.float32 else
                integers(b, dtype, 5, 7))
        b.node("Gather", [data, picks(3, size=5)], axis=0)
        b.node("Gather", [data, picks(2, 4, size=7)], axis=1)
        b.node("Gather", [data, picks(size=5)], axis=0)
    b.node("Gather", [numbers(b, 2, 3, 4), picks(2, 2, size=3)], axis=1)


def tuples(b):
    def picks(*shape, low=-2, high=2):  # negative ones count from the end
        return b.constant(b.rng.integers(low, high, shape))
    whole = b.constant(np.stack(np.indices((4, 6)), -1))
    for dtype in (np.float32, np.int8, np.int32):
        data = (numbers(b, 4, 6, 5) if dtype == np.float32 else
                integers(b, dtype, 4, 6, 5))
        for shape in ((3, 3), (2, 4, 2), (7, 1)):
            b.node("GatherND", [data, picks(*shape, low=-4, high=4)])
        b.node("GatherND", [data, whole])
        b.node("GatherND", [data, picks(4, 3, 1, low=-6, high=6)],
               batch_dims=1)
    turned = b.node("Transpose", [numbers(b, 3, 5)], keep=False)
    b.node("GatherND", [turned, picks(6, 2)])


def scatters_at_constant_tuples(b):
    def places(*shape):  # some twice; negative ones count from the end
        return b.constant(b.rng.integers(-4, 4, shape))
    for dtype in (np.float32, np.int8, np.uint8, np.int32):
        def data(*shape, dtype=dtype):
            return (numbers(b, *shape) if dtype == np.float32 else
                    integers(b, dtype, *shape))
        b.node("ScatterND", [data(4, 6, 5), places(3, 1), data(3, 6, 5)])
        b.node("ScatterND", [data(4, 6, 5), places(2, 7, 2), data(2, 7, 5)])
        b.node("ScatterND", [data(4, 6, 5), places(9, 3), data(9)])
    turned = b.node("Transpose", [numbers(b, 6, 4)], keep=False)
    b.node("ScatterND", [turned, places(2, 1), numbers(b, 2, 6)])


def large_gathers(b):
    def picks(*shape, size):  # some beyond either end are clamped
        return b.input(b.rng.integers(-size - 3, size + 3, shape))
    def table(dtype, *shape):
        return b.constant(b.rng.integers(0, 100, shape).astype(dtype))
    for dtype in (np.float32, np.float16, np.int64, np.uint8, np.bool_):
        b.node("Gather", [table(dtype, 65, 3), picks(5, size=65)])
    floats = b.rng.normal(0, 3, (700, 33)).astype(np.float32)
    floats.reshape(-1)[:len(SPECIALS)] = SPECIALS
    for shape in ((3, 7), (150,), ()):
        b.node("Gather", [b.constant(floats), picks(*shape, size=700)])
    narrow = b.input(np.int32([0, 69, -70, 70, 12]))
    b.node("Gather", [table(np.int16, 3, 70, 2), narrow], axis=1)
    b.node("Gather", [table(np.int8, 2, 3, 90), picks(2, 2, size=90)], axis=2)
    b.node("Gather", [numbers(b, 2, 66, 5), picks(4, size=66)], axis=1)
    turned = b.node("Transpose", [numbers(b, 5, 80)], keep=False)
    b.node("Gather", [turned, picks(9, size=80)])


def computed_products(b):
    def turned(value, *perm):
        return b.node("Transpose", [value], keep=False, perm=perm)
    for dtype in (np.int8, np.uint8):
        for left, right, perm in (((6, 10), (9, 10), (1, 0)),
                                  ((2, 3, 4, 5), (2, 3, 7, 5), (0, 1, 3, 2)),
                                  ((2, 3, 4, 5), (2, 7, 3, 5), (0, 2, 3, 1))):
            b.result("MatMul", [b.operand(dtype, *left),
                                turned(b.operand(dtype, *right), *perm)],
                     dtype, scale=0.5)
        b.result("Gemm", [b.operand(dtype, 6, 10), b.operand(dtype, 9, 10)],
                 dtype, scale=0.5, transB=1)


def index_masks(b):
    for data in (numbers(b, 2, 5, 7), integers(b, np.int8, 2, 5, 7),
                 integers(b, np.int64, 5, 5),
                 b.input(np.float16(np.arange(24).reshape(4, 6)))):
        for upper in (0, 1):
            for k in (0, -2, 3, 9):
                b.node("Trilu", [data, b.constant(np.int64(k))], upper=upper)
    ends = b.constant(np.float32([-0.0, np.inf]))
    for dtype in (np.int8, np.int32, np.int64):
        places = b.input(b.rng.integers(-12, 12, (3, 4)).astype(dtype))
        for axis in (-1, 0, 1):
            b.node("OneHot", [places, b.constant(np.int64(9)), ends],
                   axis=axis)
        b.node("OneHot", [places, b.constant(np.int64(300)),
                          integers(b, np.int16, 2)])
    for data in (numbers(b, 4, 9, 3), integers(b, np.int32, 4, 9, 3),
                 integers(b, np.int64, 1, 8)):
        for axis in (0, 1):
            for way in ({}, {"reverse": 1}, {"exclusive": 1},
                        {"reverse": 1, "exclusive": 1}):
                b.node("CumSum", [data, b.constant(np.int64(axis))], **way)


def runtime_scales(b):
    def positive(*shape):
        return b.input(b.rng.uniform(0.01, 2, shape).astype(np.float32))
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        codes = integers(b, dtype, 3, 6, 5)
        zero = integers(b, dtype)
        b.node("QuantizeLinear", [numbers(b, 3, 6, 5), positive(), zero])
        b.node("QuantizeLinear", [numbers(b, 3, 6, 5), positive(6),
                                  integers(b, dtype, 6)], axis=1)
        b.node("DequantizeLinear", [codes, positive(), zero])
        b.node("DequantizeLinear", [codes, positive(6),
                                    integers(b, dtype, 6)], axis=1)
    b.node("QuantizeLinear", [numbers(b, 7), positive()])
    b.node("DequantizeLinear", [integers(b, np.int32, 4, 5), positive(),
                                integers(b, np.int32)])
    for x in ([1, -3, 2], [0, 0], [5, 7], [-5, -7], [np.nan, 0, 255],
              [np.inf, 1], [-np.inf, np.inf, np.nan], [np.nan]):
        b.node("DynamicQuantizeLinear", [b.input(np.float32(x))], outputs=3)
    wide = b.rng.normal(1, 3, (2, 3, 4, 5, 2)).astype(np.float32)
    b.node("DynamicQuantizeLinear", [b.input(wide)], outputs=3)


def integer_softmaxes(b):
    for dtype in (np.int8, np.uint8):
        for shape, axis in (((5, 40), 1), ((3, 200, 4), 1), ((2, 3, 4, 5), 0),
                            ((2, 3, 4, 5), 3), ((60,), 0)):
            grids = [*b.grid(dtype), *b.grid(dtype, 1 / 255.9)]
            b.node("QLinearSoftmax", [integers(b, dtype, *shape), *grids],
                   domain="com.microsoft", axis=axis, opset=13)


def code_windows(b):
    for dtype in (np.int8, np.uint8):
        for _ in range(6):
            image = b.operand(dtype, 2, 5, 9, 8)
            b.result("AveragePool", [image], dtype, kernel_shape=[3, 2],
                     strides=[2, 1], pads=[1, 0, 1, 1])
            b.result("AveragePool", [image], dtype, kernel_shape=[2, 2],
                     strides=[1, 2], pads=[0, 0, 0, 0], count_include_pad=1)
            b.result("AveragePool", [b.operand(dtype, 1, 3, 11)], dtype,
                     kernel_shape=[3], ceil_mode=1, strides=[2])
            stride, kernel = b.pick((1, 3), (2, 2), (2, 3), (3, 4))
            b.result("ConvTranspose",
                     [image, b.weight([5, 4, kernel, kernel], 1)], dtype,
                     strides=[stride] * 2, pads=[1, 0, 0, 1],
                     output_padding=[0, stride - 1])
            b.result("ConvTranspose",
                     [b.operand(dtype, 1, 6, 7), b.weight([6, 2, 3], 1)],
                     dtype, group=3, strides=[2], dilations=[3])
    value = b.input(b.rng.normal(0, 3, [2, 5, 9, 8]).astype(np.float32))
    b.node("AveragePool", [value], kernel_shape=[3, 2], pads=[1, 1, 1, 0])
    b.node("AveragePool", [value], kernel_shape=[2, 2], count_include_pad=1,
           strides=[2, 2])
    b.node("AveragePool", [numbers(b, 1, 2, 9)], kernel_shape=[3])


def code_reductions(b):
    for dtype in (np.int8, np.uint8):
        for _ in range(8):
            for op in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum"):
                b.result(op, [b.operand(dtype, 3, 9, 7),
                              b.constant(np.array(b.pick([1], [0, 2]),
                                                  np.int64))],
                         dtype, b.pick(0.05, 0.31), keepdims=b.pick(0, 1))

FAMILIES = {
    f.__name__: f for f in (float_unary, float_binary, integer_arithmetic,
                            logic, casts, float_reductions, integer_reductions,
                            normalizations, code_arithmetic, code_windows,
                            code_reductions, conversions, gathers,
                            large_gathers, tuples, scatters_at_constant_tuples,
                            computed_products,
                            index_masks, runtime_scales,
                            integer_softmaxes)}
OPSETS = {"normalizations": 23}
