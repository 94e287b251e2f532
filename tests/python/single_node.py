"""Random one-node models of the integer operators.

Each maker takes a numpy random generator and returns (model, inputs). Scales
are random fp32 values, powers of two or awkward ones; zero points include the
ends of the range. Weights of u8 x s8 products stay within +-63, since
onnxruntime saturates pair sums to 16 bits on processors without VNNI.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {np.dtype("int8"): TensorProto.INT8,
         np.dtype("uint8"): TensorProto.UINT8,
         np.dtype("int32"): TensorProto.INT32,
         np.dtype("float32"): TensorProto.FLOAT}


def scale(rng):
    kind = rng.integers(4)
    if kind == 0:
        return np.float32(2.0 ** int(rng.integers(-8, 1)))
    if kind == 1:
        return np.float32(1 / 3)
    return np.float32(rng.uniform(0.002, 0.2))


def zero_point(rng, dtype):
    info = np.iinfo(dtype)
    return rng.choice([info.min, info.max, 0, 1, 7,
                       int(rng.integers(info.min, info.max + 1))]
                      ).astype(dtype)


def codes(rng, shape, dtype, limit=None):
    info = np.iinfo(dtype)
    low, high = (info.min, info.max) if limit is None else (-limit, limit)
    return rng.integers(low, high + 1, shape).astype(dtype)


def model(op, names, constants, inputs, output, domain="", **attributes):
    """A model of one node; `names` are its inputs in order, '' if absent."""
    graph_inputs = [helper.make_tensor_value_info(n, TYPES[a.dtype], a.shape)
                    for n, a in inputs.items()]
    node = helper.make_node(op, names, ["y"], name="node", domain=domain,
                            **attributes)
    graph = helper.make_graph(
        [node], "g", graph_inputs,
        [helper.make_tensor_value_info("y", TYPES[np.dtype(output)], None)],
        [numpy_helper.from_array(np.asarray(a), n)
         for n, a in constants.items()])
    return helper.make_model(
        graph, ir_version=10,
        opset_imports=[helper.make_opsetid("", 17),
                       helper.make_opsetid("com.microsoft", 1)])


def conv_shape(rng):
    group = int(rng.choice([1, 1, 2]))
    channels, outputs = group * int(rng.integers(1, 4)), group * int(
        rng.integers(1, 4))
    kernel = [int(rng.integers(1, 4)) for _ in range(2)]
    size = [int(rng.integers(4, 9)) for _ in range(2)]
    attributes = dict(group=group, strides=[int(rng.integers(1, 3))] * 2,
                      pads=[int(rng.integers(0, 2)) for _ in range(4)],
                      dilations=[1, int(rng.integers(1, 3))])
    return [1, channels] + size, [outputs, channels // group] + kernel, \
        attributes


def qlinear_conv(rng, dtype):
    x_shape, w_shape, attributes = conv_shape(rng)
    x = codes(rng, x_shape, dtype)
    per_channel = rng.integers(2)
    w_scale = np.array([scale(rng) for _ in range(w_shape[0])]) \
        if per_channel else scale(rng)
    w_zero = np.zeros(w_shape[0], np.int8) if per_channel else np.int8(0)
    constants = dict(
        xs=scale(rng), xz=zero_point(rng, dtype),
        w=codes(rng, w_shape, np.int8, 63), ws=w_scale, wz=w_zero,
        ys=scale(rng) * np.float32(8), yz=zero_point(rng, dtype),
        b=rng.integers(-3000, 3000, w_shape[0]).astype(np.int32))
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"]
    return model("QLinearConv", names, constants, {"x": x}, dtype,
                 **attributes), {"x": x}


def qlinear_matmul(rng, dtype):
    m, k, n = (int(rng.integers(1, 9)) for _ in range(3))
    a = codes(rng, [2, m, k], dtype)
    per_column = rng.integers(2)
    b_scale = np.array([scale(rng) for _ in range(n)]) if per_column \
        else scale(rng)
    b_zero = np.zeros(n, np.int8) if per_column else np.int8(3)
    constants = dict(
        as_=scale(rng), az=zero_point(rng, dtype),
        b=codes(rng, [k, n], np.int8, 63), bs=b_scale, bz=b_zero,
        ys=scale(rng) * np.float32(8), yz=zero_point(rng, dtype))
    names = ["a", "as_", "az", "b", "bs", "bz", "ys", "yz"]
    return model("QLinearMatMul", names, constants, {"a": a}, dtype), {"a": a}


def matmul_integer(rng, dtype):
    m, k, n = (int(rng.integers(1, 9)) for _ in range(3))
    a = codes(rng, [m, k], dtype)
    constants = dict(az=zero_point(rng, dtype),
                     b=codes(rng, [k, n], np.int8, 63),
                     bz=np.int8(rng.integers(-5, 6)))
    return model("MatMulInteger", ["a", "b", "az", "bz"], constants, {"a": a},
                 "int32"), {"a": a}


def conv_integer(rng, dtype):
    x_shape, w_shape, attributes = conv_shape(rng)
    x = codes(rng, x_shape, dtype)
    constants = dict(w=codes(rng, w_shape, np.uint8), xz=zero_point(rng, dtype),
                     wz=zero_point(rng, np.uint8))
    return model("ConvInteger", ["x", "w", "xz", "wz"], constants, {"x": x},
                 "int32", **attributes), {"x": x}


def qlinear_binary(op):
    def make(rng, dtype):
        shape = [int(rng.integers(1, 5)), int(rng.integers(1, 40))]
        other = shape if rng.integers(2) else [shape[1]]
        a, b = codes(rng, shape, dtype), codes(rng, other, dtype)
        constants = dict(as_=scale(rng), az=zero_point(rng, dtype),
                         bs=scale(rng), bz=zero_point(rng, dtype),
                         ys=scale(rng), yz=zero_point(rng, dtype))
        names = ["a", "as_", "az", "b", "bs", "bz", "ys", "yz"]
        inputs = {"a": a, "b": b}
        return model(op, names, constants, inputs, dtype,
                     domain="com.microsoft"), inputs
    return make


def qgemm(rng, dtype):
    m, k, n = (int(rng.integers(1, 9)) for _ in range(3))
    a = codes(rng, [m, k], dtype)
    constants = dict(
        as_=scale(rng), az=zero_point(rng, dtype),
        b=codes(rng, [n, k], np.int8, 63),
        bs=np.array([scale(rng) for _ in range(n)]), bz=np.zeros(n, np.int8),
        c=rng.integers(-3000, 3000, n).astype(np.int32),
        ys=scale(rng) * np.float32(8), yz=zero_point(rng, dtype))
    names = ["a", "as_", "az", "b", "bs", "bz", "c", "ys", "yz"]
    return model("QGemm", names, constants, {"a": a}, dtype, transB=1,
                 domain="com.microsoft"), {"a": a}


def one_operand(op, x, rng, dtype, result_scale=None, **attributes):
    """A com.microsoft operator of x, its scale and zero point, and those of
    the result."""
    constants = dict(
        xs=scale(rng), xz=zero_point(rng, dtype),
        ys=scale(rng) if result_scale is None else result_scale,
        yz=zero_point(rng, dtype))
    return model(op, ["x", "xs", "xz", "ys", "yz"], constants, {"x": x},
                 dtype, domain="com.microsoft", **attributes), {"x": x}


def channels_last(rng, x, attributes):
    """x, or with the attribute set x with its channels at the end."""
    attributes["channels_last"] = int(rng.integers(2))
    return np.moveaxis(x, 1, -1).copy() if attributes["channels_last"] else x


def all_codes(dtype):
    return np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1).astype(dtype)


def qlinear_leaky_relu(rng, dtype):
    return one_operand("QLinearLeakyRelu", all_codes(dtype), rng, dtype,
                       alpha=float(np.float32(rng.uniform(0.01, 0.5))))


def qlinear_sigmoid(rng, dtype):
    return one_operand("QLinearSigmoid", all_codes(dtype), rng, dtype)


def qlinear_average_pool(rng, dtype):
    n = int(rng.integers(1, 4))
    size = [int(rng.integers(3, 8)) for _ in range(n)]
    kernel = [int(rng.integers(1, 4)) for _ in range(n)]
    pads = [int(rng.integers(0, k)) for k in kernel + kernel]
    if rng.integers(4) == 0:  # the whole image
        kernel, pads = size, [0] * (2 * n)
    attributes = dict(kernel_shape=kernel, pads=pads,
                      strides=[int(rng.integers(1, 4)) for _ in range(n)],
                      ceil_mode=int(rng.integers(2)),
                      count_include_pad=int(rng.integers(2)))
    x = codes(rng, [2, int(rng.integers(1, 6))] + size, dtype)
    x = channels_last(rng, x, attributes)
    return one_operand("QLinearAveragePool", x, rng, dtype, **attributes)


def qlinear_global_average_pool(rng, dtype):
    size = [int(rng.integers(1, 9)) for _ in range(int(rng.integers(1, 4)))]
    attributes = {}
    x = codes(rng, [2, int(rng.integers(1, 20))] + size, dtype)
    x = channels_last(rng, x, attributes)
    # onnxruntime refuses scales that differ by a factor of 256.
    return one_operand("QLinearGlobalAveragePool", x, rng, dtype,
                       np.float32(rng.uniform(0.002, 0.1)), **attributes)


def qlinear_concat(rng, dtype):
    constants = dict(ys=scale(rng), yz=zero_point(rng, dtype))
    names, inputs = ["ys", "yz"], {}
    axis = int(rng.integers(-3, 3))
    shape = [int(rng.integers(1, 4)), int(rng.integers(1, 4)), 256]
    for i in range(int(rng.integers(1, 4))):
        shape[axis] = int(rng.integers(1, 5)) * (64 if axis % 3 == 2 else 1)
        inputs[f"x{i}"] = codes(rng, shape, dtype)
        constants |= {f"s{i}": scale(rng), f"z{i}": zero_point(rng, dtype)}
        names += [f"x{i}", f"s{i}", f"z{i}"]
    return model("QLinearConcat", names, constants, inputs, dtype,
                 domain="com.microsoft", axis=axis), inputs


def qlinear_softmax(rng, dtype):
    """Half of them lines of one code, whose shares are close to a tie."""
    n = 2 * int(rng.integers(2, 200))
    x = codes(rng, [3, n, int(rng.integers(1, 4))], dtype)
    result_scale = np.float32(2.0 ** -int(rng.integers(2, 14)))
    if rng.integers(2):
        x[:] = x[0, 0, 0]
        halves = 2 * int(rng.integers(0, 100)) + 1
        result_scale = np.float32(1) / np.float32(n // 2 * halves)
    else:
        x //= int(rng.integers(1, 9))
    axis = int(rng.integers(3))
    return one_operand("QLinearSoftmax", x, rng, dtype, result_scale,
                       axis=axis, opset=int(rng.choice([11, 13])))


def quantize_linear(rng, dtype):
    x = (rng.normal(size=[3, 50]) * 8).astype(np.float32)
    constants = dict(s=scale(rng), z=zero_point(rng, dtype))
    return model("QuantizeLinear", ["x", "s", "z"], constants, {"x": x},
                 dtype), {"x": x}


def dequantize_linear(rng, dtype):
    x = codes(rng, [3, 50], dtype)
    constants = dict(s=scale(rng), z=zero_point(rng, dtype))
    return model("DequantizeLinear", ["x", "s", "z"], constants, {"x": x},
                 "float32"), {"x": x}


MAKERS = {
    "QLinearConv": qlinear_conv,
    "QLinearMatMul": qlinear_matmul,
    "MatMulInteger": matmul_integer,
    "ConvInteger": conv_integer,
    "QLinearAdd": qlinear_binary("QLinearAdd"),
    "QLinearMul": qlinear_binary("QLinearMul"),
    "QLinearAveragePool": qlinear_average_pool,
    "QLinearGlobalAveragePool": qlinear_global_average_pool,
    "QLinearConcat": qlinear_concat,
    "QLinearSoftmax": qlinear_softmax,
    "QLinearLeakyRelu": qlinear_leaky_relu,
    "QLinearSigmoid": qlinear_sigmoid,
    "QGemm": qgemm,
    "QuantizeLinear": quantize_linear,
    "DequantizeLinear": dequantize_linear,
}
