#!/usr/bin/env python3
"""Make the digits models: train, export to ONNX, quantize, measure.

A small convolution network is trained with numpy on scikit-learn's bundled
8x8 digits (1,797 images; 300 of them, picked by a seeded shuffle and spread
evenly over the classes, are held out), written as ONNX with named nodes, and
quantized by onnxruntime's own quantizer, calibrated on training images:

    digits-float.onnx   float32
    digits-int8.onnx    QDQ, int8 activations, int8 weights per channel
    digits-u8.onnx      QDQ, uint8 activations, int8 weights per channel
    test-images.npy     300x1x8x8 float32, pixels / 16
    test-labels.npy     300 int64

Training is float64 with fixed seeds. Another BLAS may still round sums
differently, so the committed files, not this script, are what tests pin;
`--check` measures the committed files and changes nothing.
"""

import argparse
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization as q
from sklearn.datasets import load_digits

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20240229
HELD_OUT = 300
CLASSES = 10
WIDTH = 16  # channels of the first stage
WIDE = 32  # channels after the pool

# Convolutions as name: (output channels, input channels per group, kernel,
# groups). All are stride 1; 3x3 ones are padded to keep the size.
CONVS = {
    "stem": (WIDTH, 1, 3, 1),
    "depthwise": (WIDTH, 1, 3, WIDTH),
    "pointwise": (WIDTH, WIDTH, 1, 1),
    "grouped": (WIDE, WIDTH // 4, 3, 4),
}
FEATURES = WIDE * 4 * 4


# --- data ------------------------------------------------------------------


def load_split():
    """The digits as (train images, train labels, test images, test labels)."""
    digits = load_digits()
    images = (digits.images[:, None] / 16.0).astype(np.float32)
    labels = digits.target.astype(np.int64)
    order = np.random.default_rng(SEED).permutation(len(labels))
    per_class = HELD_OUT // CLASSES
    held = np.sort(np.concatenate(
        [order[labels[order] == c][:per_class] for c in range(CLASSES)]))
    held = np.random.default_rng(SEED + 1).permutation(held)
    rest = np.setdiff1d(np.arange(len(labels)), held)
    return images[rest], labels[rest], images[held], labels[held]


# --- training --------------------------------------------------------------


def initial_parameters(rng):
    parameters = {}
    for name, (out, into, kernel, _) in CONVS.items():
        deviation = np.sqrt(2.0 / (into * kernel * kernel))
        parameters[name + ".weight"] = rng.normal(
            0, deviation, (out, into, kernel, kernel))
        parameters[name + ".bias"] = np.zeros(out)
    parameters["classify.weight"] = rng.normal(
        0, np.sqrt(1.0 / FEATURES), (CLASSES, FEATURES))
    parameters["classify.bias"] = np.zeros(CLASSES)
    return parameters


def windows(x, kernel, groups):
    """x [n,c,h,w] -> its padded kernel windows [n,groups,h,w,c/groups*k*k]."""
    n, c, h, w = x.shape
    pad = kernel // 2
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    view = sliding_window_view(padded, (kernel, kernel), axis=(2, 3))
    view = view.reshape(n, groups, c // groups, h, w, kernel, kernel)
    return view.transpose(0, 1, 3, 4, 2, 5, 6).reshape(
        n, groups, h, w, c // groups * kernel * kernel)


def conv(x, weight, bias, groups):
    n, _, h, w = x.shape
    out = weight.shape[0]
    cols = windows(x, weight.shape[2], groups)
    by_group = weight.reshape(groups, out // groups, -1)
    y = np.einsum("nghwk,gok->ngohw", cols, by_group, optimize=True)
    return y.reshape(n, out, h, w) + bias[:, None, None], cols


def conv_backward(dy, x, cols, weight, groups):
    """Gradients of one convolution: (dx, dweight, dbias)."""
    n, _, h, w = x.shape
    out, into, kernel, _ = weight.shape
    dyg = dy.reshape(n, groups, out // groups, h, w)
    dweight = np.einsum("nghwk,ngohw->gok", cols, dyg, optimize=True)
    # dx is a convolution of dy with the weights flipped and transposed.
    back = weight.reshape(groups, out // groups, into, kernel, kernel)
    back = back[..., ::-1, ::-1].transpose(0, 2, 1, 3, 4)
    back = back.reshape(groups * into, out // groups, kernel, kernel)
    dx, _ = conv(dy, back, np.zeros(groups * into), groups)
    return dx, dweight.reshape(weight.shape), dy.sum((0, 2, 3))


def forward(p, x):
    """Logits and everything the backward pass reads."""
    keep = {}

    def apply(name, value):
        groups = CONVS[name][3]
        y, cols = conv(value, p[name + ".weight"], p[name + ".bias"], groups)
        keep[name] = (value, cols)
        return y

    stem = np.maximum(apply("stem", x), 0)
    depthwise = np.maximum(apply("depthwise", stem), 0)
    added = np.maximum(apply("pointwise", depthwise) + stem, 0)
    n, c, h, w = added.shape
    quads = added.reshape(n, c, h // 2, 2, w // 2, 2)
    pooled = quads.max((3, 5))
    grouped = np.maximum(apply("grouped", pooled), 0)
    flat = grouped.reshape(n, FEATURES)
    keep.update(stem_y=stem, depthwise_y=depthwise, added=added, quads=quads,
                pooled=pooled, grouped_y=grouped, flat=flat)
    return flat @ p["classify.weight"].T + p["classify.bias"], keep


def backward(p, keep, dlogits):
    grads = {}

    def unapply(name, dy):
        x, cols = keep[name]
        dx, grads[name + ".weight"], grads[name + ".bias"] = conv_backward(
            dy, x, cols, p[name + ".weight"], CONVS[name][3])
        return dx

    grads["classify.weight"] = dlogits.T @ keep["flat"]
    grads["classify.bias"] = dlogits.sum(0)
    dgrouped = (dlogits @ p["classify.weight"]).reshape(
        keep["grouped_y"].shape)
    dpooled = unapply("grouped", dgrouped * (keep["grouped_y"] > 0))
    winner = keep["quads"] == keep["pooled"][:, :, :, None, :, None]
    dquads = dpooled[:, :, :, None, :, None] * winner
    dadded = dquads.reshape(keep["added"].shape) * (keep["added"] > 0)
    ddepthwise = unapply("pointwise", dadded)
    dstem = dadded + unapply("depthwise", ddepthwise
                             * (keep["depthwise_y"] > 0))
    unapply("stem", dstem * (keep["stem_y"] > 0))
    return grads


def shifted(images, rng):
    """Each image moved by up to one pixel, with zeros coming in."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moves = rng.integers(0, 3, (len(images), 2))
    return np.stack([image[:, dy:dy + 8, dx:dx + 8]
                     for image, (dy, dx) in zip(padded, moves)])


def train(images, labels, epochs=40, batch=64, rate=3e-3, decay=1e-4):
    """Adam on cross entropy with a cosine rate; returns the parameters."""
    rng = np.random.default_rng(SEED + 2)
    p = initial_parameters(rng)
    first = {k: np.zeros_like(v) for k, v in p.items()}
    second = {k: np.zeros_like(v) for k, v in p.items()}
    steps_per_epoch = len(labels) // batch
    total = epochs * steps_per_epoch
    for epoch in range(epochs):
        order = rng.permutation(len(labels))
        for i in range(steps_per_epoch):
            step = epoch * steps_per_epoch + i + 1
            pick = order[i * batch:(i + 1) * batch]
            x = shifted(images[pick].astype(np.float64), rng)
            logits, keep = forward(p, x)
            e = np.exp(logits - logits.max(1, keepdims=True))
            dlogits = e / e.sum(1, keepdims=True)
            dlogits[np.arange(batch), labels[pick]] -= 1
            now = rate * 0.5 * (1 + np.cos(np.pi * step / total))
            for k, g in backward(p, keep, dlogits / batch).items():
                first[k] = 0.9 * first[k] + 0.1 * g
                second[k] = 0.999 * second[k] + 0.001 * g * g
                m = first[k] / (1 - 0.9 ** step)
                v = second[k] / (1 - 0.999 ** step)
                p[k] -= now * (m / (np.sqrt(v) + 1e-8) + decay * p[k])
    return p


# --- export ----------------------------------------------------------------


def to_onnx(p):
    """The trained network as an ONNX model with a symbolic batch N."""
    nodes = []

    def add(op, name, inputs, **attributes):
        nodes.append(helper.make_node(op, inputs, [name + "_y"],
                                      name=name, **attributes))
        return name + "_y"

    def add_conv(name, x):
        _, _, kernel, groups = CONVS[name]
        return add("Conv", name, [x, name + ".weight", name + ".bias"],
                   kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4,
                   strides=[1, 1], dilations=[1, 1], group=groups)

    stem = add("Relu", "stem_relu", [add_conv("stem", "image")])
    x = add("Relu", "depthwise_relu", [add_conv("depthwise", stem)])
    x = add("Add", "residual", [add_conv("pointwise", x), stem])
    x = add("Relu", "residual_relu", [x])
    x = add("MaxPool", "pool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = add("Relu", "grouped_relu", [add_conv("grouped", x)])
    x = add("Flatten", "flatten", [x], axis=1)
    nodes.append(helper.make_node(
        "Gemm", [x, "classify.weight", "classify.bias"], ["logits"],
        name="classify", transB=1))
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT,
                                       ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT,
                                       ["N", CLASSES])],
        [numpy_helper.from_array(v.astype(np.float32), k)
         for k, v in p.items()])
    model = helper.make_model(graph, ir_version=10,
                              opset_imports=[helper.make_opsetid("", 19)],
                              producer_name="make_digits")
    onnx.checker.check_model(model, full_check=True)
    return onnx.shape_inference.infer_shapes(model)


class Calibration(q.CalibrationDataReader):
    """Hands training images to the quantizer in batches."""

    def __init__(self, images, batch=100):
        starts = range(0, len(images), batch)
        self.batches = iter([{"image": images[i:i + batch]} for i in starts])

    def get_next(self):
        return next(self.batches, None)


def quantize(model, images, activations):
    """The QDQ form of `model` with the given activation type."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "float.onnx")
        target = pathlib.Path(folder, "qdq.onnx")
        onnx.save(model, source)
        q.quantize_static(
            source, target, Calibration(images),
            quant_format=q.QuantFormat.QDQ, per_channel=True,
            activation_type=activations, weight_type=q.QuantType.QInt8,
            # Relu stays a node: a rectifier is what a compiler has to fuse.
            extra_options={"QDQKeepRemovableActivations": True})
        result = onnx.load(target)
    result.producer_name = "make_digits"
    onnx.checker.check_model(result, full_check=True)
    return result


# --- measuring -------------------------------------------------------------


def accuracy(path, images, labels):
    session = ort.InferenceSession(str(path),
                                   providers=["CPUExecutionProvider"])
    logits, = session.run(None, {"image": images})
    return float((logits.argmax(1) == labels).mean())


def report():
    images = np.load(HERE / "test-images.npy")
    labels = np.load(HERE / "test-labels.npy")
    for name in ("digits-float", "digits-int8", "digits-u8"):
        path = HERE / f"{name}.onnx"
        right = accuracy(path, images, labels)
        print(f"{path.name}: {path.stat().st_size} bytes, "
              f"{right:.2%} of {len(labels)} test images")
        assert right >= 0.95, f"{path.name} is below 95 %"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="only measure the files that are here")
    if not parser.parse_args().check:
        images, labels, test_images, test_labels = load_split()
        model = to_onnx(train(images, labels))
        onnx.save(model, HERE / "digits-float.onnx")
        for name, kind in (("int8", q.QuantType.QInt8),
                           ("u8", q.QuantType.QUInt8)):
            onnx.save(quantize(model, images, kind),
                      HERE / f"digits-{name}.onnx")
        np.save(HERE / "test-images.npy", test_images)
        np.save(HERE / "test-labels.npy", test_labels)
    report()


if __name__ == "__main__":
    main()
