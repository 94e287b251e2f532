"""Networks whose activations are stored channels last, on every tier.

Chains of quantized layers, so that tensors between convolutions take either
order, with operators among them that know one order only. Every node's result
is compared with the evaluator's.
"""

import subprocess

import numpy as np
import onnx
import pytest
from conftest import in_turn, on_tier, sample
from node_batch import NodeBatch


def run(tally, tier, net, folder, *more):
    path, feeds = folder / "net.onnx", folder / "inputs.npz"
    onnx.save(net.model(), path)
    np.savez(feeds, **net.feeds)
    done = subprocess.run(
        [str(tally), "run", str(path), "--input", str(feeds), "--target",
         "cpu", *on_tier(tally, tier), "--compare-with", "eval", *more],
        text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


class Net(NodeBatch):
    """Layers between reals; each gives the name and channels of its result."""

    def __init__(self, seed, kind=None):
        super().__init__(seed)
        self.kind = kind or self.pick(np.int8, np.uint8)

    def start(self, *shape):
        codes = self.input(self.codes(shape, self.kind))
        return self.reals(codes), shape[1]

    def reals(self, codes):
        self.grid = [self.constant(np.float32(0.05)),
                     self.constant(self.codes((), self.kind, 100))]
        return self.node("DequantizeLinear", [codes, *self.grid], keep=False)

    def between(self, reals, keep=False):
        """On a new grid of 8 bits."""
        grid = [self.constant(np.float32(self.rng.uniform(0.02, 0.08))),
                self.constant(self.codes((), self.kind, 100))]
        codes = self.node("QuantizeLinear", [reals, *grid], keep=keep)
        return self.node("DequantizeLinear", [codes, *grid], keep=False)

    def conv(self, x, outputs, kernel, group=1, relu=False, keep=False,
             rank=2, **attributes):
        name, channels = x
        weight = self.codes([outputs, channels // group, *[kernel] * rank],
                            np.int8)
        scales = np.full(outputs, 0.02 / (channels // group) ** 0.5, "f4")
        scales *= self.rng.uniform(0.5, 1, outputs).astype("f4")
        reals = self.node("DequantizeLinear", [
            self.constant(weight), self.constant(scales),
            self.constant(np.zeros(outputs, np.int8))], keep=False, axis=0)
        attributes.setdefault("pads", [kernel // 2] * 2 * rank)
        y = self.node("Conv", [name, reals], keep=False, group=group,
                      **attributes)
        if relu:
            y = self.node("Relu", [y], keep=False)
        return self.between(y, keep), outputs

    def layer(self, op, *xs, channels=None, keep=False, **attributes):
        y = self.node(op, [name for name, _ in xs], keep=False, **attributes)
        return self.between(y, keep), channels or xs[0][1]

    def end(self, x):
        codes = self.node("QuantizeLinear", [x[0], *self.grid])
        return codes


def residual(net, channels, size):
    x = net.start(1, 3, size, size + 3)
    x = net.conv(x, channels, 3, relu=True, strides=[2, 2])
    x = net.layer("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2],
                  pads=[1, 1, 1, 1])
    for stride in (1, 2):
        y = net.conv(x, channels // 2, 1, relu=True)
        y = net.conv(y, channels // 2, 3, relu=True, strides=[stride] * 2)
        y = net.conv(y, channels, 1)
        side = net.conv(x, channels, 1, strides=[stride] * 2, pads=[0] * 4)
        x = net.layer("Add", y, side)
    x = net.layer("GlobalAveragePool", x)
    net.end(x)


@pytest.mark.parametrize("channels,size", [(8, 21), (36, 33), (70, 40),
                                           (96, 46)])
def test_residual_networks(tally, tier, tmp_path, channels, size):
    net = Net(channels)
    residual(net, channels, size)
    run(tally, tier, net, tmp_path, "--all-nodes")
    run(tally, tier, net, tmp_path)


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_squares(tally, tier, tmp_path, kind):
    """3x3 convolutions of many channels, which AVX2 makes by squares, and what
    follows in their kernels."""
    net = Net(23, kind)
    first = net.conv(net.start(2, 5, 13, 18), 32, 1)
    x = net.conv(first, 32, 3, relu=True)
    x = net.layer("Add", net.conv(x, 32, 3), first)
    slopes = net.constant(net.rng.uniform(0, 1, (48, 1, 1)).astype("f4"))
    x = net.conv(x, 48, 3, pads=[0, 1, 2, 1])
    x = net.between(net.node("PRelu", [x[0], slopes], keep=False)), 48
    x = net.layer("Sigmoid", net.conv(x, 21, 3))
    x = net.layer("Concat", x, net.conv(first, 11, 3), channels=32, axis=1)
    net.end(net.conv(x, 7, 3))
    run(tally, tier, net, tmp_path, "--all-nodes")
    run(tally, tier, net, tmp_path)


@pytest.mark.parametrize("channels, kind", in_turn((16, 24, 40, 67, 144),
                                                   (np.int8, np.uint8)))
def test_depthwise(tally, tier, tmp_path, channels, kind):
    net = Net(channels, kind)
    x = net.conv(net.start(1, 5, 19, 22), channels, 1)
    for kernel, stride, more in [
            (3, 1, {}), (3, 2, {}), (5, 1, {}), (5, 2, {}), (2, 1, {}),
            (3, 1, {"dilations": [2, 2]}), (3, 1, {"pads": [0, 2, 2, 0]})]:
        x = net.conv(x, channels, kernel, group=channels,
                     strides=[stride] * 2, **more)
    net.end(net.conv(x, 3, 1))
    run(tally, tier, net, tmp_path)


@pytest.mark.parametrize("seed", sample(range(3), 2))
def test_branches(tally, tier, tmp_path, seed):
    """Pools, concatenations, resizing, groups, and results on the way."""
    net = Net(100 + seed)
    x = net.conv(net.start(2, 4, 17, 20), 20, 3)
    pooled = net.layer("AveragePool", x, kernel_shape=[3, 2], strides=[1, 1],
                       pads=[1, 0, 1, 1], count_include_pad=seed % 2)
    grouped = net.conv(x, 30, 3, group=5, keep=True)
    x = net.layer("Concat", x, pooled, grouped, channels=70, axis=1)
    scales = net.constant(np.array([1, 1, 2, 2], "f4"))
    y = net.node("Resize", [x[0], "", scales], keep=False, mode="nearest",
                 nearest_mode="floor",
                 coordinate_transformation_mode="asymmetric")
    x = net.between(y), 70
    slopes = net.constant(net.rng.uniform(0, 1, (70, 1, 1)).astype("f4"))
    x = net.between(net.node("PRelu", [x[0], slopes], keep=False)), 70
    x = net.conv(x, 14, 5, dilations=[2, 2], pads=[4] * 4)
    x = net.layer("Sigmoid", x)
    net.end((net.node("Transpose", [x[0]], keep=False, perm=[0, 2, 3, 1]), 14))
    run(tally, tier, net, tmp_path, "--all-nodes")
    run(tally, tier, net, tmp_path)


def test_views_between(tally, tier, tmp_path):
    """A reshape of pixels alone keeps the order; others need plain order."""
    net = Net(7)
    x = net.conv(net.start(1, 6, 8, 12), 18, 3)
    shape = net.constant(np.array([1, 18, 96]))
    x = net.node("Reshape", [x[0], shape], keep=False), 18
    x = net.conv(x, 22, 3, rank=1)
    shape = net.constant(np.array([1, 11, 16, 12]))
    x = net.node("Reshape", [x[0], shape], keep=False), 11
    x = net.conv(x, 9, 3)
    net.end((net.node("Flatten", [x[0]], keep=False), 9))
    run(tally, tier, net, tmp_path)


def test_one_pixel_and_one_channel(tally, tier, tmp_path):
    """Shapes whose two orders are one."""
    net = Net(9)
    x = net.conv(net.start(1, 33, 3, 3), 40, 3, pads=[0] * 4)
    x = net.conv(x, 24, 1)
    shape = net.constant(np.array([1, 6, 2, 2]))
    x = net.node("Reshape", [x[0], shape], keep=False), 6
    x = net.conv(x, 1, 3)
    x = net.conv(x, 5, 3)
    net.end(x)
    run(tally, tier, net, tmp_path)
