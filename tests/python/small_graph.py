"""Small graphs, built node by node and run on the evaluator and the CPU."""

import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

I8, U8, F32 = np.int8, np.uint8, np.float32
KINDS = {np.dtype(I8): TensorProto.INT8, np.dtype(U8): TensorProto.UINT8,
         np.dtype(np.int32): TensorProto.INT32,
         np.dtype(F32): TensorProto.FLOAT,
         np.dtype(np.int64): TensorProto.INT64,
         np.dtype(np.float16): TensorProto.FLOAT16}


class Graph:
    """A model built node by node; constants are named as they come."""

    def __init__(self):
        self.nodes, self.constants, self.inputs = [], [], {}

    def const(self, value, dtype=F32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(
            np.asarray(value, dtype), name))
        return name

    def input(self, name, value):
        self.inputs[name] = value
        return name

    def node(self, op, inputs, domain="", **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], domain=domain,
                                           **attributes))
        return name

    def q(self, value, scale, zero, dtype=I8):
        return self.node("QuantizeLinear", [value, self.const(scale),
                                            self.const(zero, dtype)])

    def dq(self, value, scale, zero, dtype=I8):
        return self.node("DequantizeLinear", [value, self.const(scale),
                                              self.const(zero, dtype)])

    def model(self, output, dtype, opset=17, also=()):
        """`output` becomes "y"; `also` lists more outputs with their types."""
        def info(name, array):
            return helper.make_tensor_value_info(name, KINDS[array.dtype],
                                                 array.shape)

        def renamed(names):
            return ["y" if name == output else name for name in names]

        nodes = []
        for node in self.nodes:
            copy = type(node)()
            copy.CopyFrom(node)
            copy.input[:] = renamed(node.input)
            copy.output[:] = renamed(node.output)
            nodes.append(copy)
        outputs = [("y", dtype), *also]
        graph = helper.make_graph(
            nodes, "g", [info(n, a) for n, a in self.inputs.items()],
            [helper.make_tensor_value_info(n, KINDS[np.dtype(d)], None)
             for n, d in outputs],
            self.constants)
        return helper.make_model(graph, ir_version=10, opset_imports=[
            helper.make_opsetid("", opset),
            helper.make_opsetid("com.microsoft", 1)])


def check(runner, graph, output, expected, opset=17, options=(), also=None):
    """`also` maps more outputs to what is expected of them."""
    wanted = {"y": expected, **(also or {})}
    wanted = {name: np.asarray(value) for name, value in wanted.items()}
    model = graph.model(output, wanted["y"].dtype, opset,
                        [(n, v.dtype) for n, v in wanted.items() if n != "y"])
    for target in ("eval", "cpu"):
        found = runner.run(model, graph.inputs, "--target", target, *options)
        for name, value in wanted.items():
            assert found[name].dtype == value.dtype, (target, name)
            np.testing.assert_array_equal(found[name].reshape(value.shape),
                                          value, err_msg=f"{target} {name}")


def layout_text(tally, folder, model):
    """The graph as the phase layout leaves it."""
    path, dump = folder / "layout.onnx", folder / "layout.mlir"
    onnx.save(model, path)
    subprocess.run([str(tally), "compile", str(path), "--stop-after",
                    "layout", "--dump-after", f"layout={dump}"], check=True)
    return dump.read_text()
