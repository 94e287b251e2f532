"""Convolutions of each channel alone, with windows and lines of every kind.

Windows are pairs of rows and single rows, pairs of columns and single columns,
apart and overlapping, with padding wider than what lies in it. Lines are longer
than what goes along at a time, and shorter than a window. Channels leave every
kind of rest. The compiled code gives the evaluator's bits on every tier.
"""

import numpy as np
import pytest
from conftest import in_turn
from test_channels_last import Net, run


class Windows(Net):
    def depthwise(self, x, kernel, relu=False, keep=False, **attributes):
        """Weights reach both ends of their range."""
        name, channels = x
        weight = self.codes([channels, 1, *kernel], np.int8, 127)
        weight.flat[:2] = -127, 127
        scales = self.rng.uniform(0.5, 1, channels).astype("f4")
        scales *= 0.02 / np.prod(kernel) ** 0.5
        reals = self.node("DequantizeLinear", [
            self.constant(weight), self.constant(scales.astype("f4")),
            self.constant(np.zeros(channels, np.int8))], keep=False, axis=0)
        attributes.setdefault("pads", [size // 2 for size in kernel] * 2)
        bias = self.constant(self.rng.uniform(-1, 1, channels).astype("f4"))
        y = self.node("Conv", [name, reals, bias], keep=False, group=channels,
                      **attributes)
        if relu:
            y = self.node("HardSwish", [self.between(y)], keep=False)
        return self.between(y, keep), channels


WINDOWS = [
    ([3, 3], {}),
    ([3, 3], {"strides": [2, 2]}),
    ([1, 3], {"strides": [1, 2]}),
    ([5, 1], {}),
    ([5, 5], {}),
    ([4, 4], {"strides": [2, 3], "pads": [1, 2, 2, 1]}),
    ([7, 7], {}),
    ([3, 5], {"strides": [3, 3]}),
    ([5, 3], {"dilations": [2, 3], "pads": [4, 3, 4, 3]}),
    ([3, 3], {"pads": [3, 4, 2, 0]}),
    ([1, 1], {"strides": [2, 1]}),
]


@pytest.mark.parametrize("window,channels",
                         in_turn(range(len(WINDOWS)), [16, 29, 48, 60]))
def test_windows(tally, tier, tmp_path, window, channels):
    """Of two images; the second convolution's lines have four pixels."""
    kernel, attributes = WINDOWS[window]
    net = Windows(100 * window + channels)
    x = net.start(2, channels, 5, 131)
    x = net.depthwise(x, kernel, keep=True, **attributes)
    x = net.layer("MaxPool", x, kernel_shape=[1, 20], strides=[1, 50],
                  pads=[0, 10, 0, 10])
    net.end(net.depthwise(x, kernel, relu=True, **attributes))
    run(tally, tier, net, tmp_path, "--all-nodes")
    run(tally, tier, net, tmp_path)


@pytest.mark.parametrize("kernel", [2, 3, 9])
def test_lines(tally, tier, tmp_path, kernel):
    """One spatial dimension."""
    net = Windows(kernel)
    x = net.conv(net.start(2, 3, 101), 40, 1, rank=1)
    for stride in (1, 2):
        x = net.depthwise(x, [kernel], relu=True, strides=[stride])
    net.end(x)
    run(tally, tier, net, tmp_path)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads(tally, tier, tmp_path, threads):
    net = Windows(threads)
    x = net.start(2, 70, 40, 61)
    x = net.depthwise(x, [3, 3])
    net.end(net.depthwise(x, [5, 5], strides=[2, 2]))
    run(tally, tier, net, tmp_path, "--threads", str(threads))
