#!/usr/bin/env python3
"""Writes small ONNX files as seeds for OnnxFuzz.

usage: make_fuzz_seeds.py FOLDER        (needs the packages onnx and numpy)
"""

import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def value(name, kind=TensorProto.FLOAT, shape=(2,)):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, initializers=(), functions=(), opset=17):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("my", 1)]
    return helper.make_model(
        graph, opset_imports=imports, functions=list(functions), ir_version=10
    )


def quantized_conv():
    weight = numpy.arange(-4, 5, dtype=numpy.int8).reshape(1, 1, 3, 3)
    constants = {
        "s": numpy.float32(0.5),
        "z": numpy.int8(0),
        "w": weight,
        "b": numpy.array([3], numpy.int32),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node(
            "QLinearConv",
            ["q", "s", "z", "w", "s", "z", "s", "z", "b"],
            ["c"],
            pads=[1, 1, 1, 1],
        ),
        helper.make_node("DequantizeLinear", ["c", "s", "z"], ["y"]),
    ]
    shape = ("N", 1, 4, 4)
    return model(
        nodes,
        [value("x", shape=shape)],
        [value("y", shape=shape)],
        [numpy_helper.from_array(v, k) for k, v in constants.items()],
    )


def functions():
    body = helper.make_node("LeakyRelu", ["a"], ["b"])
    reference = onnx.AttributeProto(
        name="alpha", type=onnx.AttributeProto.FLOAT, ref_attr_name="k"
    )
    body.attribute.append(reference)
    inner = helper.make_function(
        "my", "Inner", ["a"], ["b"], [body], [helper.make_opsetid("", 16)], ["k"]
    )
    outer = helper.make_function(
        "my",
        "Outer",
        ["a"],
        ["b", "a"],
        [
            helper.make_node("Inner", ["a"], ["t"], domain="my", k=0.5),
            helper.make_node("Inner", ["t"], ["b"], domain="my"),
        ],
        [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)],
    )
    call = helper.make_node("Outer", ["x"], ["y", "z"], domain="my")
    return model([call], [value("x")], [value("y"), value("z")],
                 functions=[inner, outer])


def branches():
    def branch(op, out):
        return helper.make_graph(
            [helper.make_node(op, ["x"], [out])], op, [], [value(out)]
        )

    node = helper.make_node(
        "If", ["c"], ["y"],
        then_branch=branch("Abs", "p"), else_branch=branch("Neg", "q"),
    )
    inputs = [value("c", TensorProto.BOOL, ()), value("x")]
    return model([node], inputs, [value("y")])


def constants():
    def constant(name, **form):
        return helper.make_node("Constant", [], [name], **form)

    nibbles = helper.make_tensor("v", TensorProto.INT4, (3,), [1, -2, 3])
    external = helper.make_tensor("e", TensorProto.FLOAT, (1,), [1.0])
    external.ClearField("float_data")
    external.data_location = TensorProto.EXTERNAL
    external.external_data.add(key="location", value="e.bin")
    nodes = [
        constant("a", value_int=3),
        constant("b", value_floats=[1.0, 2.0]),
        constant("d", value=nibbles),
        helper.make_node("Identity", ["a"], ["y"]),
    ]
    plain = model(nodes, [], [value("y", TensorProto.INT64, ())], opset=21)
    beside = model(nodes, [], [value("y", TensorProto.INT64, ())], [external])
    return plain, beside


def sequences():
    kind = helper.make_sequence_type_proto(
        helper.make_tensor_type_proto(TensorProto.FLOAT, ["n"])
    )
    inputs = [helper.make_value_info("s", kind), value("i", TensorProto.INT64, ())]
    return model(
        [helper.make_node("SequenceAt", ["s", "i"], ["y"])], inputs, [value("y")]
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    plain, beside = constants()
    seeds = {
        "conv": quantized_conv(),
        "functions": functions(),
        "branches": branches(),
        "constants": plain,
        "external": beside,
        "sequences": sequences(),
    }
    for name, seed in seeds.items():
        (folder / name).write_bytes(seed.SerializeToString())


if __name__ == "__main__":
    main()
