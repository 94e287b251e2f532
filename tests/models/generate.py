#!/usr/bin/env python3
"""Generate QDQ graphs of well-known shapes with seeded random weights.

    resnet50      ResNet50, 1x3x224x224
    mobilenetv2   MobileNetV2 1.0, 1x3x224x224
    bert-layer    one BERT-base encoder layer, 1x128x768
    bert-base     twelve of them

Each comes with int8 (-s8) and uint8 (-u8) activations, as NAME-KIND.onnx
with NAME-KIND.inputs.npz. They say nothing about accuracy; they are for
speed and scale, and are calibrated so that they test something: the script
fails unless every activation tensor uses at least 100 distinct codes and has
fewer than 5 % of its elements saturated, and it prints the table.
"""

import argparse
import pathlib
import sys

import numpy as np
import onnx

import qdq

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEED = 50
LEAST_CODES = 100
MOST_SATURATED = 0.05


def picture(rng, size):
    """A seeded image: smooth blobs per channel, with fine noise on top."""
    coarse = rng.standard_normal((1, 3, size // 16, size // 16))
    smooth = coarse.repeat(16, 2).repeat(16, 3)
    for axis in (2, 3):
        smooth = sum(np.roll(smooth, s, axis) for s in range(-8, 8)) / 16
    noisy = smooth + 0.3 * rng.standard_normal(smooth.shape)
    return noisy.astype(np.float32)


# --- ResNet50 --------------------------------------------------------------


def bottleneck(b, name, x, width, stride):
    """1x1, 3x3, 1x1 convolutions and a shortcut, added and rectified."""
    y = b.conv(name + ".conv1", x, width, 1)
    y = b.quantized(b.op("Relu", name + ".relu1", [y]))
    y = b.conv(name + ".conv2", y, width, 3, stride)
    y = b.quantized(b.op("Relu", name + ".relu2", [y]))
    y = b.quantized(b.conv(name + ".conv3", y, width * 4, 1))
    if x.data.shape[1] != width * 4 or stride != 1:
        x = b.quantized(b.conv(name + ".downsample", x, width * 4, 1, stride))
    y = b.op("Add", name + ".add", [y, x])
    return b.quantized(b.op("Relu", name + ".relu3", [y]))


def classifier(b, x, classes=1000):
    """Global average, Flatten and Gemm, quantized in between."""
    x = b.quantized(b.op("GlobalAveragePool", "pool", [x]))
    x = b.quantized(b.op("Flatten", "flatten", [x], axis=1), like=x)
    return b.quantized(b.gemm("classify", x, classes, deviation=3.0))


def resnet50(b):
    x = b.input("image", picture(b.rng, 224))
    x = b.op("Relu", "stem.relu", [b.conv("stem.conv", x, 64, 7, 2)])
    x = b.quantized(x)
    x = b.quantized(b.op("MaxPool", "stem.pool", [x], kernel_shape=[3, 3],
                         strides=[2, 2], pads=[1] * 4), like=x)
    for stage, (width, blocks) in enumerate(
            [(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            x = bottleneck(b, f"layer{stage + 1}.{block}", x, width, stride)
    return classifier(b, x)


# --- MobileNetV2 -----------------------------------------------------------


def relu6(b, name, x):
    limits = [b.constant(name + ".min", np.float32(0)),
              b.constant(name + ".max", np.float32(6))]
    return b.quantized(b.op("Clip", name, [x] + limits))


def inverted_residual(b, name, x, out, stride, expand):
    """1x1 wider, 3x3 depthwise, 1x1 narrower, added to x where it fits."""
    channels = x.data.shape[1]
    y = x
    if expand != 1:
        y = b.conv(name + ".expand", y, channels * expand, 1, deviation=2.0)
        y = relu6(b, name + ".expand_clip", y)
    wide = channels * expand
    y = b.conv(name + ".depthwise", y, wide, 3, stride, wide, deviation=2.0)
    y = relu6(b, name + ".depthwise_clip", y)
    y = b.quantized(b.conv(name + ".project", y, out, 1))
    if stride == 1 and channels == out:
        y = b.quantized(b.op("Add", name + ".add", [x, y]))
    return y


def mobilenetv2(b):
    x = b.input("image", picture(b.rng, 224))
    x = b.conv("stem.conv", x, 32, 3, 2, deviation=2.0)
    x = relu6(b, "stem.clip", x)
    block = 0
    for expand, out, repeats, first_stride in [
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(repeats):
            x = inverted_residual(b, f"block{block}", x, out,
                                  1 if i else first_stride, expand)
            block += 1
    x = b.conv("head.conv", x, 1280, 1, deviation=2.0)
    return classifier(b, relu6(b, "head.clip", x))


# --- BERT ------------------------------------------------------------------

WIDTH, HEADS, LENGTH = 768, 12, 128


def heads(b, name, x, order):
    """[1,S,W] -> [1,heads,..]: Reshape and Transpose, on the same codes."""
    shape = b.constant(name + ".shape",
                       np.array([1, LENGTH, HEADS, WIDTH // HEADS], np.int64))
    y = b.op("Reshape", name + ".reshape", [x, shape])
    y = b.quantized(y, like=x)
    y = b.op("Transpose", name + ".transpose", [y], perm=order)
    return b.quantized(y, like=x)


def attention(b, name, x):
    """Multi-head self attention up to the output projection."""
    def project(part, deviation):
        return b.quantized(b.dense(f"{name}.{part}", x, WIDTH, deviation))
    query = heads(b, name + ".query", project("query", 1.5), [0, 2, 1, 3])
    key = heads(b, name + ".key", project("key", 1.5), [0, 2, 3, 1])
    value = heads(b, name + ".value", project("value", 1.0), [0, 2, 1, 3])
    scores = b.quantized(b.op("MatMul", name + ".scores", [query, key]))
    root = b.constant(name + ".root", np.float32(np.sqrt(WIDTH // HEADS)))
    scores = b.quantized(b.op("Div", name + ".scale", [scores, root]))
    chances = b.quantized(b.op("Softmax", name + ".softmax", [scores],
                               axis=-1))
    mixed = b.quantized(b.op("MatMul", name + ".mix", [chances, value]))
    mixed = b.quantized(b.op("Transpose", name + ".merge", [mixed],
                             perm=[0, 2, 1, 3]), like=mixed)
    shape = b.constant(name + ".merged_shape",
                       np.array([1, LENGTH, WIDTH], np.int64))
    joined = b.quantized(b.op("Reshape", name + ".join", [mixed, shape]),
                         like=mixed)
    return b.quantized(b.dense(name + ".project", joined, WIDTH))


def gelu(b, name, x):
    """x * (1 + erf(x / sqrt 2)) * 0.5, as exporters spell it."""
    def number(part, v):
        return b.constant(f"{name}.{part}", np.float32(v))
    y = b.op("Div", name + ".div", [x, number("root2", np.sqrt(2))])
    y = b.op("Erf", name + ".erf", [y])
    y = b.op("Add", name + ".add", [y, number("one", 1)])
    y = b.op("Mul", name + ".mul", [x, y])
    return b.quantized(b.op("Mul", name + ".halve",
                            [y, number("half", 0.5)]))


def add_and_norm(b, name, x, y):
    total = b.quantized(b.op("Add", name + ".residual", [x, y]))
    scale = b.constant(name + ".gamma", b.rng.uniform(
        0.6, 1.4, WIDTH).astype(np.float32))
    shift = b.constant(name + ".beta", b.rng.normal(
        0, 0.2, WIDTH).astype(np.float32))
    return b.quantized(b.op("LayerNormalization", name + ".norm",
                            [total, scale, shift], axis=-1, epsilon=1e-12))


def bert(b, layers):
    hidden = b.rng.standard_normal((1, LENGTH, WIDTH)).astype(np.float32)
    x = b.input("hidden", hidden)
    for layer in range(layers):
        name = f"layer{layer}"
        mixed = attention(b, name + ".attention", x)
        x = add_and_norm(b, name + ".attention", x, mixed)
        y = b.quantized(b.dense(name + ".up", x, WIDTH * 4))
        y = gelu(b, name + ".gelu", y)
        y = b.quantized(b.dense(name + ".down", y, WIDTH))
        x = add_and_norm(b, name + ".output", x, y)
    return x


NETWORKS = {
    "resnet50": resnet50,
    "mobilenetv2": mobilenetv2,
    "bert-layer": lambda b: bert(b, 1),
    "bert-base": lambda b: bert(b, 12),
}


# --- files and proof -------------------------------------------------------


def make(name, kind, folder):
    """Generate one network, write it, and return its path."""
    builder = qdq.Builder(name, kind, SEED)
    model = builder.model(NETWORKS[name](builder))
    path = folder / f"{name}-{kind}.onnx"
    onnx.save(model, path)
    np.savez(path.with_suffix(".inputs.npz"), **builder.feeds)
    return path


def prove(path, whole_table):
    """Print the code statistics of a model; True if all are good enough."""
    with np.load(path.with_suffix(".inputs.npz")) as stored:
        feeds = dict(stored)
    rows = list(qdq.code_statistics(onnx.load(path), feeds))
    bad = [r for r in rows if r[2] < LEAST_CODES or r[3] >= MOST_SATURATED]
    if whole_table:
        print(f"\n{path.stem}\n| tensor | elements | codes | saturated "
              "| at lowest | at highest |\n|---|---|---|---|---|---|")
    for name, size, codes, out, low, high in rows if whole_table else bad:
        print(f"| {name.removesuffix('.quantize')} | {size:,} | {codes} "
              f"| {out:.2%} | {low:.2%} | {high:.2%} |")
    print(f"{path.stem}: {path.stat().st_size:,} bytes, {len(rows)} "
          f"activation tensors, fewest codes {min(r[2] for r in rows)}, "
          f"most saturated {max(r[3] for r in rows):.2%}: "
          f"{'good' if not bad else f'{len(bad)} TENSORS FAIL'}")
    return not bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=pathlib.Path,
                        default=ROOT / "build" / "models")
    parser.add_argument("--only", default="resnet50,mobilenetv2,bert-layer",
                        help="networks, comma-separated (default: all but "
                        "bert-base)")
    parser.add_argument("--kinds", default="s8,u8",
                        help="activation types (default s8,u8)")
    parser.add_argument("--summary", action="store_true",
                        help="one line a model instead of the tables")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    kinds = arguments.kinds.split(",")
    if unknown := set(wanted) - set(NETWORKS) | set(kinds) - set(qdq.KINDS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    arguments.dir.mkdir(parents=True, exist_ok=True)
    good = [prove(make(name, kind, arguments.dir), not arguments.summary)
            for name in wanted for kind in kinds]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
