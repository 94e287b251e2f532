#!/usr/bin/env python3
"""Measure compiled networks on this processor beside onnxruntime.

usage: cpu_layers.py [--tally FILE] [--models FOLDER] [--tier TIER] [--runs N]
                     [NAME | gemm:M,K,N | conv:C,SIZE,OUT,KERNEL,STRIDE ...]

NAME is a file of build/models without ".onnx"; a "gemm" or "conv" is one
quantized layer (uint8 activations, int8 weights, with requantization) of these
sizes. Both sides use one thread and run in turn, so that a change of the
processor's speed meets both. A row gives the minimum and the median of the
milliseconds of processor time of each, the ratio of the medians, and, for single
layers, billions of operations (two per product) in a second at the minimum.
"""

import argparse
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent


def layer(op, data, weight, output, **attributes):
    """Dequantize, `op`, quantize; one scale per output channel."""
    axis = 0 if op == "Conv" else 1
    channels = weight.shape[axis]
    rng = np.random.default_rng(2)
    scales = rng.uniform(0.5, 1, channels).astype(np.float32) / 64
    constants = {"xs": np.float32(0.02), "xz": np.uint8(120), "w": weight,
                 "ws": scales, "wz": np.zeros(channels, np.int8),
                 "ys": np.float32(0.02 * 40 / 64 * weight[..., :1].size ** 0.5),
                 "yz": np.uint8(128)}
    nodes = [helper.make_node("DequantizeLinear", ["x", "xs", "xz"], ["xf"]),
             helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wf"],
                              axis=axis),
             helper.make_node(op, ["xf", "wf"], ["yf"], **attributes),
             helper.make_node("QuantizeLinear", ["yf", "ys", "yz"], ["y"])]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, op, [info("x", TensorProto.UINT8, data)],
        [info("y", TensorProto.UINT8, output)],
        [numpy_helper.from_array(np.asarray(v), n)
         for n, v in constants.items()])
    return helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 17)])


def single_layer(text):
    """The model of "gemm:..." or "conv:...", and its number of products."""
    kind, _, sizes = text.partition(":")
    sizes = [int(size) for size in sizes.split(",")]
    rng = np.random.default_rng(1)
    if kind == "gemm":
        m, k, n = sizes
        weight = rng.integers(-127, 128, (k, n)).astype(np.int8)
        return layer("MatMul", [m, k], weight, [m, n]), m * k * n
    channels, size, outputs, kernel, stride = sizes
    weight = rng.integers(-127, 128, (outputs, channels, kernel, kernel))
    out = (size - 1) // stride + 1
    model = layer("Conv", [1, channels, size, size], weight.astype(np.int8),
                  [1, outputs, out, out], strides=[stride] * 2,
                  pads=[kernel // 2] * 4)
    return model, weight.size * out * out


class Compiled:
    """A model compiled by tally, as a function of this process."""

    def __init__(self, tally, model, tier, folder):
        library = folder / "net.so"
        start = time.perf_counter()
        subprocess.run([tally, "compile", model, "--tiers", tier,
                        "--no-self-test", "-o", library], check=True,
                       stdout=subprocess.DEVNULL)
        self.seconds = time.perf_counter() - start
        loaded = ctypes.CDLL(str(library))
        names = subprocess.run(["nm", "-D", library], text=True, check=True,
                               capture_output=True).stdout.split()
        symbol = next(n for n in names if n.endswith("_interface"))
        text = ctypes.string_at(ctypes.addressof(
            ctypes.c_char.in_dll(loaded, symbol)))
        self.interface = json.loads(text)
        self.run = getattr(loaded, symbol.replace("_interface", "_run"))

    def call(self, inputs, outputs):
        """A function that runs once; the arrays stay in use by it."""
        arena = np.zeros(self.interface["arena_bytes"] + 64, np.uint8)
        aligned = (arena.ctypes.data + 63) & ~63
        sources = (ctypes.c_void_p * len(inputs))(
            *(a.ctypes.data for a in inputs))
        targets = (ctypes.c_void_p * len(outputs))(
            *(a.ctypes.data for a in outputs))

        def run(keep=(arena, inputs, outputs)):
            if self.run(sources, targets, ctypes.c_void_p(aligned)):
                sys.exit("the compiled network refuses to run")
        return run


def made_up(session):
    rng = np.random.default_rng(3)
    kinds = {"tensor(uint8)": np.uint8, "tensor(int8)": np.int8,
             "tensor(float)": np.float32}
    inputs = {}
    for value in session.get_inputs():
        kind = kinds[value.type]
        data = rng.uniform(0, 1, value.shape) if kind == np.float32 else \
            rng.integers(0, 100, value.shape)
        inputs[value.name] = np.ascontiguousarray(data.astype(kind))
    return inputs


def timed(runs, functions):
    """Milliseconds of processor time of each, in turn."""
    times = [[] for _ in functions]
    for function in functions * 2:
        function()
    for _ in range(runs):
        for function, own in zip(functions, times):
            start = time.process_time()
            function()
            own.append(1000 * (time.process_time() - start))
    return [(min(own), float(np.median(own))) for own in times]


def row(options, name):
    with tempfile.TemporaryDirectory() as folder:
        folder, products = pathlib.Path(folder), 0
        path = options.models / f"{name}.onnx"
        if ":" in name:
            path = folder / "layer.onnx"
            model, products = single_layer(name)
            onnx.save(model, path)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            path, settings, providers=["CPUExecutionProvider"])
        inputs = made_up(session)
        outputs = [np.zeros_like(y) for y in session.run(None, inputs)]
        compiled = Compiled(options.tally, path, options.tier, folder)
        own, other = timed(options.runs, [
            compiled.call(list(inputs.values()), outputs),
            lambda: session.run(None, inputs)])
    speed = f"{2 * products / own[0] / 1e6:.0f}" if products else ""
    print(f"| {name} | {compiled.seconds:.1f} | {own[0]:.3f} | {own[1]:.3f} | "
          f"{other[0]:.3f} | {other[1]:.3f} | {other[1] / own[1]:.2f} | "
          f"{speed} |", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tally", default=ROOT / "build/dev/bin/tally")
    parser.add_argument("--models", type=pathlib.Path,
                        default=ROOT / "build/models")
    parser.add_argument("--tier", default="avx512vnni")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        default=["resnet50-u8", "resnet50-s8", "bert-layer-u8",
                                 "gemm:1024,1024,1024"])
    options = parser.parse_args()
    print("| network | compile s | min ms | median ms | onnxruntime min ms | "
          "median ms | ratio | Gop/s |\n" + "| --- " * 8 + "|")
    for name in options.names:
        row(options, name)


if __name__ == "__main__":
    main()
