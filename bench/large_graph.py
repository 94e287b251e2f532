#!/usr/bin/env python3
"""Write a quantized graph with as many nodes as asked for.

usage: large_graph.py NODES FILE.onnx [--seed N]

A residual network of small layers: 1x1 and 3x3 convolutions of 16 channels on
8x8 pictures, each with a Relu, every third block added to what came three
blocks before. Weights are seeded random codes. Nodes are counted as the file
has them, with QuantizeLinear and DequantizeLinear.
"""

import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS, SIZE = 16, 8
SKIP = 3  # blocks that a shortcut goes around


class Graph:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers = [], []
        self.grid = [self.constant("scale", np.float32(0.05)),
                     self.constant("zero", np.int8(3))]

    def constant(self, name, array):
        self.initializers.append(
            numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind, name, inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name + ".out"],
                                           name=name, **attributes))
        return name + ".out"

    def quantized(self, name, x):
        codes = self.node("QuantizeLinear", name + ".quantize",
                          [x, *self.grid])
        return self.node("DequantizeLinear", name + ".dequantize",
                         [codes, *self.grid])

    def convolution(self, name, x, kernel):
        shape = (CHANNELS, CHANNELS, kernel, kernel)
        codes = self.rng.integers(-127, 128, shape, dtype=np.int8)
        scales = self.rng.uniform(0.0005, 0.002, CHANNELS).astype(np.float32)
        weight = self.node("DequantizeLinear", name + ".weight.dequantize", [
            self.constant(name + ".weight", codes),
            self.constant(name + ".scale", scales),
            self.constant(name + ".zero", np.zeros(CHANNELS, np.int8))],
            axis=0)
        y = self.node("Conv", name + ".conv", [x, weight],
                      pads=[kernel // 2] * 4, kernel_shape=[kernel] * 2)
        return self.quantized(name, self.node("Relu", name + ".relu", [y]))

    def model(self, nodes):
        x = self.quantized("input", "x")
        before = [x] * SKIP
        while len(self.nodes) < nodes:
            name = f"block{len(self.nodes)}"
            x = self.convolution(name, x, 3 if len(before) % 2 else 1)
            if len(before) % SKIP == 0:
                x = self.quantized(name + ".add", self.node(
                    "Add", name + ".add", [x, before[-SKIP]]))
            before.append(x)
        values = [helper.make_tensor_value_info(
            name, TensorProto.FLOAT, [1, CHANNELS, SIZE, SIZE])
            for name in ("x", x)]
        graph = helper.make_graph(self.nodes, "large", values[:1], values[1:],
                                  self.initializers)
        return helper.make_model(
            graph, ir_version=8,
            opset_imports=[helper.make_opsetid("", 17)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nodes", type=int)
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=20)
    arguments = parser.parse_args()
    model = Graph(arguments.seed).model(arguments.nodes)
    onnx.save(model, arguments.file)
    print(f"{arguments.file}: {len(model.graph.node)} nodes")


if __name__ == "__main__":
    main()
